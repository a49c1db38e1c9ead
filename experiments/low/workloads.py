"""The paper's workload for Low-ODA, and the algorithms with each tie rule."""

from __future__ import annotations

from experiments.designing import Asked, ask
from experiments.workload import Workload

TIES = ("lexicographic", "random", "balanced")

PRINTED = ("lexicographic", "random")
"""Readings of what the paper leaves open; "balanced" looks at degrees, which no paper's "some edge" can mean."""

# The paper does not say which of several equally good links to take; our default is "balanced".
TIE_WORDS = {
    "lexicographic": "lowest node numbers first",
    "random": "at random",
    "balanced": "least degree first, our default",
}


def zipf(num_nodes: int) -> Workload:
    return Workload(num_nodes, 100, "zipf", 10, 0.5)


def three(ties: str) -> tuple[Asked, Asked, Asked]:
    """GM, Low-ODA(3) and MinMax-ODA with one tie rule."""
    return ask("gm", ties=ties), ask("low", ties=ties, k=3), ask("minmax", ties=ties)


def form_of(measure: str) -> str:
    """How to print a measure: maximum degrees are larger numbers and need fewer decimals."""
    return ".1f" if measure == "maximum_degree" else ".2f"
