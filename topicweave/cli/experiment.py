"""``topicweave experiment``: the papers' figures and claims, measured again on Spark (in a checkout)."""

from __future__ import annotations

import sys
from collections import deque
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from topicweave.cli.options import DEBUG_OPTION, SESSION_OPTIONS, with_options
from topicweave.errors import ParameterError, SetupError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from topicweave.pipeline.experiments import RunObserver

CHECKOUT = Path(__file__).resolve().parents[2]
DATA = CHECKOUT.parent / "shared" / "data"
RECENT = 120.0
"""Seconds of work that the time left is judged by."""
TINY = 1e-9


def module(name: str) -> Any:
    """A module of the checkout's experiments, which are no part of the installed package."""
    if not (CHECKOUT / "experiments" / "table.py").exists():
        raise SetupError(
            "The experiments are not part of the installed package; run this in a checkout of the project."
        )
    if str(CHECKOUT) not in sys.path:
        sys.path.insert(0, str(CHECKOUT))
    return import_module(f"experiments.{name}")


def results_folder(out: str | None, quick: bool) -> Path:
    """Where results are kept unless the user says otherwise."""
    return Path(out) if out else CHECKOUT / "build" / ("experiments-quick" if quick else "experiments")


def chosen_experiments(names: tuple[str, ...]) -> tuple[Any, ...]:
    """The experiments that were named."""
    try:
        found: tuple[Any, ...] = module("wanted").chosen(names)
    except KeyError as error:
        known = ", ".join(module("table").NAMES)
        raise ParameterError(
            f"There is no experiment {error.args[0]!r}; name a paper, a claim, or one of {known}."
        ) from None
    return found


OUT_OPTION = click.option("--out", metavar="DIR", help="Folder of the results; build/experiments by default.")
QUICK_OPTION = click.option("--quick", is_flag=True, help="Reduced sizes, to try every path; figures mean nothing.")
SEEDS_OPTION = click.option(
    "--seeds", type=click.IntRange(min=1), metavar="N", help="Seeds 0 … N-1 for every experiment; else each its own."
)


@click.group(epilog="\b\nExample:\n  topicweave experiment run gm-2 low && topicweave experiment report")
def experiment() -> None:
    """Measure again what the papers say, and make the page of claims (needs a checkout)."""


@experiment.command("list")
@DEBUG_OPTION
def list_() -> None:
    """Show the experiments with their claims and numbers of runs."""
    for found in chosen_experiments(()):
        ids = ", ".join(dict.fromkeys(claim.id for claim in found.claims))
        click.echo(f"{found.name:<10} {len(list(found.runs())):>5} runs  {ids:<28} {found.title}")


@experiment.command(epilog="\b\nExamples:\n  topicweave experiment run\n  topicweave experiment run LOW-5 --seeds 40")
@click.argument("names", nargs=-1)
@QUICK_OPTION
@SEEDS_OPTION
@OUT_OPTION
@click.option("--data", metavar="DIR", help="Folder of the social graphs; ../shared/data of the checkout by default.")
@with_options(SESSION_OPTIONS)
def run(names: tuple[str, ...], **given: Any) -> None:
    """Run what is missing of the experiments named (all without names): every run one Spark task, its result a file.

    NAMES are experiments (gm-2), papers (gm) or claims (GM-4b). Killed or interrupted, the same command goes on where
    it was. Exit code 0: all runs are there.
    """
    from topicweave.cli.display import display, print_json
    from topicweave.cli.starting import start_spark
    from topicweave.pipeline import Stages
    from topicweave.pipeline.experiments import perform_all

    experiments = chosen_experiments(names)
    wanted, results = module("wanted"), module("results")
    folder, data = results_folder(given["out"], given["quick"]), Path(given["data"]) if given["data"] else DATA
    all_runs = wanted.runs_of(experiments, num_seeds=given["seeds"], quick=given["quick"])
    absent = wanted.missing_files(all_runs, data)
    runs = [one for one in all_runs if not absent.intersection(one.subject.files)]
    for name in sorted(absent):
        skipped = sum(name in one.subject.files for one in all_runs)
        click.echo(f"Skipped {skipped} runs: {name} is not in {data} (give its folder with --data).", err=True)
    missing = [one for one in runs if results.load(folder, one) is None]
    silent = given["quiet"] or given["as_json"]
    if missing:
        with display(silent) as observer:
            spark = start_spark(Stages(observer), given)
        with progress_bar(missing, silent) as watched:
            perform_all(
                spark,
                missing,
                lambda one, result: results.save(folder, one, result),
                package=CHECKOUT / "experiments",
                files=[data / name for name in sorted({name for one in missing for name in one.subject.files})],
                observer=watched,
            )
    summary = {"runs": len(runs), "run now": len(missing), "skipped": len(all_runs) - len(runs), "folder": str(folder)}
    if given["as_json"]:
        print_json(summary)
    else:
        click.echo(f"{len(runs):,} runs are in {folder}, {len(missing):,} of them run now.")


