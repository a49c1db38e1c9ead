"""Progress on standard error while a command runs: the stages with their times, and a bar for the design."""

from __future__ import annotations

import io
import json
import math
import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from topicweave.pipeline.plan.manifest import plain
from topicweave.pipeline.spark.progress import Observer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topicweave.algorithms import Progress as DesignProgress
    from topicweave.pipeline.plan.content_plan import ContentPlan
    from topicweave.pipeline.plan.plan import Plan

SECONDS_BETWEEN_LINES = 10.0


class Lines(Observer):
    """Progress as plain lines, for logs and pipes: one for each finished stage, and one every few seconds of a
    long one.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._mark = "✓" if console.encoding.startswith("utf") else "+"
        self._next = math.inf

    def on_stage(self, name: str) -> None:
        self._next = time.monotonic() + SECONDS_BETWEEN_LINES

    def on_stage_done(self, name: str, seconds: float, detail: str) -> None:
        line = f"[green]{self._mark}[/] {name:<18}[dim]{seconds:7.1f} s[/]  {escape(detail)}"
        self._console.print(line.rstrip(), highlight=False, soft_wrap=True)

    def on_design(self, progress: DesignProgress) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + SECONDS_BETWEEN_LINES
            self._console.print(f"  {_so_far(progress)}", highlight=False, soft_wrap=True)

    def on_count(self, done: int, of: int) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + SECONDS_BETWEEN_LINES
            self._console.print(f"  {done:,} of {of:,}", highlight=False, soft_wrap=True)


class Bars(Lines):
    """Progress for terminals: like Lines, with an animated line for the current stage."""

    def __init__(self, console: Console, bars: Progress) -> None:
        super().__init__(console)
        self._bars = bars
        self._task: TaskID | None = None

    def on_stage(self, name: str) -> None:
        self._task = self._bars.add_task(name, total=None, detail="")

    def on_stage_done(self, name: str, seconds: float, detail: str) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None
        super().on_stage_done(name, seconds, detail)

    def on_design(self, progress: DesignProgress) -> None:
        if self._task is not None:
            self._bars.update(self._task, total=1.0, completed=progress.support, detail=_so_far(progress))

    def on_count(self, done: int, of: int) -> None:
        if self._task is not None:
            self._bars.update(self._task, total=of, completed=done, detail=f"{done:,} of {of:,}")


@contextmanager
def display(quiet: bool) -> Iterator[Observer]:
    """The observer that shows progress; with ``quiet``, one that shows nothing."""
    if quiet:
        yield Observer()
        return
    with _own_stream() as stream:
        console = Console(file=stream)
        if not console.is_terminal or console.is_dumb_terminal:
            yield Lines(console)
            return
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description:<16}"),
            BarColumn(16),
            TimeElapsedColumn(),
            TextColumn("{task.fields[detail]}"),
        )
        with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bars:
            yield Bars(console, bars)


@contextmanager
def _own_stream() -> Iterator[TextIO]:
    """A copy of standard error, because starting Spark redirects the original for a moment."""
    try:
        number = os.dup(sys.stderr.fileno())
    except (OSError, io.UnsupportedOperation):  # standard error is not a real file, for example in tests
        yield sys.stderr
        return
    with open(number, "w", encoding=sys.stderr.encoding, errors="backslashreplace") as stream:
        yield stream


def _so_far(progress: DesignProgress) -> str:
    if not progress.links and not progress.support:  # when a lower bound is computed, there are no links to report
        return progress.phase
    text = f"{progress.phase}: support {progress.support:.1%}, {progress.links:,} links"
    return text + (f", level {progress.level}" if progress.level else "")


def show_plan(plan: Plan | ContentPlan, as_json: bool) -> None:
    """Print a finished plan, as JSON or as text."""
    if as_json:
        print_json(plan.manifest)
        return
    click.echo(plan.summary())
    if plan.folder is not None:
        click.echo(f"  report          {plan.folder / 'report.html'}")


def print_json(value: Any) -> None:
    """Print a result as standard JSON, also if the terminal cannot show UTF-8."""
    only_ascii = not (sys.stdout.encoding or "").lower().startswith("utf")
    click.echo(json.dumps(plain(value), indent=2, ensure_ascii=only_ascii, allow_nan=False))
