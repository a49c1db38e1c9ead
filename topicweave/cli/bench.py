"""``topicweave bench``: the benchmarks of a checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click

from topicweave.errors import InputError


@click.command(
    context_settings={"ignore_unknown_options": True}, epilog="Example: topicweave bench gm rules --json bench.json"
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def bench(context: click.Context, arguments: tuple[str, ...]) -> None:
    """Measure speed and quality as ratios; the same as ``python -m benchmarks`` in a checkout."""
    checkout = Path(__file__).resolve().parents[2]
    if not (checkout / "benchmarks" / "__main__.py").exists():
        raise InputError("The benchmarks are not part of the installed package; run this in a checkout of the project.")
    finished = subprocess.run([sys.executable, "-m", "benchmarks", *arguments], cwd=checkout, check=False)
    context.exit(finished.returncode)
