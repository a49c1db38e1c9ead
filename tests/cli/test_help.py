"""--help: at once, with an example, and naming what there is."""

import json
import subprocess
import sys

import click
import pytest

from topicweave.cli.main import COMMANDS, cli

HEAVY = ("pyspark", "numba", "scipy", "pandas", "pyarrow", "matplotlib", "rich", "topicweave.pipeline")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(run, command):
    """Every command shows an example that can be copied."""
    shown = run(command, "--help")
    assert shown.code == 0
    assert not shown.err
    assert "Example" in shown.out
    assert f"\n    topicweave {command} " in shown.out, "an example that can be copied: a line of its own"


@pytest.mark.parametrize("arguments", [("--help",), ("-h",)])
def test_help_lists_the_commands(run, arguments):
    """The long and the short help option list every command."""
    shown = run(*arguments)
    assert shown.code == 0
    assert all(f"  {command} " in shown.out for command in COMMANDS)


def test_no_arguments_give_the_help_but_not_success(run):
    shown = run()
    assert shown.code == 2
    assert not shown.out
    assert shown.err == run("--help").out


def test_version(run):
    """``--version`` prints that of the package."""
    from topicweave import __version__

    assert run("--version").out.strip() == f"topicweave, version {__version__}"


def test_the_help_of_the_group_is_that_of_the_commands():
    """The short help texts are in a table, so that nothing has to be loaded; each must belong to an existing
    command.
    """
    for name in COMMANDS:
        command = cli.get_command(click.Context(cli), name)
        assert command.name == name
        assert command.help


def test_help_loads_nothing_heavy():
    """Tests speed without a clock: modules that are not imported take no time."""
    program = f"""
import json, sys
from click.testing import CliRunner
from topicweave.cli.main import COMMANDS, cli
for arguments in [[], *([name] for name in COMMANDS)]:
    assert CliRunner().invoke(cli, [*arguments, "--help"]).exit_code == 0
print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(finished.stdout) == []
