"""Tells observers which stage the pipeline is in, and measures how long each takes."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topicweave.algorithms import Progress

# The stages whose results may be stored for the next run of the same job.
ENCODE, DESIGN = "clean and encode", "design"


class Observer:
    """An observer that does nothing; override the methods for what you want to know."""

    def on_stage(self, name: str) -> None:
        """A stage begins."""

    def on_stage_done(self, name: str, seconds: float, detail: str) -> None:
        """A stage has ended; ``detail`` is a short description of its result."""

    def on_design(self, progress: Progress) -> None:
        """The algorithm has made progress; called from time to time during a design."""

    def on_count(self, done: int, of: int) -> None:
        """The current stage has finished ``done`` of its ``of`` parts."""


class Stages:
    """The stages of a run, one after the other, with the time that each took."""

    def __init__(self, observer: Observer | None = None) -> None:
        self.observer = observer or Observer()
        self.seconds: dict[str, float] = {}
        self._detail = ""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Run a stage; if the name was used before, the time is added to that stage."""
        self.observer.on_stage(name)
        self._detail = ""
        before = time.perf_counter()
        yield
        spent = time.perf_counter() - before
        self.seconds[name] = self.seconds.get(name, 0.0) + spent
        self.observer.on_stage_done(name, spent, self._detail)

    def say(self, detail: str) -> None:
        """Set a short description of the current stage's result."""
        self._detail = detail
