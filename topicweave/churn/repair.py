"""Repair: connect the broken topics again by the greedy loop, on a problem of the few nodes that matter.

Nodes are the shadow set, topics those in more than one piece; components, degrees and Δ are those of the whole overlay
(SHADOW Alg. 7 and 10, as settled).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.algorithms.greedy import Rule, run_loop
from topicweave.algorithms.problem import Problem, table_of
from topicweave.kernels.churn_members import count_topics, drop_unconcerned, fill_membership, list_pairs
from topicweave.kernels.membership import Membership
from topicweave.kernels.pairs import SEGMENT, count_few_listed_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.churn.network import Network

MOST_LISTED = 512  # nodes all of whose pairs are written down; beyond, the dense table is quicker


def connect_pieces(
    network: Network,
    members: NDArray[np.int32],
    pieces: NDArray[np.int32],
    num_newcomers: int | None,
    *,
    k: float,
    ties: str,
    seed: int,
) -> NDArray[np.int32]:
    """Link members until every topic is in one piece; return the links by slots, in the order made.

    Parameters
    ----------
    network
        Gives degrees; is not changed.
    members
        Slots of the nodes to link among.
    pieces
        (topics, members): the piece each member is in, -1 if it does not subscribe.
    num_newcomers
        Only pairs with one of the first so many members; None for all pairs.
    k, ties, seed
        As in :func:`topicweave.design`.
    """
    only_newcomers = num_newcomers is not None
    members, pieces, num_first = drop_unconcerned(members.copy(), pieces, num_newcomers or 0)
    num_topics, n = pieces.shape
    indptr = count_topics(pieces)
    topics = np.empty(int(indptr[-1]), dtype=np.int32)
    problem = Problem(members.astype(np.int64), members[:0].astype(np.int64), indptr, topics, num_topics)
    membership = _empty_membership(problem)
    to_do = fill_membership(pieces, indptr, topics, membership, np.full(int(pieces.max()) + 1, -1, dtype=np.int32))
    degree = np.zeros(n + SEGMENT, dtype=np.int32)
    degree[:n] = network.neighbours.length[members]
    candidates = None
    if only_newcomers or n <= MOST_LISTED:
        candidates = table_of(problem, *list_pairs(n, num_first if only_newcomers else n, SEGMENT))
        count_few_listed_rows(membership.rows, candidates)
    links, _ = run_loop(
        problem, membership, candidates, degree, Rule(spares_delta=True, ratio=k), to_do,
        delta=network.maximum_degree, ties=ties, seed=seed,
    )  # fmt: skip
    return members[links].reshape(-1, 2)


def _empty_membership(problem: Problem) -> Membership:
    n, count = problem.num_nodes, len(problem.topics)
    return Membership(
        rows=np.zeros((n, 2, problem.words), dtype=np.uint64),
        first=np.zeros((n, problem.words), dtype=np.int32),
        label=np.empty(count, dtype=np.int32),
        next=np.empty(count, dtype=np.int32),
        size=np.empty(count, dtype=np.int32),
        owner=np.empty(count, dtype=np.int32),
        home=np.empty(problem.num_topics, dtype=np.int32),
        away=np.zeros(n + SEGMENT, dtype=problem.bound_type),
    )
