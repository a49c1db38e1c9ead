"""Reports what the pipeline is doing, and measures time."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topicweave.algorithms import Progress

# Stages whose results may be kept for the next run of the same job.
ENCODE, DESIGN = "clean and encode", "design"


class Observer:
    """Does nothing; override the methods for what you want to observe."""

    def on_stage(self, name: str) -> None:
        """A stage begins."""

    def on_stage_done(self, name: str, seconds: float, detail: str) -> None:
        """A stage has ended; ``detail`` describes its result in a few words."""

    def on_design(self, progress: Progress) -> None:
        """The algorithm has made progress."""


class Stages:
    """The stages of a run, one after the other, with the time each took."""

    def __init__(self, observer: Observer | None = None) -> None:
        self.observer = observer or Observer()
        self.seconds: dict[str, float] = {}
        self._detail = ""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Run a stage; using the same name again adds to its time."""
        self.observer.on_stage(name)
        self._detail = ""
        before = time.perf_counter()
        yield
        spent = time.perf_counter() - before
        self.seconds[name] = self.seconds.get(name, 0.0) + spent
        self.observer.on_stage_done(name, spent, self._detail)

    def say(self, detail: str) -> None:
        """Describe the result of the current stage in a few words."""
        self._detail = detail
