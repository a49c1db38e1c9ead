"""Near candidates for the greedy family: a few good partners for every node instead of all pairs.

A dozen partners for each node will do, if they are those with which a link would merge most *now*. So every node keeps
a shortlist, and knows what a link with anybody else can merge at most. The sweep comes down in rounds; before each,
those nodes search again for which somebody better may be found at the levels of the round. As contributions only fall,
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

MOST_BITS = 1 << 33  # nodes × topics: beyond, there are no bit rows (they would take more than 2 GB)
WORDS_PER_TOPIC = 2  # of a node's bit row: if it is longer, comparing lists of topics is quicker
LIMITS = SearchLimits(cheap=1 << 11, whole=1 << 13, head=128, window=512)
# The pool: half of its nodes are those with most topics, half those with most topics away from home. It has as many
# as are about as large as the largest, within limits: large nodes are good partners for all, but not for their likes.
ALIKE, FEWEST_IN_POOL, MOST_WORDS_IN_POOL = 0.95, 1024, 40_960
PEERS, ENOUGH = 0.9, 0.75  # so large nodes also walk their lists, unless a link merges so much of what they lack
SHARE_AT_HEAD = 1 / 32  # share of the nodes, those with most to connect, that come first in every list
LARGEST_TOLD_APART = 1 << 12
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # spreads topic numbers over 64 bits
# Each floor against the last; below a certain one a level is a large step already.
SHRINK, SHRINK_BELOW, SMALL_FLOOR = 0.4, 0.7, 16
# How many times as many topics as the median node the largest may have for Δ to begin high. With sizes of 10 to 90 (5
# times) that gives fewer links at the same Δ; with 20 to 600 (15 times) Δ would end 2 higher, and gpm 3 points lower.
LOPSIDED = 8


@dataclass(frozen=True)
class Scene:
    """All that a search needs to know of a moment; small enough to travel to where the search is done.

    Attributes
    ----------
    members
        The components there are.
    takes
        Who may be chosen.
    excluded
        Codes of pairs that may not be chosen, rising.
    needed
        The least contribution with which each node is content; who finds less in the pool walks lists.
    marks
        Hashes of labels: which of equally good partners a node finds depends on its own.
    pool
        Nodes that everybody looks at, while there are bit rows.
    order
        Of the nodes in the lists, where long ones are not walked whole; else None.
    by_topic
        CSR by topic, where all lists that are walked are walked whole; else None.
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
        """The lists of everybody, and of those away from home."""
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
"""Partner and worth (nodes, room), and what others may be worth (nodes)."""


class Search(Protocol):
    """Finds partners for some nodes."""

    def __call__(self, scene: Scene, searching: NDArray[np.int64], room: int, tell: ProgressFn) -> SearchResult: ...


def search(scene: Scene, searching: NDArray[np.int64], room: int, tell: ProgressFn) -> SearchResult:
    """Search here, on all threads."""
    return search_lists(scene, scene.lists(), searching, room, get_num_threads(), tell)


def search_lists(
    scene: Scene,
    lists: tuple[TopicLists, TopicLists],
    searching: NDArray[np.int64],
    room: int,
    num_threads: int,
    tell: ProgressFn,
) -> SearchResult:
    """Search, with the lists at hand."""
    partner = np.empty((len(searching), room), dtype=np.int32)
    worth = np.empty((len(searching), room), dtype=np.int32)
    others = np.empty(len(searching), dtype=np.int32)
    most = min(LARGEST_TOLD_APART, int(np.diff(scene.members.indptr).max(initial=0)))
    space = SearchSpace(scene.takes, *lists, scene.pool, scene.needed, scene.excluded, scene.marks)
    for part in slices(len(searching), tell):
        result = partner[part], worth[part], others[part]
        on_threads(num_threads, nearest, scene.members, space, LIMITS, searching[part], result, most)
    return partner, worth, others


def has_bits(problem: Problem) -> bool:
    """Whether contributions are counted from bit rows, or from lists of topics."""
    fits = problem.num_nodes * problem.num_topics <= MOST_BITS
    return fits and problem.words * problem.num_nodes <= WORDS_PER_TOPIC * len(problem.topics)


def near_memory(problem: Problem, num_candidates: int) -> int:
    """Bytes that a design with so many candidates takes."""
    return near_bytes(problem, num_candidates, has_bits=has_bits(problem))


