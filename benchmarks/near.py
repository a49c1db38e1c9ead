"""Near candidates against all pairs: what they cost in links, and what they take in time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.checks import Bar, Row, at_most
from benchmarks.subjects import Designing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.instances import Instance
    from benchmarks.lab import Demand, Lab

ALL, NEAR = Designing("gm"), Designing("gm", candidates="near", rounds=1)


@dataclass(frozen=True)
class NearQuality:
    """Links and time of GM on near candidates, as shares of those on all pairs."""

    instance: Instance
    time_bar: Bar | None = None

    def demands(self) -> Sequence[Demand]:
        return [(self.instance, ALL), (self.instance, NEAR)]

    def rows(self, lab: Lab) -> Iterator[Row]:
        near, everything = lab[self.instance, NEAR], lab[self.instance, ALL]
        name = lab.instance(self.instance).name
        links = near.facts["links"], everything.facts["links"]
        yield Row(
            f"links, near / all pairs: {name}", links[0] / links[1], bar=at_most(1.01),
            detail=f"{links[0]:,} / {links[1]:,}",
        )  # fmt: skip
        yield Row(
            f"time, near / all pairs: {name}", near.median / everything.median, bar=self.time_bar,
            detail=f"{near.median:.3f} s / {everything.median:.3f} s",
        )  # fmt: skip
