"""A claim: what a paper says, the runs it needs, and the function that judges them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.description import Asked, Run, Workload

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from experiments.results import Results

HOLDS, IN_SHAPE, DOES_NOT = "holds", "holds in shape", "does not hold"
NOT_JUDGED = "not judged"  # of every row of a quick run

Point = tuple[Workload, Asked]


@dataclass(frozen=True)
class Finding:
    """What was measured, and what that makes of the claim.

    Attributes
    ----------
    measured
        Mean ± standard deviation over the seeds.
    verdict
        HOLDS, IN_SHAPE or DOES_NOT.
    reason
        Where the paper and we differ: why, from other runs; or what is worth knowing.
    """

    measured: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True)
class Claim:
    """One row of the table.

    Attributes
    ----------
    id
        As in the list of claims, for example ``"GM-4a"``; several rows may share one.
    says
        What the paper says.
    test
        When the row counts as holding, and when as holding in shape, where that is possible.
    setting
        Workload and parameters, in words.
    points
        What has to be run, for every seed.
    judge
        Looks at the results and gives the finding.
    num_seeds
        Seeds 0, 1, … unless the command line says otherwise.
    """

    id: str
    says: str
    test: str
    setting: str
    points: tuple[Point, ...]
    judge: Callable[[Results], Finding]
    num_seeds: int = 3

    def runs(self, num_seeds: int | None = None) -> Iterator[Run]:
        """Every run the claim needs."""
        for seed in range(num_seeds or self.num_seeds):
            for workload, asked in self.points:
                yield Run(workload, asked, seed)


def grid(workloads: Iterable[Workload], algorithms: Iterable[Asked]) -> tuple[Point, ...]:
    """Every workload with every algorithm."""
    listed = tuple(algorithms)
    return tuple((workload, asked) for workload in workloads for asked in listed)


def graded(holds: bool, in_shape: bool = False) -> str:
    """The verdict."""
    return HOLDS if holds else IN_SHAPE if in_shape else DOES_NOT
