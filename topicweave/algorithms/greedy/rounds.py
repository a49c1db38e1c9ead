"""The rounds of a design with near candidates: how far down each round goes, and which nodes search again before it.

Each round has a *floor*, the lowest contribution that it accepts. Before a round, a node searches again only if there
may be better partners than those it knows. Rules that respect the maximum degree Δ have *open* nodes, which can take a
link without raising Δ, and each node keeps two shortlists: one of all nodes, one of open nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import get_num_threads

from topicweave.algorithms.greedy.loop import shuffle_key, slices, table_of
from topicweave.algorithms.greedy.near import scene_of, search
from topicweave.algorithms.greedy.problem import codes
from topicweave.kernels.csr import starts_of
from topicweave.kernels.greedy.near import NOBODY
from topicweave.kernels.greedy.pair_table import SEGMENT, take_bounds
from topicweave.kernels.greedy.shortlists import Shortlists, contributions, lower_worth_on_threads, pairs_worth
from topicweave.kernels.labels import scramble

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.algorithms.greedy.loop import ProgressFn, Task
    from topicweave.algorithms.greedy.near import Search
    from topicweave.kernels.greedy.pair_table import PairTable

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # multiplier that spreads topic numbers over 64 bits
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
        self._lower_worth(tell)
        away = self.members.away[: self.problem.num_nodes].astype(np.int64)
        self._refill(away, tell, is_repeated=self.floor == floor_before)
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

    # ---- how far down ------------------------------------------------------------------------------------------------

    def _lower_floor(self) -> None:
        """Lower the floor by a step. If Δ has risen, nodes that are open again may be better partners than those known:
        if they are few, only they search again, otherwise the floor starts again from the top.
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

    def _lower_worth(self, tell: ProgressFn) -> None:
        """Recount the pairs in the shortlists that may still be worth the floor."""
        for part in slices(self.problem.num_nodes, lambda share: tell(1.0)):
            what = self.members, self._lists, self.floor, part.start, part.stop, np.zeros(1, dtype=np.int64)
            lower_worth_on_threads(*what, get_num_threads())

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
        """Search for those nodes that may be chosen and should search; fill one of their shortlists, or both as one."""
        searching = np.flatnonzero(searches & takes)
        if not len(searching):
            return
        lists = self._lists
        columns = slice(groups[0] * self._length, (groups[-1] + 1) * self._length)
        scene = scene_of(
            self.problem, self.members, takes, self.excluded, self.floor, self._drawn(self.problem.marks)
        )  # fmt: skip
        partner, worth, others = self._search(scene, searching, len(groups) * self._length, tell)
        joint = searching[self._is_joint[searching]]
        if len(groups) == 1 and len(joint):
            # both lists were one; the bound of the other half has to hold for the partners that are dropped now
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
