"""What people see while something runs: stages with their times, and a bar for the design. All on standard error."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from topicweave.pipeline.progress import Observer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topicweave.algorithms import Progress as DesignProgress


class Display(Observer):
    """Shows the stages of a run."""

    def __init__(self, console: Console, bars: Progress) -> None:
        self._console = console
        self._bars = bars
        self._task: TaskID | None = None

    def on_stage(self, name: str) -> None:
        self._task = self._bars.add_task(name, total=None, detail="")

    def on_stage_done(self, name: str, seconds: float, detail: str) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None
        self._console.print(f"[green]✓[/] {name:<18}[dim]{seconds:7.1f} s[/]  {detail}", highlight=False)

    def on_design(self, progress: DesignProgress) -> None:
        if self._task is None:
            return
        detail = f"{progress.phase}: support {progress.support:.1%}, {progress.links:,} links"
        if progress.level:
            detail += f", level {progress.level}"
        self._bars.update(self._task, total=1.0, completed=progress.support, detail=detail)


@contextmanager
def display(quiet: bool) -> Iterator[Observer]:
    """An observer that shows what is going on, or keeps quiet."""
    if quiet:
        yield Observer()
        return
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description:<16}"), BarColumn(24), TimeElapsedColumn())
    with Progress(*columns, TextColumn("{task.fields[detail]}"), console=console, transient=True) as bars:
        yield Display(console, bars)


def print_json(value: Any) -> None:
    """Print a result for programs."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))
