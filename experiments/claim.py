"""A claim: what a paper says, and the function that judges the results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from experiments.results import Results

HOLDS, IN_SHAPE, DOES_NOT = "holds", "holds in shape", "does not hold"
NOT_JUDGED = "not judged"  # of a quick run
NOT_MEASURED = "not measured"  # results are missing; the row says why
STALE = "stale"  # beside a verdict: the code it was found with has changed since


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
    judge
        Looks at the results and gives the finding.
    """

    id: str
    says: str
    test: str
    setting: str
    judge: Callable[[Results], Finding]


def graded(holds: bool, in_shape: bool = False) -> str:
    """The verdict."""
    return HOLDS if holds else IN_SHAPE if in_shape else DOES_NOT
