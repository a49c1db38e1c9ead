"""Near candidates for the greedy family: a few good partners for every node instead of all pairs.

A dozen partners per node are enough if they are those with which a link would contribute most *now*. So every node
keeps a shortlist, and a bound on what a link with any other node can contribute. The sweep descends in rounds; each has
a *floor*, the lowest contribution that it accepts. Before a round, a node searches again only if there may be better
partners than those it knows. Rules that respect the maximum degree Δ have *open* nodes, which can take a link without
raising Δ, and each node keeps two shortlists: one of all nodes, one of open nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numba import get_num_threads

from topicweave.algorithms.greedy.loop import pairs_between_components, shuffle_key, slices, table_of
from topicweave.algorithms.greedy.problem import codes, pool_of
from topicweave.kernels.csr import starts_of, subscribers_away
from topicweave.kernels.greedy.near import (
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

LIMITS = SearchLimits(cheap=1 << 11, whole=1 << 13, head=128, window=512)
# Nodes of nearly maximal size also search the lists of their topics, unless they already know a link that connects at
# least a share ENOUGH of their unconnected topics.
PEERS, ENOUGH = 0.9, 0.75
SHARE_AT_HEAD = 1 / 32  # of the nodes, those with the most unconnected topics, come first in every list
LARGEST_TOLD_APART = 1 << 12
# After each round, the floor is multiplied by SHRINK; below SMALL_FLOOR, where each level is a large step already, by
# SHRINK_BELOW.
SHRINK, SHRINK_BELOW, SMALL_FLOOR = 0.4, 0.7, 16
# Δ may start high if the largest node has at most this many times as many topics as the median node. With 10 to 90
# topics per node (5 times the median), starting high gives fewer links for the same Δ. With 20 to 600 (15 times), Δ
# would end up 2 higher, and the support of gpm 3 percentage points lower.
LOPSIDED = 8
# If at most this share of the nodes became open when Δ rose, only these search again, and the floor stays where it is.
FEW_REOPENED = 1 / 8
ALL, OPEN = 0, 1  # the two groups of partners, each with its own shortlist


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
        """Two lists of nodes per topic: all its subscribers, and the subscribers "away", which are not in its home
        component yet.
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
    pool = pool_of(problem, members, takes, floor)
    return Scene(members, takes, excluded, needed, problem.marks, pool, by_topic=by_topic)


def _order(away: NDArray[np.int64], drawn: NDArray[np.uint64]) -> NDArray[np.int32]:
    """The order in which nodes are listed: a few with the most unconnected topics, then all others in random order."""
    order = np.argsort(drawn, kind="stable")
    first = np.argsort(-away, kind="stable")[: max(1, int(len(away) * SHARE_AT_HEAD))]
    rest = np.ones(len(away), dtype=bool)
    rest[first] = False
    return np.concatenate((first, order[rest[order]])).astype(np.int32)


