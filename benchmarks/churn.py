"""Churn: the cost of an event relative to a new design at the same moment, and the quality of the overlay
afterwards.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from benchmarks.checks import Row, at_least, at_most
from benchmarks.instances import Instance
from benchmarks.published_gm import published_gm
from topicweave.churn import Event, Naive, Shadow, replay
from topicweave.workloads import random_churn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.lab import Demand, Lab
    from topicweave.churn import Maintainer, Replay
    from topicweave.model import Interest, Overlay

PAPER = Instance(2_000, 200, "uniform", (10, 90))
LARGE = Instance(10_000, 1_000, "uniform", (20, 600))
# number of events between two designs from scratch: quality changes slowly, and a design costs as much as dozens of
# events
BETWEEN_REBUILDS = 20


def trace(instance: Instance, num_events: int) -> tuple[Interest, Overlay, list[Event]]:
    """The trace of the paper: every event is a join or a leave, and newcomers have the same distribution of topics."""
    interest = instance.generate()
    newcomers = replace(instance, num_nodes=max(num_events, 10), seed=instance.seed + 1).generate()
    events = [Event.from_record(row) for row in random_churn(interest, newcomers, num_events, seed=instance.seed)]
    return interest, tw.design(interest, "low", k=3).overlay, events


def warm_up() -> None:
    """Compile everything before times are measured."""
    interest, overlay, events = trace(Instance(300, 100, "uniform", (5, 40)), 40)
    for maintainer in (Naive(interest, overlay), Shadow(interest, overlay), Shadow(interest, overlay, trim=True)):
        replay(maintainer, events)
        maintainer.reoptimise(10)


@dataclass
class Compared:
    """A replayed trace, the seconds of new designs at some of its events, and by how much the average and the maximum
    degree exceed those of the new designs, on average.
    """

    replay: Replay
    static_seconds: list[float]
    more_average: float
    more_maximum: float


def compared(maintainer: Maintainer, events: Sequence[Event]) -> Compared:
    """Replay the events; after every few events, also make a new design."""
    seconds: list[float] = []
    average: list[float] = []
    maximum: list[int] = []

    def each(event: Event, _: object) -> None:
        if event.sequence % BETWEEN_REBUILDS:
            return
        interest = maintainer.interest
        before = time.perf_counter()
        static = tw.design(interest, "low", k=3).overlay
        seconds.append(time.perf_counter() - before)
        average.append(maintainer.average_degree - static.average_degree)
        maximum.append(maintainer.maximum_degree - static.maximum_degree)

    found = replay(maintainer, events, each)
    return Compared(found, seconds, statistics.fmean(average), statistics.fmean(maximum))


def of(found: Replay, action: str, values: np.ndarray) -> float:
    """The median of ``values``, which has one value per event, over the events with this action."""
    return float(np.median(values[found.where(action)]))


@dataclass(frozen=True)
class Repairs:
    """The time of repairs and the quality of the overlay, on the instance of the paper."""

    num_events: int = 1000

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        instance = lab.instance(PAPER)
        interest, overlay, events = trace(instance, 60 if lab.quick else self.num_events)
        lab.tell(f"churn on {instance.name}")
        warm_up()
        shadow = compared(Shadow(interest, overlay), events)
        trimmed = compared(Shadow(interest, overlay, trim=True), events)
        naive = replay(Naive(interest, overlay), events[: max(20, len(events) // 10)])
        before = time.perf_counter()
        published_gm(interest)
        published = time.perf_counter() - before
        lab.tell(None)
        static = statistics.median(shadow.static_seconds)
        found = shadow.replay
        for action, share in (("join", 0.5), ("leave", 5.0)):
            repair = of(found, action, found.repair_seconds)
            detail = f"{1e3 * repair:.3f} ms / {1e3 * static:.1f} ms"
            yield Row(
                f"shadow {action} repair / low(3): {instance.name}", 100 * repair / static, "%", at_most(share), detail
            )
            detail = (
                f"{1e3 * repair:.3f} ms / {1e3 * published:.0f} ms of published gm, which is faster than published low"
            )
            yield Row(
                f"shadow {action} repair / published: {instance.name}", 100 * repair / published, "%", None, detail
            )
        leaves = of(naive, "leave", naive.repair_seconds), of(found, "leave", found.repair_seconds)
        yield Row(
            f"naive leave / shadow leave: {instance.name}", leaves[0] / leaves[1], bar=at_least(5),
            detail=f"{1e3 * leaves[0]:.2f} ms / {1e3 * leaves[1]:.2f} ms",
        )  # fmt: skip
        yield Row("maximum degree above low(3), mean", shadow.more_maximum, "", at_most(5.5))
        yield Row("average degree above low(3), mean", shadow.more_average, "", at_most(0.8))
        yield Row("average degree above low(3), mean, trim", trimmed.more_average, "", at_most(0.4))
        for action, most in (("join", 5.0), ("leave", 12.5)):
            mean = float(found.changed[found.where(action)].mean())
            yield Row(
                f"links changed by a {action}, mean", mean, "", at_most(most),
                f"median {of(found, action, found.changed):g}; with trim, mean "
                f"{trimmed.replay.changed[found.where(action)].mean():.2f}",
            )  # fmt: skip


@dataclass(frozen=True)
class Throughput:
    """Events per second, with everything included."""

    instance: Instance
    num_events: int
    least: float

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        instance = lab.instance(self.instance)
        lab.tell(f"churn throughput on {instance.name}")
        warm_up()
        interest, overlay, events = trace(instance, 60 if lab.quick else self.num_events)
        found = replay(Shadow(interest, overlay), events)
        lab.tell(None)
        detail = ", ".join(f"{action} {1e3 * of(found, action, found.seconds):.2f} ms" for action in ("join", "leave"))
        yield Row(
            f"shadow, events replayed: {instance.name}", len(events) / found.total_seconds, "events/s",
            at_least(self.least), f"medians: {detail}",
        )  # fmt: skip


@dataclass(frozen=True)
class VisitedLinks:
    """How many links the search for disconnected topics looks at after a leave, for overlays of growing size."""

    sizes: tuple[int, ...] = (1_000, 2_000, 5_000, 10_000, 20_000)
    base: int = 2_000
    num_events: int = 200

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        visited = {}
        for num_nodes in self.sizes:
            instance = lab.instance(replace(PAPER, num_nodes=num_nodes))
            lab.tell(f"visited links on {instance.name}")
            interest, overlay, events = trace(instance, 60 if lab.quick else self.num_events)
            found = replay(Shadow(interest, overlay), events)
            left = found.visited_links[found.where("leave")]
            visited[num_nodes] = float(np.median(left)), float(left.mean()), overlay.num_edges
            lab.tell(None)
        for place, kind in enumerate(("median", "mean")):
            for num_nodes, figures in visited.items():
                yield Row(
                    f"links visited by a leave, {kind}, {num_nodes:,} nodes against {self.base:,}",
                    figures[place] / visited[self.base][place],
                    bar=at_most(4) if num_nodes == max(self.sizes) else None,
                    detail=f"{figures[place]:,.0f} visits, {figures[2]:,} links",
                )  # fmt: skip


@dataclass(frozen=True)
class LongRun:
    """The effects of levelling, trim and reoptimise over many events."""

    num_events: int = 10_000
    every: int = 500
    budget: int = 250

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        instance = lab.instance(PAPER)
        interest, overlay, events = trace(instance, 100 if lab.quick else self.num_events)
        several: dict[str, dict[str, Any]] = {
            "plain": {}, "levelling": {"levelling": 2}, "trim": {"trim": True}, "reoptimise": {}
        }  # fmt: skip
        for name, options in several.items():
            lab.tell(f"{len(events):,} events, {name}")
            maintainer = Shadow(interest, overlay, **options)
            reoptimises = name == "reoptimise"
            spent = 0

            def each(event: Event, _: object, maintainer: Shadow = maintainer, active: bool = reoptimises) -> None:
                nonlocal spent
                if active and event.sequence % self.every == 0:
                    spent += maintainer.reoptimise(self.budget).num_changed

            before = time.process_time()
            found = replay(maintainer, events, each)
            seconds = time.process_time() - before
            static = tw.design(maintainer.interest, "low", k=3).overlay
            lab.tell(None)
            if name == "levelling":
                yield from _bars(maintainer, static, found, len(events) / seconds)
            extra = f" and {spent:,} by reoptimise({self.budget}) every {self.every} events" if reoptimises else ""
            yield Row(
                f"average degree after {len(events):,} events, {name}", maintainer.average_degree, "", None,
                f"static {static.average_degree:.2f}; maximum {maintainer.maximum_degree} (static "
                f"{static.maximum_degree}); {found.changed.sum():,} links changed{extra}; "
                f"{len(events) / found.total_seconds:,.0f} events/s, {len(events) / seconds:,.0f} per processor second",
            )  # fmt: skip


def _bars(maintainer: Maintainer, static: Overlay, found: Replay, rate: float) -> Iterator[Row]:
    """The limits that an overlay with levelling must meet."""
    ratio, more = maintainer.maximum_degree / static.maximum_degree, maintainer.average_degree - static.average_degree
    yield Row("maximum degree with levelling / new design", ratio, "", at_most(1.5))
    yield Row("average degree with levelling above new design", more, "", at_most(0.5))
    yield Row("links changed by an event with levelling, mean", float(found.changed.mean()), "", at_most(15))
    yield Row("events with levelling, per second of two processors", 2 * rate, "events/s", at_least(400))


CHECKS = (Repairs(), Throughput(PAPER, 1000, 500), Throughput(LARGE, 200, 50), VisitedLinks(), LongRun())
