"""Which pairs a design chose from, in words and for the manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicweave.model import Design


def describe_candidates(planned: Design, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """What was asked for, what it came to, and the rounds; None for algorithms that choose from no candidates.

    ``parameters`` are those that were given, without defaults.
    """
    from topicweave.algorithms import ALGORITHMS

    if not ALGORITHMS[planned.algorithm].goes_on:
        return None
    is_near = planned.parameters.get("candidates") == "near"
    given = parameters.get("candidates") or ("auto" if parameters.get("num_candidates") is None else "near")
    found: dict[str, Any] = {
        "asked": given if parameters.get("pairs") is None else "pairs",
        "taken": "near" if is_near else "all" if parameters.get("pairs") is None else "pairs",
    }
    if is_near:
        found["num_candidates"] = planned.parameters["num_candidates"]
        found["rounds"] = [
            {name: int(number) for name, number in one._asdict().items()} for one in planned.trace.rounds
        ]
    return found


def in_words(candidates: Mapping[str, Any] | None) -> str:
    """The same in a few words, and why; nothing where there were no candidates to choose."""
    from topicweave.algorithms.options import AUTO_NODES

    if candidates is None:
        return ""
    way = {"near": "near candidates", "all": "all pairs", "pairs": "the pairs given"}[candidates["taken"]]
    if candidates["taken"] == "near":
        way = f"{candidates['num_candidates']} {way} a node"
    if candidates["asked"] != "auto":
        return way
    return f"{way} (auto: {'more than' if candidates['taken'] == 'near' else 'up to'} {AUTO_NODES:,} nodes)"
