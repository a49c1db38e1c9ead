"""Reconnect topics that fell apart: run the greedy loop on a small problem of just the nodes involved.

The small problem has the candidates for links as its nodes, and as its topics the topics that are in several pieces.
Pieces, degrees and Δ are those of the whole overlay: this is how the project reads SHADOW Alg. 7 and 10.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from topicweave.algorithms.greedy.loop import TIES, Rule, Task, run_loop, shuffle_key
from topicweave.algorithms.greedy.problem import Problem
from topicweave.churn.registry import LASTING
from topicweave.kernels.churn.small_problem import connect_few, small_problem
from topicweave.kernels.csr import sizes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.churn.overlay_state import OverlayState

# An empty array that makes all small problems use the same integer type for bounds; otherwise code for another type
# might be compiled in the middle of an event.
BOUNDS = np.empty(0, dtype=np.uint32)
# the fields of a table of pairs that are arrays of such bounds
BOUNDED = frozenset({"bound", "most", "most_open", "row_most", "row_open"})
NOBODY = np.empty(0, dtype=np.bool_)
# with at most this many nodes, all pairs are listed one by one; with more, the table of all pairs is faster
MOST_LISTED = 512


def connect_pieces(
    state: OverlayState,
    members: NDArray[np.int32],
    pieces: NDArray[np.int32],
    num_newcomers: int | None,
    *,
    cap: int,
    k: float,
    ties: str,
    seed: int,
    told: NDArray[np.bool_] = NOBODY,
) -> NDArray[np.int32]:
    """Link members until every topic is connected; return the links, as internal numbers of nodes, in the order made.

    Parameters
    ----------
    state
        State of the overlay, which gives the degrees and is not changed.
    members
        Slots of the nodes to link among.
    pieces
        (topics, members): the piece each member is in, -1 if it does not subscribe.
    num_newcomers
        If given, the newcomers come first among the members, and only pairs with a newcomer are candidates; None for
        all pairs.
    cap
        A maximum degree above this counts as this.
    k, seed
        As in :func:`topicweave.design`.
    ties
        ``"lasting"`` (see :mod:`topicweave.kernels.churn.small_problem`), or as in :func:`topicweave.design`.
    told
        For each slot, whether ``"lasting"`` prefers links to the node in it; empty if it prefers no node.
    """
    order = "lexicographic" if ties == LASTING else ties
    given = (
        members, pieces, -1 if num_newcomers is None else num_newcomers, MOST_LISTED, ties == LASTING, told,
        state.marks[:0] if order == "lexicographic" else state.marks, state.rows, state.neighbours.length, cap, BOUNDS,
    )  # fmt: skip
    if (len(members) if num_newcomers is None else num_newcomers) * len(members) <= MOST_LISTED**2:
        links: NDArray[np.int32]
        links, is_done = connect_few(*given, float(k), TIES[order], shuffle_key(seed))
        if is_done:
            return links
    members, names, indptr, topics, membership, pairs, degree, delta, merges_left = small_problem(*given)
    numbers = names.astype(np.int64)
    problem = Problem(numbers, names, numbers[:0], indptr, topics, sizes_of(topics, len(pieces)))
    # larger problems use the types of a normal design, whose kernels have to be compiled anyway
    kind = problem.bound_type
    membership = membership._replace(away=membership.away.astype(kind))
    pairs = pairs._replace(**{name: array.astype(kind) for name, array in pairs._asdict().items() if name in BOUNDED})
    task = Task(problem, membership, degree, _low(k), merges_left, delta, ties=order, seed=seed)
    links, _ = run_loop(task, pairs if len(pairs.bound) else None)
    return members[links].reshape(-1, 2)


@lru_cache(maxsize=16)
def _low(k: float) -> Rule:
    return Rule(respects_max_degree=True, ratio=k)
