"""``python -m benchmarks``: measures, prints the table, and writes the results as JSON."""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import machine
from benchmarks.cases import CASES
from benchmarks.children import CHECKOUT
from benchmarks.lab import Lab
from benchmarks.report import Results

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Tell = Callable[[str | None], None]

DONE, MISSED, INTERRUPTED = 0, 1, 130


def run(names: Sequence[str], *, quick: bool, tell: Tell, expect: Callable[[int], None]) -> Results:
    """Run the benchmarks with these names.

    Parameters
    ----------
    names
        Keys of :data:`benchmarks.cases.CASES`.
    quick
        Reduce all instances; no bar is checked then.
    tell
        Called with a sentence before, and with None after, every run.
    expect
        Called once with the number of runs to come.
    """
    start = time.perf_counter()
    results = Results(datetime.now(UTC).isoformat(timespec="seconds"), quick, machine.describe())
    lab = Lab(quick=quick, tell=tell)
    checks = [(name, check) for name in names for check in CASES[name].checks]
    plan = lab.plan(check.demands() for _, check in checks)
    subjects = dict.fromkeys(subject for demands in plan for _, subject in demands)
    num_runs = sum(subject.rounds for demands in plan for _, subject in demands)
    expect(len(subjects) + num_runs + sum(not check.demands() for _, check in checks))
    waiting = list(checks)
    results.rows = {name: [] for name in names}
    try:
        lab.warm_up(subjects)
        for demands in plan:
            lab.measure(demands)
        while waiting:
            name, check = waiting[0]
            results.rows[name].extend(check.rows(lab))
            waiting.pop(0)
    except KeyboardInterrupt:  # show what was measured before the interruption
        results.interrupted = True
        for name, check in waiting:
            if check.demands() and lab.has(check.demands()):
                results.rows[name].extend(check.rows(lab))
    results.timings = lab.timings
    results.seconds = time.perf_counter() - start
    return results


@contextmanager
def progress_bar(console: Console) -> Iterator[tuple[Tell, Callable[[int], None]]]:
    """A bar on the console that shows what is running and how much is left."""
    columns = (BarColumn(20), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=None)

        def tell(sentence: str | None) -> None:
            if sentence is None:
                progress.advance(task)
            else:
                progress.update(task, description=sentence)

        yield tell, lambda total: progress.update(task, total=total)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure topicweave against its floors; code 1 if a bar is missed.",
        epilog="example: python -m benchmarks gm growth --json build/gm.json",
    )
    parser.add_argument("names", nargs="*", metavar="name", help=f"what to measure (default: all): {', '.join(CASES)}")
    parser.add_argument("--quick", action="store_true", help="reduced sizes, to try the harness; nothing is judged")
    parser.add_argument(
        "--json", type=Path, default=CHECKOUT / "build" / "bench.json", help="default: build/bench.json"
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in CASES]
    if unknown:
        parser.error(f"There is no case {unknown[0]!r}; choose from {', '.join(CASES)}.")
    options.names = list(dict.fromkeys(options.names)) or list(CASES)
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmarks given on the command line; return the exit code."""
    options = parse(arguments)
    messages = Console(stderr=True)
    busy = machine.load()
    if busy is not None and busy > machine.QUIET and not options.quick:
        messages.print(f"The machine is busy (load {busy:.1f}); ratios of timings may be off. Run it alone.")
    with progress_bar(messages) as (tell, expect):
        results = run(options.names, quick=options.quick, tell=tell, expect=expect)
    # a file has no terminal width, so choose one that is wide enough for every column
    output = Console() if sys.stdout.isatty() else Console(width=180)
    output.print(results.table({name: case.title for name, case in CASES.items()}))
    results.save(options.json)
    judged = "nothing judged" if options.quick else f"{results.num_missed} bars missed"
    messages.print(f"{judged}; {results.seconds:.0f} s; details in {options.json}")
    if results.interrupted:
        return INTERRUPTED
    return MISSED if results.num_missed else DONE
