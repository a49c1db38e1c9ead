"""Subjects: calls whose time is measured. Each prepares its data first, which does not count."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import topicweave as tw
from benchmarks import floor
from benchmarks.published_gm import published_gm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks.instances import Instance
    from topicweave.model import Interest

ROUNDS = 3


class Subject(Protocol):
    """A call that can be timed on an instance; hashable, so that nothing is measured twice."""

    @property
    def name(self) -> str: ...

    @property
    def rounds(self) -> int: ...

    def prepare(self, instance: Instance, interest: Interest) -> Callable[[], Any]:
        """Do the preparation, which is not timed, and return the call that is."""
        ...

    def facts(self, outcome: Any) -> Mapping[str, Any]:
        """Facts about the result that are recorded with its time."""
        ...


@dataclass(frozen=True)
class Designing:
    """A design by the package's function design()."""

    algorithm: str
    parameters: tuple[tuple[str, float], ...] = ()
    ties: str = "balanced"
    candidates: str = "all"
    rounds: int = field(default=ROUNDS, compare=False)

    @property
    def name(self) -> str:
        settings = "".join(f"({value:g})" for _, value in self.parameters)
        near = "" if self.candidates == "all" else f" {self.candidates}"
        return f"{self.algorithm}{settings}" + ("" if self.ties == "balanced" else f" {self.ties}") + near

    def prepare(self, instance: Instance, interest: Interest) -> Callable[[], Any]:
        options: dict[str, Any] = {"ties": self.ties, "candidates": self.candidates, "seed": 0, **dict(self.parameters)}
        return lambda: tw.design(interest, self.algorithm, **options)

    def facts(self, outcome: Any) -> Mapping[str, Any]:
        return {
            "links": outcome.overlay.num_edges,
            "maximum_degree": outcome.overlay.maximum_degree,
            "support": outcome.support,
        }


@dataclass(frozen=True)
class Floor:
    """One counting pass over all pairs; see :mod:`benchmarks.floor`."""

    layout: str = "rows"
    rounds: int = field(default=ROUNDS, compare=False)

    @property
    def name(self) -> str:
        return "floor" if self.layout == "rows" else f"floor by {self.layout}"

    def prepare(self, instance: Instance, interest: Interest) -> Callable[[], Any]:
        words = floor.prepare(interest, self.layout)
        return lambda: floor.count(words, self.layout)

    def facts(self, outcome: Any) -> Mapping[str, Any]:
        return {"common_topics_sum": int(outcome.sum()), "common_topics_largest": int(outcome.max(initial=0))}


@dataclass(frozen=True)
class Published:
    """GM with the data structures of its publication; it takes so long that one run is enough."""

    rounds: int = field(default=1, compare=False)

    @property
    def name(self) -> str:
        return "published gm"

    def prepare(self, instance: Instance, interest: Interest) -> Callable[[], Any]:
        return lambda: published_gm(interest)

    def facts(self, outcome: Any) -> Mapping[str, Any]:
        return {"links": len(outcome.edges), "moves": outcome.moves}


@dataclass(frozen=True)
class Generation:
    """The generation of a random workload."""

    rounds: int = field(default=ROUNDS, compare=False)

    @property
    def name(self) -> str:
        return "generation"

    def prepare(self, instance: Instance, interest: Interest) -> Callable[[], Any]:
        return instance.generate

    def facts(self, outcome: Any) -> Mapping[str, Any]:
        return {"subscriptions": outcome.num_subscriptions}
