"""A claim: what a paper says, and a function that judges measured results by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from experiments.results import Results

HOLDS, IN_SHAPE, DOES_NOT = "holds", "holds in shape", "does not hold"
NOT_JUDGED = "not judged"  # in a quick run
NOT_MEASURED = "not measured"  # verdict for a claim whose results are missing; its row says why
STALE = "stale"  # added to a verdict if the code has changed since the results were measured


@dataclass(frozen=True)
class Finding:
    """What was measured for a claim, and the verdict.

    Attributes
    ----------
    measured
        Mean ± standard deviation over the seeds.
    verdict
        HOLDS, IN_SHAPE or DOES_NOT.
    reason
        If our results differ from the paper's: why, according to other runs; or a further remark.
    """

    measured: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True)
class Claim:
    """One row in the table of claims.

    Attributes
    ----------
    id
        As in the list of claims, for example ``"GM-4a"``; several rows may share one.
    says
        What the paper says.
    test
        When the row counts as holding and, if possible, when as holding in shape.
    setting
        The workload and parameters, in words.
    judge
        A function from the results to the finding.
    """

    id: str
    says: str
    test: str
    setting: str
    judge: Callable[[Results], Finding]


def graded(holds: bool, in_shape: bool = False) -> str:
    """The verdict: HOLDS; if that is not so, IN_SHAPE; and if neither is, DOES_NOT."""
    return HOLDS if holds else IN_SHAPE if in_shape else DOES_NOT
