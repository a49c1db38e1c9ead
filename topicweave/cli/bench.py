"""``topicweave bench``: the benchmarks of a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click

from topicweave.cli.options import DEBUG_OPTION
from topicweave.errors import SetupError

CHECKOUT = Path(__file__).resolve().parents[2]


@click.command(
    context_settings={"ignore_unknown_options": True},
    epilog="\b\nExamples:\n  topicweave bench gm rules --json bench.json\n  topicweave bench -- --help",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@DEBUG_OPTION
@click.pass_context
def bench(context: click.Context, arguments: tuple[str, ...]) -> None:
    """Measure speed and quality as ratios; the same as python -m benchmarks in a checkout.

    Exit code 0: every bar was met; 1: one was missed; 2: bad arguments; 130: interrupted.
    """
    if not (CHECKOUT / "benchmarks" / "__main__.py").exists():
        raise SetupError("The benchmarks are not part of the installed package; run this in a checkout of the project.")
    paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
    command = [sys.executable, "-m", "benchmarks", *arguments]
    finished = subprocess.run(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)}, check=False)
    context.exit(finished.returncode)
