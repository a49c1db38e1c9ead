"""Progress while runs are executed: a bar with the remaining time, or a line every few seconds."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from experiments.runner import RunObserver
from topicweave.cli.display import SECONDS_BETWEEN_LINES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RECENT = 120.0
"""Seconds of work that the remaining time is estimated from: estimates of long and short runs err differently."""


class Bar(RunObserver):
    """Shows a bar, in which each run counts as much as its estimated work."""

    def __init__(self, progress: Progress, runs: Sequence[Any]) -> None:
        self.progress = progress
        self.task = progress.add_task("", total=sum(run.cost for run in runs))

    def on_begin(self, run: Any) -> None:
        self.progress.update(self.task, description=str(run.path.with_suffix("")))

    def on_done(self, run: Any, seconds: float) -> None:
        self.progress.advance(self.task, run.cost)


class Lines(Bar):
    """Shows progress in logs: no bar, but a line every few seconds."""

    def __init__(self, progress: Progress, runs: Sequence[Any]) -> None:
        super().__init__(progress, runs)
        self.count, self.total, self.spoken = 0, len(runs), time.monotonic()

    def on_done(self, run: Any, seconds: float) -> None:
        super().on_done(run, seconds)
        self.count += 1
        if time.monotonic() >= self.spoken + SECONDS_BETWEEN_LINES:
            self.spoken = time.monotonic()
            left = TimeRemainingColumn().render(self.progress.tasks[0])
            words = f"  {self.count:,} of {self.total:,} runs, {left} left; last {run.path}"
            self.progress.console.print(words, highlight=False, soft_wrap=True)


@contextmanager
def progress_bar(runs: Sequence[Any], silent: bool) -> Iterator[RunObserver]:
    """An observer that shows how many runs are done, in a form that suits the terminal."""
    console = Console(stderr=True)
    if silent:
        yield RunObserver()
        return
    can_draw = console.is_terminal and not console.is_dumb_terminal
    columns = (BarColumn(20), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("left"))
    with Progress(
        *columns,
        TextColumn("{task.description}"),
        console=console,
        speed_estimate_period=RECENT,
        disable=not can_draw,
    ) as progress:
        yield (Bar if can_draw else Lines)(progress, runs)
