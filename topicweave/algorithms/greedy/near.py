"""Near candidates for the greedy family: a few good partners for every node instead of all pairs.

A dozen partners per node are enough if they are those with which a link would contribute most *now*. So every node
keeps a shortlist, and a bound on what a link with any other node can contribute. The sweep descends in rounds
(:mod:`rounds <topicweave.algorithms.greedy.rounds>`); here is the search before a round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numba import get_num_threads

from topicweave.algorithms.greedy.loop import slices
from topicweave.algorithms.greedy.problem import near_bytes
from topicweave.kernels.csr import starts_of, subscribers_away
from topicweave.kernels.greedy.near import (
    BLOCK,
    NOBODY,
    Pool,
    SearchLimits,
    SearchSpace,
    TopicLists,
    list_in_order,
    nearest,
)
from topicweave.kernels.jit import on_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.algorithms.greedy.loop import ProgressFn
    from topicweave.algorithms.greedy.problem import Problem
    from topicweave.kernels.greedy.membership import Membership

MOST_BITS = 1 << 33  # if nodes × topics exceeds this, no bit rows are built: they would take more than 2 GB
# if a node's bit row has more than this many words per topic of the node, comparing lists of topics is faster
WORDS_PER_TOPIC = 2
LIMITS = SearchLimits(cheap=1 << 11, whole=1 << 13, head=128, window=512)
# The pool: large nodes, which every node considers as partners. One half of it are the nodes with most topics, the
# other half those with most topics still to connect. Within limits, it has room for all nodes that have nearly as many
# topics as the largest (ALIKE), because these are good partners for all smaller nodes.
ALIKE, FEWEST_IN_POOL, MOST_WORDS_IN_POOL = 0.95, 1024, 40_960
# Nodes of nearly maximal size also search the lists of their topics, unless they know a link that connects at least the
# share ENOUGH of their unconnected topics.
PEERS, ENOUGH = 0.9, 0.75
SHARE_AT_HEAD = 1 / 32  # the nodes with most topics still to connect come first in every list; this is their share
LARGEST_TOLD_APART = 1 << 12


@dataclass(frozen=True)
class Scene:
    """Everything about the current state of the design that a search for partners needs; small enough to be sent to a
    Spark worker.

    Attributes
    ----------
    members
        The topic components at this moment.
    takes
        Which nodes may be chosen.
    excluded
        Codes of pairs that may not be chosen, in ascending order.
    needed
        The contribution that is good enough for each node; a node that finds less in the pool walks its lists.
    marks
        Hashes of the labels; which of several equally good partners a node finds depends on its own hash.
    pool
        Nodes that every node looks at, if there are bit rows.
    order
        The order of the nodes in the lists, if long lists are not walked to the end; otherwise None.
    by_topic
        CSR by topic, if every list that is walked is walked to the end; otherwise None.
    """

    members: Membership
    takes: NDArray[np.bool_]
    excluded: NDArray[np.int64]
    needed: NDArray[np.int32]
    marks: NDArray[np.uint64]
    pool: Pool
    order: NDArray[np.int32] | None = None
    by_topic: tuple[NDArray[np.int64], NDArray[np.int32]] | None = None

    def lists(self) -> tuple[TopicLists, TopicLists]:
        """Two lists of nodes per topic: all its subscribers, and those that are not in its largest component yet (those
        "away").
        """
        members = self.members
        nobody = np.empty(0, dtype=np.int32)
        if self.order is not None:
            is_away = members.label != members.home[members.topics]
            return self._in_order(np.ones_like(is_away)), self._in_order(is_away)
        if self.by_topic is None:
            none = TopicLists(np.empty(0, dtype=np.int64), nobody, nobody, nobody)
            return none, none
        start, nodes = subscribers_away(members.indptr, members.topics, members.label, members.home)
        return TopicLists(*self.by_topic, nobody, nobody), TopicLists(start, nodes, nobody, nobody)

    def _in_order(self, listed: NDArray[np.bool_]) -> TopicLists:
        members = self.members
        start = starts_of(np.bincount(members.topics[listed], minlength=len(members.home)))
        listed_by_topic = TopicLists(
            start=start,
            node=np.empty(int(start[-1]), dtype=np.int32),
            label=np.empty(int(start[-1]), dtype=np.int32),
            place=np.empty(len(members.topics), dtype=np.int32),
        )
        list_in_order(self.order, members, listed, listed_by_topic)
        return listed_by_topic


SearchResult: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]"
"""Partner and worth (nodes, length of the lists), and an upper bound on the worth of all other partners (nodes)."""


class Search(Protocol):
    """The type of functions that find partners for some of the nodes."""

    def __call__(self, scene: Scene, searching: NDArray[np.int64], length: int, tell: ProgressFn) -> SearchResult: ...


def search(scene: Scene, searching: NDArray[np.int64], length: int, tell: ProgressFn) -> SearchResult:
    """Search for partners in this process, on all threads."""
    return search_lists(scene, scene.lists(), searching, length, get_num_threads(), tell)


def search_lists(
    scene: Scene,
    lists: tuple[TopicLists, TopicLists],
    searching: NDArray[np.int64],
    length: int,
    num_threads: int,
    tell: ProgressFn,
) -> SearchResult:
    """Search for partners in lists that are already prepared."""
    partner = np.empty((len(searching), length), dtype=np.int32)
    worth = np.empty((len(searching), length), dtype=np.int32)
    others = np.empty(len(searching), dtype=np.int32)
    most = min(LARGEST_TOLD_APART, int(np.diff(scene.members.indptr).max(initial=0)))
    space = SearchSpace(scene.takes, *lists, scene.pool, scene.needed, scene.excluded, scene.marks)
    for part in slices(len(searching), tell):
        result = partner[part], worth[part], others[part]
        on_threads(num_threads, nearest, scene.members, space, LIMITS, searching[part], result, most)
    return partner, worth, others


def has_bits(problem: Problem) -> bool:
    """Whether contributions are computed from bit rows; otherwise they are computed from lists of topics."""
    fits = problem.num_nodes * problem.num_topics <= MOST_BITS
    return fits and problem.words * problem.num_nodes <= WORDS_PER_TOPIC * len(problem.topics)


def near_memory(problem: Problem, num_candidates: int) -> int:
    """The memory in bytes that a design with this many candidates per node needs."""
    return near_bytes(problem, num_candidates, has_bits=has_bits(problem))


def scene_of(
    problem: Problem,
    members: Membership,
    takes: NDArray[np.bool_],
    excluded: NDArray[np.int64],
    floor: int,
    drawn: NDArray[np.uint64],
) -> Scene:
    """Prepare a search down to a floor; nodes are listed in the order of ``drawn``, one random number for each."""
    sizes = np.diff(problem.indptr)
    is_large = sizes >= PEERS * sizes[0]
    needed = np.where(is_large, ENOUGH * members.away[: problem.num_nodes], 0).astype(np.int32)
    if not members.rows.shape[2]:
        nobody, nothing = np.empty(0, dtype=np.int32), np.empty((0, 0), dtype=np.uint64)
        pool = Pool(nobody, nobody, nothing, nothing, nothing)
        order = _order(members.away[: problem.num_nodes].astype(np.int64), drawn)
        return Scene(members, takes, excluded, needed, problem.marks, pool, order=order)
    # A node searches only if it is unconnected in at least floor // 2 topics. The lists are prepared only if reading
    # that many lists of average length takes few enough steps.
    walks = floor // 2 * (len(problem.topics) / problem.num_topics) <= LIMITS.whole
    by_topic = problem.by_topic if walks else None
    pool = _pool(problem, members, takes, floor)
    return Scene(members, takes, excluded, needed, problem.marks, pool, by_topic=by_topic)


def _pool(problem: Problem, members: Membership, takes: NDArray[np.bool_], floor: int) -> Pool:
    """The pool of large nodes, as bit rows: half have most topics, half have most unconnected topics."""
    words, sizes = problem.words, np.diff(problem.indptr)
    alike = int(np.searchsorted(-sizes, -ALIKE * sizes[0], side="right"))
    pool_size = max(BLOCK, min(max(alike, FEWEST_IN_POOL), MOST_WORDS_IN_POOL // words))
    worth_it = np.flatnonzero(takes[: np.searchsorted(-sizes, -floor, side="right")])
    away = members.away[worth_it].astype(np.int64)
    order = np.argsort(-away, kind="stable")
    lost, rest = worth_it[order[: pool_size // 2]], worth_it[np.sort(order[pool_size // 2 :])]
    inside = np.concatenate((rest[: pool_size - len(lost)], lost))
    padded = -(-len(inside) // BLOCK) * BLOCK
    nodes = np.full(padded, NOBODY, dtype=np.int32)
    nodes[: len(inside)] = inside
    place = np.full(problem.num_nodes, NOBODY, dtype=np.int32)
    place[inside] = np.arange(len(inside))
    turned = np.zeros((2, words, padded), dtype=np.uint64)
    turned[:, :, : len(inside)] = members.rows[inside].transpose(1, 2, 0)
    any_away = np.bitwise_or.reduce(turned[1].reshape(words, -1, BLOCK), axis=2)
    return Pool(nodes, place, turned[0], turned[1], any_away)


def _order(away: NDArray[np.int64], drawn: NDArray[np.uint64]) -> NDArray[np.int32]:
    """The order in which nodes are listed: a few with most unconnected topics, then all others in random order."""
    order = np.argsort(drawn, kind="stable")
    first = np.argsort(-away, kind="stable")[: max(1, int(len(away) * SHARE_AT_HEAD))]
    rest = np.ones(len(away), dtype=bool)
    rest[first] = False
    return np.concatenate((first, order[rest[order]])).astype(np.int32)
