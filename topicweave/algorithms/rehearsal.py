"""Trying an algorithm on two nodes: bad parameters are refused before anything is read, and compiled code is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicweave.algorithms.design import design
from topicweave.algorithms.registry import ALGORITHMS
from topicweave.model import Interest
from topicweave.parameters import fill

if TYPE_CHECKING:
    from collections.abc import Mapping

# Not parameters of one algorithm, but arguments of design() itself.
ARGUMENTS = frozenset({"ties", "budget_ratio", "candidates", "num_candidates", "memory_limit"})


def check_arguments(algorithm: str, parameters: Mapping[str, Any], seed: int) -> None:
    """Raise what :func:`topicweave.design` would raise about the algorithm's name and parameters.

    In the usual case the table of algorithms can tell, which takes no time; otherwise the verb itself is asked.
    """
    simple = _simple(parameters)
    if algorithm in ALGORITHMS and seed >= 0 and not ARGUMENTS & simple.keys():
        fill(algorithm, ALGORITHMS[algorithm].parameters, simple)
    else:
        rehearse(algorithm, simple, seed)


def rehearse(algorithm: str, parameters: Mapping[str, Any], seed: int) -> None:
    """Design an overlay of two nodes: where these need more memory than allowed, so does everything else."""
    design(Interest.from_pairs([("a", "t"), ("b", "t")]), algorithm, seed=seed, **_simple(parameters))


def _simple(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers and names alone: overlays, pairs and topics belong to the nodes of the real input."""
    return {name: value for name, value in parameters.items() if isinstance(value, bool | int | float | str)}