class Rounds:
    """The rounds of a design, each with candidates down to a floor of its own.

    Parameters
    ----------
    task
        What is designed, and how far it is: read again for every round.
    num_candidates
        Partners in a shortlist. Where Δ is to be respected, half of them are nodes that may take links without raising
        it.
    excluded
        Pairs (by number in the problem) that may not be chosen.
    search
        Finds partners.

    Attributes
    ----------
    number
        Rounds that have begun.
    floor
        The least contribution of the present one.
    delta
        The maximum degree up to which links may be made in the present round before it counts as raised.
    num_searching, num_pairs
        Searches before it (where Δ is to be respected, up to two a node), and candidates it has.
    is_last
        Nothing was found by searching down to a floor of 1; now any pair between two components is offered.
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
        self._room = max(1, num_candidates // groups)
        shape = problem.num_nodes, groups * self._room
        self._lists = Shortlists(
            partner=np.full(shape, NOBODY, dtype=np.int32),
            worth=np.zeros(shape, dtype=np.int32),
            others=np.tile(self._sizes.astype(np.int32), (groups, 1)),
        )
        self.task = task
        self.delta = 0
        self.is_last = False

    def next(self, tell: ProgressFn = lambda share: None) -> PairTable | None:
        """The candidates of the next round; None if there cannot be any more."""
        self.number += 1
        self._lower_floor()
        away = self.members.away[: self.problem.num_nodes].astype(np.int64)
        self.num_searching = 0
        for group, takes in enumerate(self._groups()):
            # Of a pair that merges as much as the floor, one end is away from home in half of that: it will search.
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
        """Go down some way; but begin at the top when everything is open again because Δ rose."""
        delta = int(self.degree.max())
        if self.floor == 0 or (self.rule.respects_max_degree and delta > self.delta):
            if self.floor:
                self._lists.others[1] = self._lists.others[0]
            self.floor = max(1, int(self._top() / min(self.rule.ratio, 1 / SHRINK)))
        elif self.floor == 1:  # searched for already, and not found: what is left to do is done between components
            self.is_last = True
        else:
            shrunk = self.floor * (SHRINK if self.floor > SMALL_FLOOR else SHRINK_BELOW)
            self.floor = max(1, min(int(shrunk), self._top()))
        self.delta = max(self.delta, delta)

    def _raise_delta(self) -> None:
        """Let Δ rise at once to what the design will need anyway: each step by itself would cost a series of rounds.

        What it will need is the average degree in the end, if every link still to come merges as much as the best link
        of a node does now, on average. Contributions only fall, so the average will hardly be lower.
        """
        best = self._lists.worth.max(axis=1)
        best = best[best > 0]
        is_lopsided = self._sizes[0] > LOPSIDED * np.median(self._sizes)
        holds_all = self._room >= self.problem.num_nodes - 1  # then the rule is kept to the letter, as over all pairs
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
        """Who may be chosen: anybody that has room; and those who may take links at this Δ."""
        has_room = self._have_room()
        if not self.rule.respects_max_degree:
            return [has_room]
        return [has_room, has_room & (self.degree[: self.problem.num_nodes] < max(self.delta, self.degree.max()))]

    def _have_room(self) -> NDArray[np.bool_]:
        """Who may take another link at all."""
        limit = np.iinfo(np.int64).max if self.rule.max_degree is None else self.rule.max_degree
        have_room: NDArray[np.bool_] = self.degree[: self.problem.num_nodes] < limit
        return have_room

    def _look(self, group: int, takes: NDArray[np.bool_], searching: NDArray[np.int64], tell: ProgressFn) -> None:
        partner, worth, others = self._search(self._scene(takes), searching, self._room, tell)
        columns = slice(group * self._room, (group + 1) * self._room)
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
        # While everybody lacks many topics, no lists are short enough to be walked whole.
        walks = self.floor // 2 * (len(problem.topics) / problem.num_topics) <= LIMITS.whole
        by_topic = problem.by_topic if walks else None
        return Scene(members, takes, self.excluded, needed, problem.marks, self._pool(takes), by_topic=by_topic)

    def _pool(self, takes: NDArray[np.bool_]) -> Pool:
        """Bit rows of some nodes of at least the floor's size: with most topics, and with most away from home."""
        words = self.problem.words
        alike = int(np.searchsorted(-self._sizes, -ALIKE * self._sizes[0], side="right"))
        room = max(BLOCK, min(max(alike, FEWEST_IN_POOL), MOST_WORDS_IN_POOL // words))
        worth_it = np.flatnonzero(takes[: np.searchsorted(-self._sizes, -self.floor, side="right")])
        away = self.members.away[worth_it].astype(np.int64)
        order = np.argsort(-away, kind="stable")
        lost, rest = worth_it[order[: room // 2]], worth_it[np.sort(order[room // 2 :])]
        inside = np.concatenate((rest[: room - len(lost)], lost))
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
        """All nodes: a few with most topics away from home first, the others at random, by their labels."""
        away = self.members.away[: self.problem.num_nodes].astype(np.int64)
        order = np.argsort(self._drawn(self.problem.marks), kind="stable")
        first = np.argsort(-away, kind="stable")[: max(1, int(len(away) * SHARE_AT_HEAD))]
        rest = np.ones(len(away), dtype=bool)
        rest[first] = False
        return np.concatenate((first, order[rest[order]])).astype(np.int32)

    def _drawn(self, marks: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """Random words of this round, one for each mark: another node that comes or goes does not change them."""
        drawn: NDArray[np.uint64] = scramble(marks + shuffle_key((self._seed, self.number)))
        return drawn

    def _between_components(self) -> NDArray[np.int64]:
        """At last a pair for every component that is not home, one of its nodes and anybody outside."""
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
