"""Near candidates compared with all pairs: how many more links a design needs, and how much time it takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import topicweave as tw
from benchmarks.checks import Bar, Row, at_most
from benchmarks.minhash import MinHashSearch
from benchmarks.subjects import Designing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.instances import Instance
    from benchmarks.lab import Demand, Lab
    from benchmarks.subjects import Subject
    from topicweave.model import Interest

ALL, NEAR = Designing("gm"), Designing("gm", candidates="near")
LINKS_BAR = at_most(1.01)


@dataclass(frozen=True)
class NearBy:
    """GM with near candidates found by MinHash instead of our own search."""

    bands: int
    topics: int
    rounds: int = field(default=1, compare=False)

    @property
    def name(self) -> str:
        return f"gm near by MinHash, {self.bands} bands of {self.topics}"

    def prepare(self, instance: Instance, interest: Interest) -> Callable[[], Any]:
        return lambda: tw.design(
            interest, "gm", candidates="near", seed=0, search=MinHashSearch(bands=self.bands, topics=self.topics)
        )

    def facts(self, outcome: Any) -> Mapping[str, Any]:
        return {"links": outcome.overlay.num_edges}


@dataclass(frozen=True)
class NearQuality:
    """The links and the time of a design with near candidates, divided by those of a design over all pairs."""

    instance: Instance
    time_bar: Bar | None = None
    links_bar: Bar | None = LINKS_BAR
    algorithm: str = "gm"

    @property
    def subjects(self) -> tuple[Designing, Designing]:
        """The two designs to compare: with near candidates, and over all pairs."""
        return Designing(self.algorithm, candidates="near"), Designing(self.algorithm)

    def demands(self) -> Sequence[Demand]:
        return [(self.instance, subject) for subject in self.subjects]

    def rows(self, lab: Lab) -> Iterator[Row]:
        near, everything = (lab[self.instance, subject] for subject in self.subjects)
        name = f"{self.algorithm}, {lab.instance(self.instance).name}"
        links = near.facts["links"], everything.facts["links"]
        degrees = near.facts["maximum_degree"], everything.facts["maximum_degree"]
        yield Row(
            f"links, near / all pairs: {name}", links[0] / links[1], bar=self.links_bar,
            detail=f"{links[0]:,} / {links[1]:,}; maximum degree {degrees[0]} / {degrees[1]}",
        )  # fmt: skip
        yield Row(
            f"time, near / all pairs: {name}", near.against(everything), bar=self.time_bar,
            detail=f"{near.median:.3f} s / {everything.median:.3f} s",
        )  # fmt: skip


@dataclass(frozen=True)
class NearWays:
    """Our search for near candidates and MinHash, each compared with a design over all pairs."""

    instance: Instance
    ways: tuple[NearBy, ...] = (NearBy(16, 1), NearBy(16, 2))

    def demands(self) -> Sequence[Demand]:
        return [(self.instance, ALL), (self.instance, NEAR), *((self.instance, way) for way in self.ways)]

    def rows(self, lab: Lab) -> Iterator[Row]:
        everything = lab[self.instance, ALL]
        name = lab.instance(self.instance).name
        ways: tuple[Subject, ...] = (NEAR, *self.ways)
        for way in ways:
            found = lab[self.instance, way]
            yield Row(
                f"links and time, {way.name} / all pairs: {name}", found.facts["links"] / everything.facts["links"],
                detail=f"time {found.against(everything):.2f} × ({found.median:.2f} s)",
            )  # fmt: skip