@experiment.command(epilog="\b\nExample:\n  topicweave experiment report --docs build/claims")
@click.argument("names", nargs=-1)
@QUICK_OPTION
@SEEDS_OPTION
@OUT_OPTION
@click.option("--docs", metavar="DIR", help="Folder of the page; the checkout's docs by default.")
@DEBUG_OPTION
def report(names: tuple[str, ...], **given: Any) -> None:
    """Draw the figures and write the page of claims, as HTML and Markdown, from the results that are there."""
    experiments = chosen_experiments(names)
    if given["docs"] is None and (given["quick"] or names):
        raise ParameterError("Only a full report of everything belongs into the docs; give another folder with --docs.")
    docs = Path(given["docs"]) if given["docs"] else CHECKOUT / "docs"
    made = module("report.write").write_report(
        experiments,
        results_folder(given["out"], given["quick"]),
        docs,
        num_seeds=given["seeds"],
        quick=given["quick"],
    )
    click.echo(made.summary)
    for file in made.pages:
        click.echo(f"  {file}")


@contextmanager
def progress_bar(runs: list[Any], silent: bool) -> Iterator[RunObserver]:
    """A bar with the time left; a run counts as much as the work it is guessed to be."""
    from rich.console import Console

    from topicweave.pipeline.experiments import RunObserver

    console = Console(stderr=True)
    if silent:
        yield RunObserver()
    elif console.is_terminal and not console.is_dumb_terminal:
        with _bar(runs, console) as observer:
            yield observer
    else:
        yield _lines(runs, console)


@contextmanager
def _bar(runs: list[Any], console: Console) -> Iterator[RunObserver]:
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from topicweave.pipeline.experiments import RunObserver

    columns = (BarColumn(20), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(
        *columns, TextColumn("{task.description}"), console=console, speed_estimate_period=RECENT
    ) as progress:
        task = progress.add_task("", total=sum(one.cost for one in runs))

        class Bar(RunObserver):
            def on_begin(self, run: Any) -> None:
                progress.update(task, description=str(run.path.with_suffix("")))

            def on_done(self, run: Any, seconds: float) -> None:
                progress.advance(task, run.cost)

        yield Bar()


def _lines(runs: list[Any], console: Console) -> RunObserver:
    """For logs: a line every few seconds."""
    import time

    from topicweave.cli.display import SECONDS_BETWEEN_LINES
    from topicweave.pipeline.experiments import RunObserver

    begun = time.monotonic()
    pace = Pace(sum(one.cost for one in runs), begun)

    class Lines(RunObserver):
        count, spoken = 0, begun

        def on_done(self, run: Any, seconds: float) -> None:
            self.count += 1
            now = time.monotonic()
            left = pace.after(run.cost, now)
            if now >= self.spoken + SECONDS_BETWEEN_LINES:
                self.spoken = now
                words = f"  {self.count:,} of {len(runs):,} runs, about {left / 60:.1f} minutes left; last {run.path}"
                console.print(words, highlight=False, soft_wrap=True)

    return Lines()


class Pace:
    """The time left, from the pace of the last minutes: guesses at long runs and at short ones err differently."""

    def __init__(self, total: float, now: float) -> None:
        self._left = total
        self._marks = deque([(now, total)])  # when so much was left

    def after(self, cost: float, now: float) -> float:
        """Seconds left after a run of this cost has ended."""
        self._left = max(0.0, self._left - cost)
        self._marks.append((now, self._left))
        while len(self._marks) > 2 and self._marks[1][0] <= now - RECENT:
            self._marks.popleft()
        then, before = self._marks[0]
        return (now - then) * self._left / max(before - self._left, TINY)
