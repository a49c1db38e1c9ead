"""Trying a rule on two nodes: bad parameters are refused before anything is read, and compiled code gets loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# Not parameters of one algorithm, but arguments of design() itself.
ARGUMENTS = frozenset({"ties", "budget_ratio", "candidates", "num_candidates", "memory_limit"})


def check_rule(algorithm: str, parameters: Mapping[str, Any], seed: int) -> None:
    """Raise what :func:`topicweave.design` would raise about the algorithm's name and parameters.

    In the usual case the table of algorithms can tell, which takes no time; otherwise the verb itself is asked.
    """
    from topicweave.algorithms import ALGORITHMS
    from topicweave.parameters import fill

    if algorithm in ALGORITHMS and seed >= 0 and not ARGUMENTS & parameters.keys():
        fill(algorithm, ALGORITHMS[algorithm].parameters, parameters)
    else:
        rehearse(algorithm, parameters, seed)


def rehearse(algorithm: str, parameters: Mapping[str, Any], seed: int) -> None:
    """Design an overlay of two nodes: where these need more memory than allowed, so does everything else."""
    from topicweave import Interest, design

    design(Interest.from_pairs([("a", "t"), ("b", "t")]), algorithm, seed=seed, **parameters)
