"""Diving: turns prices into links, by fixing (making for good) the links that the prices clearly favour.

During the ascent, links that the trees of several steps agree on are fixed: they no longer cost anything, and the trees
of their topics grow around them. x(e) says how much the prices favour a pair e: the mean over these steps of what e
costs in the trees that contain it. It is 1 if e is in the tree of all its topics at every step.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from topicweave.algorithms.registry import Progress
from topicweave.kernels.optimise.dive import fix_links
from topicweave.kernels.optimise.prices import UNIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from topicweave.algorithms.registry import ProgressCallback
    from topicweave.optimise.ascent import Ascent

SURE = 0.97
LARGE_TABLE = 1 << 24
# Number of steps between two moments at which links are fixed, and the smallest share of links fixed at a time.
SMALL_PACE, LARGE_PACE = (20, 0.03), (10, 0.04)


def dive(
    ascent: Ascent,
    cap: NDArray[np.int64],
    is_over: Callable[[], bool],
    progress: ProgressCallback | None = None,
    *,
    fixed: NDArray[np.int64] | None = None,
    distance: float = 0.1,
    pace: tuple[int, float] | None = None,
) -> NDArray[np.int64] | None:
    """Fix links until the trees consist of fixed links only, or every node that needs more links has reached its limit;
    return the fixed links.

    None if the time is up before that, because Greedy Merge would need more links to complete half a dive than there
    were before.

    Parameters
    ----------
    ascent
        The ascent, whose prices are changed.
    cap
        The most links of each node.
    is_over
        Whether the time is up; asked before every step.
    progress
        Called several times a second.
    fixed
        Links to fix before the dive, (m, 2).
    distance
        Length of a step, as a share of what the trees still cost.
    pace
        Steps between two fixings, and the smallest share of the links fixed at a time; by default chosen by the size of
        the tables.
    """
    num_steps, share = pace or (LARGE_PACE if len(ascent.prices.price) > LARGE_TABLE else SMALL_PACE)
    prices, num_nodes = ascent.prices, ascent.interest.num_nodes
    first = np.repeat(prices.topic_indptr[:-1], np.diff(prices.topic_indptr))
    degree = np.zeros(num_nodes, dtype=np.int64)
    found = [np.empty((0, 2), dtype=np.int64) if fixed is None else fixed]
    fix_links(prices, found[0], degree, cap)
    num_edges, told = len(found[0]), time.perf_counter()
    while True:
        pairs, paid = [], []
        left = 0.0
        for _ in range(num_steps):
            if is_over():
                return None
            left = ascent.find_trees() / UNIT
            ascent.move(distance * left)
            at = np.flatnonzero(ascent.used >= 0)
            one = prices.members[at].astype(np.int64)
            other = prices.members[first[at] + ascent.parent[at]].astype(np.int64)
            pairs.append(np.minimum(one, other) * num_nodes + np.maximum(one, other))
            paid.append(ascent.used[at])
        if not len(pairs[-1]):
            return np.concatenate(found)
        code, which = np.unique(np.concatenate(pairs), return_inverse=True)
        # the terms are whole numbers, so the sum is exact in any order
        sum_paid = np.bincount(which, weights=np.concatenate(paid))
        num_sure = int(np.count_nonzero(sum_paid >= SURE * num_steps * UNIT))
        chosen = np.argsort(-sum_paid, kind="stable")[: max(num_sure, int(share * left), 1)]
        links = np.column_stack(np.divmod(code[chosen], num_nodes))
        links = links[fix_links(prices, links, degree, cap)]
        if not len(links):  # every remaining link has an end that has reached its limit
            return np.concatenate(found)
        found.append(links)
        ascent.leave_out_fixed_trees()
        num_edges += len(links)
        if progress is not None and time.perf_counter() - told > 0.2:
            told = time.perf_counter()
            progress(Progress("diving", num_edges, num_edges / max(num_edges + left, 1)))
