"""Checks: values computed from timings, and the limit (bar) that each of them has to meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from benchmarks.floor import num_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.instances import Instance
    from benchmarks.lab import Demand, Lab
    from benchmarks.subjects import Floor, Subject


@dataclass(frozen=True)
class Bar:
    """The limit that a value must meet: an upper limit (``most``) or a lower one (``least``)."""

    limit: float
    most: bool = True

    def holds(self, value: float) -> bool:
        return value <= self.limit if self.most else value >= self.limit

    def __str__(self) -> str:
        return f"{'≤' if self.most else '≥'} {self.limit:g}"


def at_most(limit: float) -> Bar:
    """A limit that the value must not exceed."""
    return Bar(limit)


def at_least(limit: float) -> Bar:
    """A limit that the value must reach."""
    return Bar(limit, most=False)


@dataclass(frozen=True)
class Row:
    """A line of the result table; without a limit it is only for information."""

    what: str
    value: float
    unit: str = "×"
    bar: Bar | None = None
    detail: str = ""

    @property
    def passed(self) -> bool | None:
        return None if self.bar is None else self.bar.holds(self.value)


class Check(Protocol):
    """A check: says what must be measured, and turns the measurements into table rows."""

    def demands(self) -> Sequence[Demand]: ...

    def rows(self, lab: Lab) -> Iterator[Row]: ...


@dataclass(frozen=True)
class Ratio:
    """How many times as long one subject takes as another for the same instance."""

    instance: Instance
    slow: Subject
    fast: Subject
    bar: Bar | None = None

    def demands(self) -> Sequence[Demand]:
        return [(self.instance, self.slow), (self.instance, self.fast)]

    def rows(self, lab: Lab) -> Iterator[Row]:
        slow, fast = lab[self.instance, self.slow], lab[self.instance, self.fast]
        detail = f"{slow.median:.3f} s / {fast.median:.3f} s"
        if "links" in slow.facts and "links" in fast.facts:
            detail += f"; links {slow.facts['links']:,} / {fast.facts['links']:,}"
        what = f"{self.slow.name} / {self.fast.name}: {lab.instance(self.instance).name}"
        yield Row(what, slow.against(fast), bar=self.bar, detail=detail)


@dataclass(frozen=True)
class Rate:
    """How many words (of 64 topics each) per second a counting pass over all pairs of nodes processes."""

    instance: Instance
    floor: Floor
    bar: Bar | None = None

    def demands(self) -> Sequence[Demand]:
        return [(self.instance, self.floor)]

    def rows(self, lab: Lab) -> Iterator[Row]:
        instance, timing = lab.instance(self.instance), lab[self.instance, self.floor]
        rate = num_words(instance.num_nodes, instance.num_topics) / timing.median / 1e9
        what = f"{self.floor.name}: {instance.name}"
        yield Row(what, rate, unit="10⁹ words/s", bar=self.bar, detail=f"{timing.median:.4f} s a pass")


@dataclass(frozen=True)
class Growth:
    """The time per pair for several sizes, divided by the time per pair for the base size."""

    instances: tuple[Instance, ...]
    base: Instance
    subject: Subject
    bar: Bar

    def demands(self) -> Sequence[Demand]:
        return [(instance, self.subject) for instance in (self.base, *self.instances)]

    def rows(self, lab: Lab) -> Iterator[Row]:
        base = lab[self.base, self.subject]
        what = f"{self.subject.name}, time per pair against {lab.instance(self.base).num_nodes:,} nodes"
        for declared in (self.base, *self.instances):
            instance, timing = lab.instance(declared), lab[declared, self.subject]
            each = timing.median / instance.num_pairs
            fewer_pairs = lab.instance(self.base).num_pairs / instance.num_pairs
            yield Row(
                f"{what}: {instance.name}",
                timing.against(base) * fewer_pairs,
                bar=None if declared == self.base else self.bar,
                detail=f"{timing.median:.3f} s, {each * 1e9:.2f} ns a pair",
            )
