"""The ``topicweave`` command: a table of subcommands, each in a file of its own, loaded when asked for."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from topicweave._version import __version__
from topicweave.cli.errors import exit_code, one_sentence

# name -> (module, function, one line of help); the help is here so that --help loads no subcommand
COMMANDS = {
    "design": ("topicweave.cli.design", "design", "Compute which links to make, verify them, and write a plan folder."),
    "verify": ("topicweave.cli.verify", "verify", "Check that an overlay connects every topic's subscribers."),
    "profile": ("topicweave.cli.profile", "profile", "Show what an interest looks like and what designing will cost."),
    "generate": ("topicweave.cli.generate", "generate", "Write a seeded synthetic interest as a subscription file."),
    "bench": (
        "topicweave.cli.bench",
        "bench",
        "Measure speed and quality against the published structures (checkout).",
    ),
}


class LazyGroup(click.Group):
    """Loads a subcommand's module only when it is run, so that ``--help`` answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, function, _ = COMMANDS[cmd_name]
        command = getattr(import_module(module), function)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Example: topicweave design subscriptions.csv --algorithm low --k 3 --out plan/",
)
@click.version_option(__version__, prog_name="topicweave")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
@click.pass_context
def cli(context: click.Context, debug: bool) -> None:
    """Plan the overlay network of a publish/subscribe system: who links to whom, so that every topic's subscribers are
    connected through subscribers alone."""
    context.obj = {"debug": debug}


def main() -> None:
    """Run the command line; every failure is one sentence and the exit code of its kind."""
    try:
        cli(standalone_mode=False)
    except click.exceptions.Exit as finished:
        sys.exit(finished.exit_code)
    except (Exception, KeyboardInterrupt) as error:
        if "--debug" in sys.argv:
            raise
        click.echo(one_sentence(error), err=True)
        sys.exit(exit_code(error))


if __name__ == "__main__":
    main()