class Rounds:
    """The rounds of a design; every round has its own candidates and its own floor, the lowest contribution it accepts.

    Parameters
    ----------
    task
        The task being designed; its state is read again before every round.
    num_candidates
        Number of partners that a node knows. If Δ is to be respected and not all nodes are open, half of them are
        open nodes.
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
        # If every node fits into every shortlist, the algorithm's rule is applied exactly, so nothing may be skipped.
        self._holds_all = self._length >= problem.num_nodes - 1
        self._is_joint = np.zeros(problem.num_nodes, dtype=bool)  # nodes whose two shortlists are one long list
        self._reopened = np.zeros(problem.num_nodes, dtype=bool)  # nodes that are open again because Δ has just risen
        self.task = task
        self.delta = 0
        self.is_last = False

    def next(self, tell: ProgressFn = lambda share: None) -> PairTable | None:
        """The candidates of the next round; None if nothing is left to search."""
        self.number += 1
        floor_before = self.floor
        self._lower_floor()
        for part in slices(self.problem.num_nodes, lambda share: tell(1.0)):
            what = self.members, self._lists, self.floor, part.start, part.stop, np.zeros(1, dtype=np.int64)
            lower_worth_on_threads(*what, get_num_threads())
        away = self.members.away[: self.problem.num_nodes].astype(np.int64)
        self._refill(away, tell, is_repeated=self.floor == floor_before)
        self._raise_delta()
        has_room = self._have_room()
        if not has_room.all():
            partner = self._lists.partner
            self._lists.worth[~(has_room[:, None] & has_room[partner] & (partner != NOBODY))] = 0
        # in the last round, there is a pair for each component that is left
        between = np.empty((0, 2), dtype=np.int64)
        if self.is_last:
            between = pairs_between_components(self.problem, self.members, self._drawn)
            between = between[~np.isin(codes(between, self.problem.num_nodes), self.excluded)]
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

    # ---- how far down ------------------------------------------------------------------------------------------------

    def _lower_floor(self) -> None:
        """Lower the floor by a step. If Δ has risen, nodes that are open again may be better partners than the known
        candidates: if few nodes are open again, only these search again, otherwise the floor starts again from the top.
        """
        delta = int(self.degree.max())
        has_risen = self.floor > 0 and self.rule.respects_max_degree and delta > self.delta
        self._reopened[:] = has_risen and self.degree[: self.problem.num_nodes] >= self.delta
        others = self._lists.others
        if has_risen and not self._holds_all and self._reopened.mean() <= FEW_REOPENED:
            others[OPEN, self._reopened] = others[ALL, self._reopened]
        elif has_risen or self.floor == 0:
            others[-1] = others[ALL]
            self.floor = max(1, int(self._top() / min(self.rule.ratio, 1 / SHRINK)))
        elif self.floor == 1:
            # no node finds candidates any more: the last round offers one pair for each component left
            self.is_last = True
        else:
            shrunk = self.floor * (SHRINK if self.floor > SMALL_FLOOR else SHRINK_BELOW)
            self.floor = max(1, min(int(shrunk), self._top()))
        self.delta = max(self.delta, delta)

    def _top(self) -> int:
        away = self.members.away[: self.problem.num_nodes].astype(np.int64)
        hope = np.minimum(self._lists.others.max(axis=0), 2 * away)
        return max(1, int(hope.max(initial=0)), int(self._lists.worth.max(initial=0)))

    def _raise_delta(self) -> None:
        """Raise the maximum degree Δ at once to what the design will need anyway, because raising it step by step would
        cost a series of rounds.

        This is the final average degree if every link still to come merges as much, on average, as the best link of
        each node does now. Contributions only fall, so the average is unlikely to end lower.
        """
        best = self._lists.worth.max(axis=1)
        best = best[best > 0]
        is_lopsided = self._sizes[0] > LOPSIDED * np.median(self._sizes)
        if not self.rule.respects_max_degree or is_lopsided or self._holds_all or not len(best):
            return
        links_to_come = self.task.merges_left / best.mean()
        needed = (int(self.degree.sum()) + 2 * links_to_come) / self.problem.num_nodes
        delta = int(needed if self.rule.max_degree is None else min(needed, self.rule.max_degree))
        if delta > self.delta:
            self.delta = delta
            self._lists.others[OPEN] = self._lists.others[ALL]

    # ---- who searches ------------------------------------------------------------------------------------------------

    def _refill(self, away: NDArray[np.int64], tell: ProgressFn, *, is_repeated: bool) -> None:
        """Search again for nodes that may have better partners than they know; ``is_repeated`` says that the floor is
        that of the round before.
        """
        self.num_searching = 0
        # If linking a pair would connect c topics, then one of its ends is not in the largest component of at least c/2
        # of them. So one of the two ends searches for partners here.
        hope = np.minimum(self._lists.others, 2 * away)
        has_room = self._have_room()
        if not self.rule.respects_max_degree:
            self._look((ALL,), has_room, hope[ALL] >= self.floor, tell)
            return
        is_open = has_room & (self.degree[: self.problem.num_nodes] < max(self.delta, self.degree.max()))
        if self._holds_all:
            self._look((ALL,), has_room, hope[ALL] >= self.floor, tell)
            self._look((OPEN,), is_open, hope[OPEN] >= self.floor, tell)
            return
        hope[OPEN] = np.where(self._reopened, self._lists.others[OPEN], hope[OPEN])
        if (is_open == has_room).all():  # both searches would find the same partners
            self._look((ALL, OPEN), has_room, hope[OPEN] >= self.floor, tell)
            return
        searches = hope[OPEN] >= self.floor
        if is_repeated:  # the links made since are few, so nodes that still know enough partners need not search
            searches[searches] = self._num_open_pairs(is_open, searches) < self._length // 2
        self._look((OPEN,), is_open, searches, tell)
        # A link that raises Δ must contribute ``ratio`` times as much as every open pair, unless there is none.
        factor = self.rule.ratio if self._num_open_pairs(is_open, is_open).any() else 1
        self._look((ALL,), has_room, hope[ALL] >= factor * self.floor, tell)

    def _num_open_pairs(self, is_open: NDArray[np.bool_], nodes: NDArray[np.bool_]) -> NDArray[np.int64]:
        """For each of these nodes, how many open nodes it knows with which a link would be worth the floor."""
        is_worth_it = self._lists.worth[nodes] >= self.floor
        count: NDArray[np.int64] = (is_worth_it & is_open[self._lists.partner[nodes]]).sum(axis=1)
        return count

    def _have_room(self) -> NDArray[np.bool_]:
        """Which nodes may take another link."""
        limit = np.iinfo(np.int64).max if self.rule.max_degree is None else self.rule.max_degree
        have_room: NDArray[np.bool_] = self.degree[: self.problem.num_nodes] < limit
        return have_room

    def _look(
        self, groups: tuple[int, ...], takes: NDArray[np.bool_], searches: NDArray[np.bool_], tell: ProgressFn
    ) -> None:
        """Search for all nodes that may be chosen and should search; fill one of their two shortlists, or both."""
        searching = np.flatnonzero(searches & takes)
        if not len(searching):
            return
        lists = self._lists
        columns = slice(groups[0] * self._length, (groups[-1] + 1) * self._length)
        scene = scene_of(self.problem, self.members, takes, self.excluded, self.floor, self._drawn(self.problem.marks))
        partner, worth, others = self._search(scene, searching, len(groups) * self._length, tell)
        joint = searching[self._is_joint[searching]]
        if len(groups) == 1 and len(joint):  # dropped partners must not exceed the other shortlist's bound
            other, dropped = 1 - groups[0], lists.worth[joint, columns].max(axis=1, initial=0)
            lists.others[other, joint] = np.maximum(lists.others[other, joint], dropped)
        self._is_joint[searching] = len(groups) == 2
        lists.others[groups[0] : groups[-1] + 1, searching] = others
        lists.partner[searching, columns] = partner
        lists.worth[searching, columns] = worth
        self.num_searching += len(searching)

    def _drawn(self, marks: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """One random number per node for this round, derived from the hash of its label, so that it does not depend on
        other nodes.
        """
        drawn: NDArray[np.uint64] = scramble(marks + shuffle_key((self._seed, self.number)))
        return drawn
