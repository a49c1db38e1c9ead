"""Near candidates for the greedy family: a few good partners for every node instead of all pairs.

A dozen partners for each node will do, if they are chosen anew, by what their links would merge *now*, whenever the
sweep has come down some way. Each such round has a floor: the least contribution it goes down to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import get_num_threads

from topicweave.kernels import near as kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.algorithms.problem import Problem
    from topicweave.kernels.membership import Membership

AUTO_NODES = 20_000  # more nodes than this: candidates="auto" means near
NUM_CANDIDATES = 16
WINDOW, HEAD = 512, 128  # subscribers of a topic that a node meets: around its own place, and at the head of the list
SHARE_AT_HEAD = 1 / 32  # of the nodes: those with most to connect, who stand before all others in the lists
LARGEST_TOLD_APART = 1 << 12
SHRINK = 0.7  # each floor against the last


def codes(pairs: NDArray[np.int64], num_nodes: int) -> NDArray[np.int64]:
    """One number for each pair, whichever end comes first."""
    return np.minimum(pairs[:, 0], pairs[:, 1]) * num_nodes + np.maximum(pairs[:, 0], pairs[:, 1])


class Rounds:
    """The rounds of a design: each has a floor below the last one's; those at 1 go on until all is done.

    Attributes
    ----------
    number
        Rounds that have ended.
    floor
        The least contribution of the present one; 0 when nothing more can be done.
    """

    def __init__(self, problem: Problem, seed: int) -> None:
        largest = int(np.diff(problem.indptr).max(initial=0))
        self._top = max(1, int(largest * SHRINK))
        self.seed = seed
        self.number = 0
        self.floor = self._top

    def end(self, num_links: int, *, delta_rose: bool) -> None:
        """Go on to the next round."""
        self.number += 1
        if delta_rose:  # everything is open again
            self.floor = self._top
        elif self.floor > 1 or num_links == 0:
            self.floor = int(self.floor * SHRINK)


def candidates(
    problem: Problem,
    members: Membership,
    degree: NDArray[np.int32],
    spares_delta: bool,
    num_candidates: int,
    rounds: Rounds,
) -> NDArray[np.int64]:
    """Pairs of nodes worth a look in this round, the lower number first.

    A link merges no more than the smaller of its ends has topics, so only nodes of at least the round's floor look and
    are looked at. Where the maximum degree Δ is to be spared, half of the candidates are among the nodes that may take
    links without raising it.
    """
    is_away = members.label != members.home[problem.topics]
    large = np.diff(problem.indptr) >= rounds.floor
    order = _order(members.away[: problem.num_nodes], rounds)
    order = order[large[order]]
    listed = large[members.owner]
    everybody = _line_up(problem, members, order, listed)
    away_only = _line_up(problem, members, order, is_away & listed)
    groups = [large]
    if spares_delta and (is_open := large & (degree[: problem.num_nodes] < degree.max())).any():
        groups.append(is_open)
    pairs = [
        _choose(problem, members, takes, everybody, away_only, is_away, max(1, num_candidates // len(groups)))
        for takes in groups
    ]
    if rounds.floor == 1:
        pairs.append(_between_components(problem, members, everybody, rounds))
    return np.concatenate(pairs)


def _between_components(
    problem: Problem, members: Membership, everybody: kernel.Crowds, rounds: Rounds
) -> NDArray[np.int64]:
    """A pair for every component that is not home, one of its nodes and anybody outside: so everything gets done."""
    roots = np.flatnonzero(members.label == np.arange(len(members.label)))
    topic = problem.topics[roots]
    first = np.full(problem.num_topics, -1, dtype=np.int64)
    first[topic[::-1]] = roots[::-1]
    home = np.where(members.home < 0, first, members.home)[topic]
    start, length = everybody.start[topic], np.diff(everybody.start)[topic]
    draw = np.random.default_rng([rounds.seed, rounds.number, 1]).random(len(roots))
    anybody = start + (draw * length).astype(np.int64)
    other = np.where(everybody.label[anybody] == roots, members.owner[home], everybody.node[anybody])
    away = roots != home
    return np.sort(np.column_stack((members.owner[roots[away]], other[away])).astype(np.int64), axis=1)


def _order(away: NDArray[np.unsignedinteger], rounds: Rounds) -> NDArray[np.int64]:
    """All nodes: a few with most topics away from home first, the others at random."""
    generator = np.random.default_rng([rounds.seed, rounds.number])
    order = generator.permutation(len(away))
    heavy = max(1, int(len(away) * SHARE_AT_HEAD))
    first = np.argsort(-away.astype(np.int64), kind="stable")[:heavy]
    rest = np.ones(len(away), dtype=bool)
    rest[first] = False
    return np.concatenate((first, order[rest[order]]))


def _line_up(
    problem: Problem, members: Membership, order: NDArray[np.int64], listed: NDArray[np.bool_]
) -> kernel.Crowds:
    sizes = np.bincount(problem.topics[listed], minlength=problem.num_topics)
    start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    crowds = kernel.Crowds(
        start=start,
        node=np.empty(int(start[-1]), dtype=np.int32),
        label=np.empty(int(start[-1]), dtype=np.int32),
        place=np.empty(len(problem.topics), dtype=np.int32),
    )
    kernel.line_up(order, problem.indptr, problem.topics, listed, members.label, *crowds)
    return crowds


def _choose(
    problem: Problem,
    members: Membership,
    takes: NDArray[np.bool_],
    everybody: kernel.Crowds,
    away_only: kernel.Crowds,
    is_away: NDArray[np.bool_],
    num_candidates: int,
) -> NDArray[np.int64]:
    # A pair contributes only where one of the two is away from home, so it is enough that those look.
    searching = np.flatnonzero((members.away[: problem.num_nodes] > 0) & takes)
    chosen = np.empty((len(searching), num_candidates), dtype=np.int32)
    most = min(LARGEST_TOLD_APART, int(np.diff(problem.indptr).max(initial=0)))
    kernel.nearest(
        problem.indptr, problem.topics, members.label, takes, everybody, away_only, is_away, searching, WINDOW, HEAD,
        most, chosen, get_num_threads(),
    )  # fmt: skip
    row, column = np.nonzero(chosen != kernel.NOBODY)
    ends = np.column_stack((searching[row], chosen[row, column]))
    return np.sort(ends, axis=1)
