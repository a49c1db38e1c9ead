"""The lab: measures the time of each subject on each instance once, and remembers it."""

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

PATIENCE = 3  # after this many repetitions that still compiled something, assume that every run does
LEAST_SECONDS = 0.25  # shortest time of a round, unless instances are reduced


@dataclass
class Timing:
    """All measured times of one subject on one instance."""

    seconds: list[float] = field(default_factory=list)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def against(self, other: Timing) -> float:
        """How many times as long this took as the other: the median over alternating runs.

        In a turn both are timed soon after each other, so that a slowdown of the machine for some seconds affects both
        and does not show in their ratio; a ratio of medians would not have this property, because the medians may come
        from different turns.
        """
        if len(self.seconds) != len(other.seconds):
            return self.median / other.median
        return statistics.median(one / two for one, two in zip(self.seconds, other.seconds, strict=True))


class Lab:
    """Measures what the checks ask for.

    Parameters
    ----------
    quick
        Replace every instance by its reduced form.
    tell
        Called with a sentence before, and with None after, every run.
    """

    def __init__(self, *, quick: bool, tell: Callable[[str | None], None]) -> None:
        self.quick = quick
        self.tell = tell
        self.least_seconds = 0.0 if quick else LEAST_SECONDS
        self.timings: dict[tuple[Instance, Subject], Timing] = {}

    def instance(self, declared: Instance) -> Instance:
        """The instance to use instead of the declared one, which is reduced in quick runs."""
        return declared.reduced() if self.quick else declared

    def has(self, demands: Iterable[Demand]) -> bool:
        """Whether all of these have been measured."""
        return all((self.instance(instance), subject) in self.timings for instance, subject in demands)

    def __getitem__(self, demand: Demand) -> Timing:
        instance, subject = demand
        return self.timings[self.instance(instance), subject]

    def plan(self, compared: Iterable[Sequence[Demand]]) -> list[list[Demand]]:
        """What to measure, in groups whose members run alternately; each is measured once, with the most rounds that
        any check asks for.

        compared: what each check compares. Checks that share an instance share a group.
        """
        groups: list[dict[Demand, Subject]] = []
        for demands in filter(None, compared):
            asked = {(self.instance(declared), subject): subject for declared, subject in demands}
            instances = {instance for instance, _ in asked}
            shared = [group for group in groups if any(instance in instances for instance, _ in group)]
            joined: dict[Demand, Subject] = {}
            for demand, subject in (item for group in (*shared, asked) for item in group.items()):
                if demand not in joined or joined[demand].rounds < subject.rounds:
                    joined[demand] = subject
            groups = [*(group for group in groups if group not in shared), joined]
        return [[(instance, subject) for (instance, _), subject in group.items()] for group in groups]

    def warm_up(self, subjects: Iterable[Subject]) -> None:
        """Run every subject on a small instance, so that all code is compiled and loaded."""
        interest = WARM_UP.generate()
        for subject in subjects:
            self.tell(f"{subject.name}: compiling or loading")
            subject.prepare(WARM_UP, interest)()
            self.tell(None)

    def measure(self, demands: Sequence[Demand]) -> None:
        """Measure in alternating runs, so that a temporary disturbance affects all subjects alike."""
        interests = {instance: instance.generate() for instance in dict.fromkeys(instance for instance, _ in demands)}
        calls = {(instance, subject): subject.prepare(instance, interests[instance]) for instance, subject in demands}
        timings = {demand: Timing() for demand in demands}
        for turn in range(max((subject.rounds for _, subject in demands), default=0)):
            for instance, subject in demands:
                if turn < subject.rounds:
                    self.tell(f"{subject.name} on {instance.name}")
                    seconds, outcome, spoilt = _timed(calls[instance, subject], self.least_seconds)
                    timing = timings[instance, subject]
                    timing.seconds.append(seconds)
                    timing.facts = {**subject.facts(outcome), **({"compiles_always": True} if spoilt else {})}
                    self.tell(None)
        self.timings.update(timings)


def _timed(call: Callable[[], Any], least_seconds: float) -> tuple[float, Any, bool]:
    """Measure the time of a call; runs during which code was compiled do not count and are repeated, up to a limit.

    A short call is repeated until some time has passed, and the mean is taken, as timeit does: a disturbance of some
    milliseconds then has the same share of short calls and long ones.
    """
    for _ in range(PATIENCE):
        gc.collect()
        with event.install_recorder("numba:compile") as compilations:
            calls = 0
            start = time.perf_counter()
            while True:
                outcome = call()
                calls += 1
                seconds = time.perf_counter() - start
                if seconds >= least_seconds or compilations.buffer:
                    break
        if not compilations.buffer:
            return seconds / calls, outcome, False
    return seconds / calls, outcome, True
