"""``python -m experiments``: run what is missing, judge, print the table, write the page."""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from experiments.claim import NOT_JUDGED
from experiments.report import BEGIN, Row, console_table, has_markers, markdown, summary, write_between_markers
from experiments.runner import collect, view, wanted_runs
from experiments.table import CLAIMS, NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from experiments.description import Run

CHECKOUT = Path(__file__).resolve().parent.parent
PAGE = CHECKOUT / "docs" / "claims.md"
DONE, INTERRUPTED = 0, 130
QUICK_SEEDS = 2


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments",
        description="Measure again what the papers say. Results are files; those that are there are not run again.",
        epilog="example: python -m experiments GM-2 LOW-5 --seeds 10",
    )
    parser.add_argument("names", nargs="*", metavar="claim", help=f"which claims (default: all): {', '.join(NAMES)}")
    parser.add_argument(
        "--quick", action="store_true", help="reduced sizes, to try every path; the figures mean nothing"
    )
    parser.add_argument("--seeds", type=int, metavar="N", help="seeds 0 … N-1 for every claim (default: each its own)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the results (default: build/experiments)")
    parser.add_argument(
        "--page",
        type=Path,
        metavar="FILE",
        help="page whose table is replaced (default: docs/claims.md after a full run of all claims, else none)",
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in NAMES]
    if unknown:
        parser.error(f"There is no claim {unknown[0]!r}; choose from {', '.join(NAMES)}.")
    if options.seeds is not None and options.seeds < 1:
        parser.error(f"--seeds must be 1 or more, but is {options.seeds}.")
    if options.page is None and not options.names and not options.quick:
        options.page = PAGE
    if options.page is not None and not has_markers(options.page):
        parser.error(f"The page {options.page} has no place for the table; it needs the line {BEGIN} and its end.")
    if options.quick and options.seeds is None:
        options.seeds = QUICK_SEEDS
    options.out = options.out or CHECKOUT / "build" / ("experiments-quick" if options.quick else "experiments")
    return options


@contextmanager
def progress_bar(
    runs: Sequence[Run], console: Console
) -> Iterator[tuple[Callable[[Run], None], Callable[[Run], None]]]:
    """Show what is being run and the time left; a run counts as much as the work it is guessed to be."""
    columns = (BarColumn(20), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, TextColumn("{task.description}"), console=console, speed_estimate_period=120) as progress:
        task = progress.add_task("", total=sum(run.cost for run in runs))
        yield (
            lambda run: progress.update(task, description=str(run.path.with_suffix(""))),
            lambda run: progress.advance(task, run.cost),
        )


def command(options: argparse.Namespace) -> str:
    """The command that gives this page again, from the project's folder."""
    words = ["python -m experiments", *options.names, *(["--quick"] if options.quick else [])]
    return " ".join([*words, *([f"--seeds {options.seeds}"] if options.seeds else [])])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return the exit code. A claim that does not hold is a result, not a failure."""
    options = parse(arguments)
    messages = Console(stderr=True)
    claims = [claim for claim in CLAIMS if not options.names or claim.id in options.names]
    runs = wanted_runs(claims, num_seeds=options.seeds, quick=options.quick)
    try:
        with progress_bar(runs, messages) as (begin, done):
            found = collect(runs, options.out, begin=begin, done=done)
    except KeyboardInterrupt:
        messages.print(f"Interrupted; what was finished is in {options.out}, and the same command goes on from there.")
        return INTERRUPTED
    rows = []
    for claim in claims:
        finding = claim.judge(view(claim, found, num_seeds=options.seeds, quick=options.quick))
        if options.quick:
            finding = replace(finding, verdict=NOT_JUDGED)
        rows.append(Row(claim, options.seeds or claim.num_seeds, finding))
    # Wide enough for every column when the output goes to a file, where there is no terminal to ask.
    output = Console() if sys.stdout.isatty() else Console(width=240)
    output.print(console_table(rows, quick=options.quick))
    output.print(summary(rows))
    if options.page is not None:
        write_between_markers(options.page, markdown(rows, command(options)))
        messages.print(f"Wrote {options.page}.")
    return DONE
