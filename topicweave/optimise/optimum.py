"""optimum: a design from scratch that comes as close to the fewest links as the time allows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from topicweave.algorithms.design import design
from topicweave.errors import InfeasibleError
from topicweave.optimise.bound import lower_bound
from topicweave.optimise.improve import KEEP, Limits, cap_of, search, with_contributions

if TYPE_CHECKING:
    from topicweave.algorithms.registry import Outcome, ProgressCallback
    from topicweave.model import Interest, Overlay

SHARE_OF_A_TRY = 0.25  # the share of the time spent searching for a lower bound on the maximum degree
ROUNDS_OF_A_TRY = 20


def optimum(
    interest: Interest,
    *,
    seconds: float = 30.0,
    rounds: int | None = None,
    max_degree: int | None = None,
    least_degree: bool = False,
    progress: ProgressCallback | None = None,
    seed: int = 0,
) -> Outcome:
    """Start with Greedy Merge, then improve by dives from the prices of the lower bound, and by ruin and recreate.

    The maximum degree is at most that of Greedy Merge, or ``max_degree``, or the lowest one found.
    """
    begun = time.perf_counter()
    start, notes = _start(interest, max_degree, least_degree, seconds, rounds, seed)
    limits = Limits(
        cap_of(start, KEEP if max_degree is None else max_degree), seconds, rounds, progress=progress, seed=seed,
        begun=begun,
    )  # fmt: skip
    links, said = search(interest, start.edges, limits)
    return with_contributions(interest, links, (*notes, *said))


def _start(
    interest: Interest, max_degree: int | None, least_degree: bool, seconds: float, rounds: int | None, seed: int
) -> tuple[Overlay, tuple[str, ...]]:
    """Find a first overlay within the degree limit."""
    if least_degree:
        return _least_degree(interest, seconds, rounds, seed)
    greedy = design(interest, "gm", seed=seed).overlay
    if max_degree is None or greedy.maximum_degree <= max_degree:
        return greedy, ()
    found = within(interest, max_degree, seed)
    if found is None:
        raise InfeasibleError(
            f"No overlay with at most {max_degree} links at every node was found; allow more, or ask lower_bound for "
            f"the least maximum degree."
        )
    return found, ()


def within(interest: Interest, max_degree: int, seed: int = 0) -> Overlay | None:
    """An overlay in which no node has more links than this, made from greedy designs whose degrees are then
    repaired.
    """
    from topicweave.model import Overlay
    from topicweave.optimise.link_search import LinkSearch

    cap = np.full(interest.num_nodes, max_degree, dtype=np.int64)
    for algorithm in ("minmax", "gm"):
        overlay = design(interest, algorithm, seed=seed).overlay
        if overlay.maximum_degree <= max_degree:
            return overlay
        state = LinkSearch(interest, overlay.edges, cap, seed=seed)
        state.trim()
        if state.repair_degrees(ROUNDS_OF_A_TRY * max_degree):
            return Overlay(interest.nodes, state.links())
    return None


def _least_degree(interest: Interest, seconds: float, rounds: int | None, seed: int) -> tuple[Overlay, tuple[str, ...]]:
    """Find the lowest possible maximum degree by bisection between its lower bound and what MinMax-ODA reaches."""
    bound = lower_bound(
        interest, objective="degree", seconds=SHARE_OF_A_TRY * seconds, rounds=None if rounds is None else 40, seed=seed
    )
    best = design(interest, "minmax", seed=seed).overlay
    low, high = max(1, bound.links), best.maximum_degree
    while low < high:
        tried = (low + high) // 2
        found = within(interest, tried, seed)
        if found is None:
            low = tried + 1
        else:
            best, high = found, found.maximum_degree
    return best, (f"Maximum degree {high}; no overlay has one below {bound.links} (certified).",)
