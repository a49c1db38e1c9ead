"""The lab: times subjects on instances, once each, and remembers."""

from __future__ import annotations

import gc
import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from numba.core import event

from benchmarks.instances import WARM_UP, Instance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from benchmarks.subjects import Subject

    Demand = tuple[Instance, Subject]

PATIENCE = 3  # a subject that still compiles after so many spoilt rounds compiles always


@dataclass
class Timing:
    """All runs of one subject on one instance."""

    seconds: list[float] = field(default_factory=list)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


class Lab:
    """Measures what the checks demand.

    Parameters
    ----------
    quick
        Replace every instance by its reduced form.
    tell
        Called with a sentence before, and with None after, every single run.
    """

    def __init__(self, *, quick: bool, tell: Callable[[str | None], None]) -> None:
        self.quick = quick
        self.tell = tell
        self.timings: dict[tuple[Instance, Subject], Timing] = {}

    def instance(self, declared: Instance) -> Instance:
        """The instance that stands for a declared one in this run."""
        return declared.reduced() if self.quick else declared

    def has(self, demands: Iterable[Demand]) -> bool:
        """Whether all of these have been measured."""
        return all((self.instance(instance), subject) in self.timings for instance, subject in demands)

    def __getitem__(self, demand: Demand) -> Timing:
        instance, subject = demand
        return self.timings[self.instance(instance), subject]

    def plan(self, demands: Iterable[Demand]) -> dict[Instance, list[Subject]]:
        """What to measure, each once, instance by instance in the order first demanded."""
        plan: dict[Instance, dict[Subject, Subject]] = {}
        for declared, subject in demands:
            subjects = plan.setdefault(self.instance(declared), {})
            known = subjects.get(subject)
            if known is None or known.rounds < subject.rounds:
                subjects[subject] = subject
        return {instance: list(subjects.values()) for instance, subjects in plan.items()}

    def warm_up(self, subjects: Iterable[Subject]) -> None:
        """Run every subject on a small instance, so that all is compiled and loaded."""
        interest = WARM_UP.generate()
        for subject in subjects:
            self.tell(f"{subject.name}: compiling or loading")
            subject.prepare(WARM_UP, interest)()
            self.tell(None)

    def measure(self, instance: Instance, subjects: Sequence[Subject]) -> None:
        """Time the subjects in turns: whatever disturbs the machine for a while then disturbs them alike."""
        interest = instance.generate()
        calls = {subject: subject.prepare(instance, interest) for subject in subjects}
        timings = {subject: Timing() for subject in subjects}
        for turn in range(max((subject.rounds for subject in subjects), default=0)):
            for subject in subjects:
                if turn < subject.rounds:
                    self.tell(f"{subject.name} on {instance.name}")
                    seconds, outcome, spoilt = _timed(calls[subject])
                    timings[subject].seconds.append(seconds)
                    timings[subject].facts = {**subject.facts(outcome), **({"compiles_always": True} if spoilt else {})}
                    self.tell(None)
        self.timings.update({(instance, subject): timing for subject, timing in timings.items()})


def _timed(call: Callable[[], Any]) -> tuple[float, Any, bool]:
    """Time one call; a run in which something was compiled does not count and is repeated, if that helps."""
    for _ in range(PATIENCE):
        gc.collect()
        with event.install_recorder("numba:compile") as compilations:
            start = time.perf_counter()
            outcome = call()
            seconds = time.perf_counter() - start
        if not compilations.buffer:
            return seconds, outcome, False
    return seconds, outcome, True
