"""Near candidates for the greedy family: a few good partners for every node instead of all pairs.

A dozen partners per node are enough if they are those with which a link would contribute most *now*. So every node
keeps a shortlist, and a bound on what a link with any other node can contribute. The sweep descends in rounds; before
each round, a node searches again if a better partner may exist at the levels of that round. As contributions only fall,
most nodes search two to five times in all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numba import get_num_threads

from topicweave.algorithms.greedy.loop import shuffle_key, slices, table_of
from topicweave.algorithms.greedy.problem import codes, near_bytes
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
from topicweave.kernels.greedy.pair_table import SEGMENT, take_bounds
from topicweave.kernels.greedy.shortlists import Shortlists, contributions, lower_worth_on_threads, pairs_worth
from topicweave.kernels.jit import on_threads
from topicweave.kernels.labels import scramble

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.algorithms.greedy.loop import ProgressFn, Task
    from topicweave.algorithms.greedy.problem import Problem
    from topicweave.kernels.greedy.membership import Membership
    from topicweave.kernels.greedy.pair_table import PairTable

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
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # multiplier that spreads topic numbers over 64 bits
# After each round, the lowest contribution accepted (the floor) is multiplied by SHRINK; below SMALL_FLOOR, where each
# level is a large step already, by SHRINK_BELOW.
SHRINK, SHRINK_BELOW, SMALL_FLOOR = 0.4, 0.7, 16
# Δ may start high if the largest node has at most this many times as many topics as the median node. With 10 to 90
# topics per node (5 times the median), starting high gives fewer links for the same Δ. With 20 to 600 (15 times), Δ
# would end up 2 higher, and the support of gpm 3 percentage points lower.
LOPSIDED = 8


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


class Rounds:
    """The rounds of a design; every round has its own candidates and its own floor, the lowest contribution it accepts.

    Parameters
    ----------
    task
        The task being designed; its state is read again before every round.
    num_candidates
        Number of partners in a shortlist. If Δ is to be respected, half of them are nodes that can take links without
        raising it.
    excluded
        Pairs (by number in the problem) that may not be chosen.
    search
        The function that finds partners.

    Attributes
    ----------
    number
        Number of rounds that have begun.
    floor
        The lowest contribution of the current round.
    delta
        The maximum degree that links may reach in the current round before it counts as raised.
    num_searching, num_pairs
        Searches before the current round (up to two per node if Δ is to be respected), and the number of its
        candidates.
    is_last
        Whether this is the last round: searching down to a floor of 1 found nothing, so any pair that joins two
        components is a candidate.
    """

    def __init__(self, task: Task, num_candidates: int, excluded: NDArray[np.int64], search: Search = search) -> None:
        problem = task.problem
        self.problem, self.members, self.degree, self.rule = problem, task.members, task.degree, task.rule
        self.excluded = np.sort(codes(excluded, problem.num_nodes))
        self.number = self.floor = self.num_searching = self.num_pairs = 0
        self._seed = task.seed
        starts, partners, _ = task.preferred
        lower = np.repeat(np.arange(max(0, len(starts) - 1)), np.diff(starts))
        self._preferred = np.column_stack((lower, partners)).astype(np.int64)
        self._preferred = self._preferred[~np.isin(codes(self._preferred, problem.num_nodes), self.excluded)]
        self._search = search
        self._sizes = np.diff(problem.indptr)
        groups = 2 if self.rule.respects_max_degree else 1
        self._length = max(1, num_candidates // groups)
        shape = problem.num_nodes, groups * self._length
        self._lists = Shortlists(
            partner=np.full(shape, NOBODY, dtype=np.int32),
            worth=np.zeros(shape, dtype=np.int32),
            others=np.tile(self._sizes.astype(np.int32), (groups, 1)),
        )
        self.task = task
        self.delta = 0
        self.is_last = False

    def next(self, tell: ProgressFn = lambda share: None) -> PairTable | None:
        """The candidates of the next round; None if nothing is left to search."""
        self.number += 1
        self._lower_floor()
        away = self.members.away[: self.problem.num_nodes].astype(np.int64)
        self.num_searching = 0
        for group, takes in enumerate(self._groups()):
            # If linking a pair would connect c topics, then one of its ends is not in the largest component of at least
            # c/2 of them. So one of the two ends searches for partners here.
            hope = np.minimum(self._lists.others[group], 2 * away)
            searching = np.flatnonzero((hope >= self.floor) & takes)
            if len(searching):
                self._look(group, takes, searching, tell)
        for part in slices(self.problem.num_nodes, lambda share: tell(1.0)):
            what = self.members, self._lists, self.floor, part.start, part.stop, np.zeros(1, dtype=np.int64)
            lower_worth_on_threads(*what, get_num_threads())
        self._raise_delta()
        has_room = self._have_room()
        if not has_room.all():
            partner = self._lists.partner
            self._lists.worth[~(has_room[:, None] & has_room[partner] & (partner != NOBODY))] = 0
        between = self._between_components()
        worth = contributions(self.members, self._preferred)
        is_worth_it = worth >= self.floor
        more = np.concatenate((between, self._preferred[is_worth_it]))
        more_worth = np.concatenate((away[between].sum(axis=1), worth[is_worth_it]))
        is_free = has_room[more].all(axis=1)
        start, partners, bounds = pairs_worth(self._lists, more[is_free], more_worth[is_free], self.floor)
        self.num_pairs = len(partners)
        if not self.num_pairs and self.floor == 1 and not self.num_searching:
            return None
        table = table_of(self.problem, start, starts_of(-(-np.diff(start) // SEGMENT)), partners)
        take_bounds(table, bounds)
        return table

    def _lower_floor(self) -> None:
        """Lower the floor by a step, or start again from the top if Δ was raised and pairs may be worth more again."""
        delta = int(self.degree.max())
        if self.floor == 0 or (self.rule.respects_max_degree and delta > self.delta):
            if self.floor:
                self._lists.others[1] = self._lists.others[0]
            self.floor = max(1, int(self._top() / min(self.rule.ratio, 1 / SHRINK)))
        elif self.floor == 1:
            # no node finds candidates any more: the last round offers one pair for each component left
            self.is_last = True
        else:
            shrunk = self.floor * (SHRINK if self.floor > SMALL_FLOOR else SHRINK_BELOW)
            self.floor = max(1, min(int(shrunk), self._top()))
        self.delta = max(self.delta, delta)

    def _raise_delta(self) -> None:
        """Raise the maximum degree Δ at once to what the design will need anyway, because raising it step by step would
        cost a series of rounds.

        This is the final average degree if every link still to come merges as much, on average, as the best link of
        each node does now. Contributions only fall, so the average is unlikely to end lower.
        """
        best = self._lists.worth.max(axis=1)
        best = best[best > 0]
        is_lopsided = self._sizes[0] > LOPSIDED * np.median(self._sizes)
        # if every node fits into every shortlist, the algorithm's rule is applied exactly, so there is no need to guess
        holds_all = self._length >= self.problem.num_nodes - 1
        if not self.rule.respects_max_degree or is_lopsided or holds_all or not len(best):
            return
        links_to_come = self.task.merges_left / best.mean()
        needed = (int(self.degree.sum()) + 2 * links_to_come) / self.problem.num_nodes
        delta = int(needed if self.rule.max_degree is None else min(needed, self.rule.max_degree))
        if delta > self.delta:
            self.delta = delta
            self._lists.others[1] = self._lists.others[0]

    def _top(self) -> int:
        away = self.members.away[: self.problem.num_nodes].astype(np.int64)
        hope = np.minimum(self._lists.others.max(axis=0), 2 * away)
        return max(1, int(hope.max(initial=0)), int(self._lists.worth.max(initial=0)))

    def _groups(self) -> list[NDArray[np.bool_]]:
        """First the nodes that may take another link; second those of them that may take one without raising Δ."""
        has_room = self._have_room()
        if not self.rule.respects_max_degree:
            return [has_room]
        return [has_room, has_room & (self.degree[: self.problem.num_nodes] < max(self.delta, self.degree.max()))]

    def _have_room(self) -> NDArray[np.bool_]:
        """Which nodes may take another link."""
        limit = np.iinfo(np.int64).max if self.rule.max_degree is None else self.rule.max_degree
        have_room: NDArray[np.bool_] = self.degree[: self.problem.num_nodes] < limit
        return have_room

    def _look(self, group: int, takes: NDArray[np.bool_], searching: NDArray[np.int64], tell: ProgressFn) -> None:
        partner, worth, others = self._search(self._scene(takes), searching, self._length, tell)
        columns = slice(group * self._length, (group + 1) * self._length)
        self._lists.partner[searching, columns] = partner
        self._lists.worth[searching, columns] = worth
        self._lists.others[group, searching] = others
        self.num_searching += len(searching)

    def _scene(self, takes: NDArray[np.bool_]) -> Scene:
        problem, members = self.problem, self.members
        is_large = self._sizes >= PEERS * self._sizes[0]
        needed = np.where(is_large, ENOUGH * members.away[: problem.num_nodes], 0).astype(np.int32)
        if not members.rows.shape[2]:
            nobody, nothing = np.empty(0, dtype=np.int32), np.empty((0, 0), dtype=np.uint64)
            pool = Pool(nobody, nobody, nothing, nothing, nothing)
            return Scene(members, takes, self.excluded, needed, problem.marks, pool, order=self._order())
        # A node searches only if it is unconnected in at least floor // 2 topics. The lists are prepared only if
        # reading that many lists of average length takes few enough steps.
        walks = self.floor // 2 * (len(problem.topics) / problem.num_topics) <= LIMITS.whole
        by_topic = problem.by_topic if walks else None
        return Scene(members, takes, self.excluded, needed, problem.marks, self._pool(takes), by_topic=by_topic)

    def _pool(self, takes: NDArray[np.bool_]) -> Pool:
        """The pool of large nodes, as bit rows: half are those with most topics, half those with most unconnected
        topics.
        """
        words = self.problem.words
        alike = int(np.searchsorted(-self._sizes, -ALIKE * self._sizes[0], side="right"))
        pool_size = max(BLOCK, min(max(alike, FEWEST_IN_POOL), MOST_WORDS_IN_POOL // words))
        worth_it = np.flatnonzero(takes[: np.searchsorted(-self._sizes, -self.floor, side="right")])
        away = self.members.away[worth_it].astype(np.int64)
        order = np.argsort(-away, kind="stable")
        lost, rest = worth_it[order[: pool_size // 2]], worth_it[np.sort(order[pool_size // 2 :])]
        inside = np.concatenate((rest[: pool_size - len(lost)], lost))
        padded = -(-len(inside) // BLOCK) * BLOCK
        nodes = np.full(padded, NOBODY, dtype=np.int32)
        nodes[: len(inside)] = inside
        place = np.full(self.problem.num_nodes, NOBODY, dtype=np.int32)
        place[inside] = np.arange(len(inside))
        turned = np.zeros((2, words, padded), dtype=np.uint64)
        turned[:, :, : len(inside)] = self.members.rows[inside].transpose(1, 2, 0)
        any_away = np.bitwise_or.reduce(turned[1].reshape(words, -1, BLOCK), axis=2)
        return Pool(nodes, place, turned[0], turned[1], any_away)

    def _order(self) -> NDArray[np.int32]:
        """The order in which nodes are listed: a few with most unconnected topics first, then all others in random
        order.
        """
        away = self.members.away[: self.problem.num_nodes].astype(np.int64)
        order = np.argsort(self._drawn(self.problem.marks), kind="stable")
        first = np.argsort(-away, kind="stable")[: max(1, int(len(away) * SHARE_AT_HEAD))]
        rest = np.ones(len(away), dtype=bool)
        rest[first] = False
        return np.concatenate((first, order[rest[order]])).astype(np.int32)

    def _drawn(self, marks: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """One random number per node for this round, derived from the hash of its label, so that it does not depend on
        other nodes.
        """
        drawn: NDArray[np.uint64] = scramble(marks + shuffle_key((self._seed, self.number)))
        return drawn

    def _between_components(self) -> NDArray[np.int64]:
        """In the last round, one candidate pair for each component not connected to the largest: a node inside it with
        a node outside.
        """
        problem, members = self.problem, self.members
        if not self.is_last:
            return np.empty((0, 2), dtype=np.int64)
        roots = np.flatnonzero(members.label == np.arange(len(members.label)))
        topic = problem.topics[roots]
        first = np.full(problem.num_topics, -1, dtype=np.int64)
        first[topic[::-1]] = roots[::-1]
        home = np.where(members.home < 0, first, members.home)[topic]
        away = roots != home
        start, nodes = problem.by_topic
        marks = problem.marks[members.owner[roots]] + topic.astype(np.uint64) * GOLDEN
        draw = (self._drawn(marks) >> np.uint64(11)) * 2.0**-53
        anybody = nodes[start[topic] + (draw * np.diff(start)[topic]).astype(np.int64)]
        pairs = np.column_stack((members.owner[roots], np.where(draw < 0.5, anybody, members.owner[home])))[away]
        pairs = pairs[pairs[:, 0] != pairs[:, 1]].astype(np.int64)
        free: NDArray[np.int64] = pairs[~np.isin(codes(pairs, problem.num_nodes), self.excluded)]
        return free
