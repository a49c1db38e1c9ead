"""The paper's synthetic workloads in two interpretations, and its four algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.designing import Asked, ask
from experiments.results import mean
from experiments.workload import Sizes, Workload

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.results import Results

LAWS = {"Expo": ("exponential", None), "Zipf": ("zipf", 2.0), "Unif": ("uniform", None)}
LARGE_SETS = (20, 600)
NAMES = {"GPA": "gpa", "GPM": "gpm", "SpiderCastM": "spidercast_max", "RandomM": "random_max"}

# The paper gives the smallest and largest size, and says "each node subscribes to t with the probability q(t)". These
# are possible interpretations.
DRAWS = {
    "distinct": "each node draws s different topics, P(s) ∝ s⁻²",
    "independent": "each node takes topic t with probability min(1, s·q(t)), P(s) ∝ s⁻²",
}
SHORT = {"distinct": "s different topics", "independent": "independent draws"}


def workload(
    law: str, num_nodes: int, num_topics: int, sizes: Sizes = LARGE_SETS, draws: str = "distinct", exponent: float = 2
) -> Workload:
    popularity, alpha = LAWS[law]
    return Workload(num_nodes, num_topics, popularity, sizes, alpha, draws, exponent)


def limited(d: int, m: int) -> dict[str, Asked]:
    """The four algorithms: GPA with a total number of links, the others with a maximum degree."""
    return {name: ask(a, m=m) if name == "GPA" else ask(a, d=d) for name, a in NAMES.items()}


def with_budget(ratio: float) -> dict[str, Asked]:
    """The four algorithms with a budget given as a share of MinMax-ODA's links or degree."""
    return {name: ask(algorithm, budget_ratio=ratio) for name, algorithm in NAMES.items()}


def gaps(results: Results, points: list[Workload], better: Asked, worse: Asked) -> NDArray[np.float64]:
    """The support of one algorithm minus that of another, in percentage points, averaged over the workloads; one value
    per seed.
    """
    each = [results(used, better, "support") - results(used, worse, "support") for used in points]
    averaged: NDArray[np.float64] = 100 * np.mean(each, axis=0)
    return averaged


def points_of(values: NDArray[np.float64]) -> float:
    """The mean support in percent."""
    return 100 * mean(values)
