"""Ruin and recreate, starting from a given overlay: the state of the search, and functions to run it in slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.kernels.optimise import ruin
from topicweave.kernels.optimise.network import SearchNetwork, link_all, list_links, set_bits
from topicweave.kernels.optimise.parts import MOST_ENDS, Parts
from topicweave.kernels.optimise.ruin import MOST_ADDED, MOST_LOST, Move, Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from topicweave.model import Interest

LEAST_LOST, MOST_LOST_USUAL = 4, 8
BLINK = 0.03
REWARD = 13  # what each common topic of its two ends may add to the rank of a candidate link, in 128ths of a merge
BONUS = 8  # what a candidate link gains in rank if it is in the running network, in sixteenths of a merge
SPARE = 24  # during the search, a node may get up to twice the links it has at the start, plus this many
TRIMMED_AT_ONCE = 1000  # how many links ``trim`` tries to drop between two checks of the time
CANDIDATES = 1 << 17
UNLIMITED = 1 << 60


class LinkSearch:
    """An overlay that is being improved by ruin and recreate.

    Parameters
    ----------
    interest
        The interest that it connects.
    links
        (m, 2): a topic-connected overlay.
    cap
        The most links of each node; a node above its limit only loses links.
    kept
        Links of a running network, which are preferred, (m, 2); None if there is none.
    most_changes
        The most links that may differ from those.
    seed
        Seed of all random choices.

    Attributes
    ----------
    num_moves, num_vain_moves
        Moves made, and moves since a link was last saved.
    """

    def __init__(
        self,
        interest: Interest,
        links: NDArray[np.int64],
        cap: NDArray[np.int64],
        *,
        kept: NDArray[np.int64] | None = None,
        most_changes: int | None = None,
        seed: int = 0,
    ) -> None:
        self._num_nodes = interest.num_nodes
        self.num_moves = self.num_vain_moves = 0
        self._cap = cap
        self._net = _network(interest, links, cap)
        self._parts, self._move = _scratch(interest)
        code = np.empty(0, dtype=np.int64) if kept is None else np.sort(self._codes(kept))
        self._kept = code
        self._most_changes = UNLIMITED if most_changes is None else most_changes
        changes = 0 if kept is None else len(np.setxor1d(code, self._codes(links)))
        self._standing = np.array([len(links), changes, len(links), changes], dtype=np.int64)
        self._best = self._net.neighbours.copy(), self._net.degree.copy()
        # A start value for the generator of random numbers: not 0, and different for every seed, however large.
        self._state = np.random.SeedSequence(seed).generate_state(1, np.uint64) | np.uint64(1)

    @property
    def num_edges(self) -> int:
        """The number of links of the best overlay found."""
        return int(self._standing[2])

    @property
    def num_changes(self) -> int:
        """By how many links the best overlay differs from the running network."""
        return int(self._standing[3])

    def run(self, num_moves: int) -> int:
        """Try ``num_moves`` moves of ruin and recreate; return how many were accepted."""
        before = self.num_edges
        accepted = self._run(num_moves, np.empty(0, dtype=np.int64), 0)
        self.num_moves += num_moves
        self.num_vain_moves = self.num_vain_moves + num_moves if self.num_edges == before else 0
        return accepted

    def trim(self, is_over: Callable[[], bool] | None = None) -> None:
        """Drop links that no topic needs, starting at the nodes with the most links; stops when the time is up."""
        links = list_links(self._net)
        degree = self._net.degree[links].sum(axis=1)
        links = links[np.lexsort((links[:, 1], links[:, 0], -degree))]
        rules = self._rules(np.empty(0, dtype=np.int64), 0)
        for first in range(0, len(links), TRIMMED_AT_ONCE):
            some = links[first : first + TRIMMED_AT_ONCE]
            ruin.drop_needless(self._net, self._parts, rules, self._standing, self._best, some)
            if is_over is not None and is_over():
                break

    def repair_degrees(self, num_tries: int, is_over: Callable[[], bool] | None = None) -> bool:
        """Move links away from nodes that exceed their limit; return whether all nodes are within it afterwards."""
        for _ in range(num_tries):
            above = np.flatnonzero(self._net.degree > self._cap).astype(np.int64)
            if not len(above) or (is_over is not None and is_over()):
                break
            # treat the present overlay as the best so far even if it has more links than an earlier one: the limits on
            # degrees have priority
            self._standing[2] = self._standing[0]
            self._run(16, above, 2)
        self._standing[2:] = self._standing[:2]
        self._best[0][:], self._best[1][:] = self._net.neighbours, self._net.degree
        return bool((self._net.degree <= self._cap).all())

    def links(self) -> NDArray[np.int64]:
        """The links of the best overlay found."""
        net = self._net._replace(neighbours=self._best[0], degree=self._best[1])
        found: NDArray[np.int64] = list_links(net)
        order: NDArray[np.intp] = np.lexsort((found[:, 1], found[:, 0]))
        return np.ascontiguousarray(found[order])

    def _run(self, num_moves: int, centres: NDArray[np.int64], slack: int) -> int:
        rules = self._rules(centres, slack)
        return int(
            ruin.ruin_and_recreate(
                self._net, self._parts, self._move, rules, self._standing, self._best, self._state, num_moves
            )
        )

    def _rules(self, centres: NDArray[np.int64], slack: int) -> Rules:
        blink = int(BLINK * (1 << ruin.CHANCE_BITS))
        return Rules(LEAST_LOST, MOST_LOST_USUAL, blink, REWARD, slack, self._kept, BONUS, self._most_changes, centres)

    def _codes(self, links: NDArray[np.int64]) -> NDArray[np.int64]:
        codes: NDArray[np.int64] = links[:, 0] * self._num_nodes + links[:, 1]
        return codes


def _network(interest: Interest, links: NDArray[np.int64], cap: NDArray[np.int64]) -> SearchNetwork:
    degree = np.bincount(links.ravel(), minlength=interest.num_nodes)
    most = np.minimum(cap, 2 * degree + SPARE)
    start = np.concatenate(([0], np.cumsum(np.maximum(most, degree)))).astype(np.int64)
    topic_indptr, members = (np.array(each) for each in interest.subscribers)
    indptr, topics = np.array(interest.indptr), np.array(interest.indices)
    net = SearchNetwork(
        indptr, topics, topic_indptr, members, set_bits(indptr, topics, interest.num_topics), start,
        np.zeros(start[-1], dtype=np.int32), np.zeros(interest.num_nodes, dtype=np.int32), most.astype(np.int32),
    )  # fmt: skip
    link_all(net, links)
    return net


def _scratch(interest: Interest) -> tuple[Parts, Move]:
    """Allocate scratch arrays for the largest possible move: its topics, the parts they fall into, and the members of
    these.
    """
    num_nodes, sizes = interest.num_nodes, interest.topic_sizes
    places = min(interest.num_topics, MOST_LOST * int(np.diff(interest.indptr).max(initial=0)))
    num_parts = places * (2 * MOST_LOST + 1) + 1
    num_words = max(1, (interest.num_topics + 63) >> 6)
    num_members = int(np.sort(sizes)[::-1][:places].sum())

    def numbers(*shape: int) -> NDArray[np.int32]:
        return np.zeros(shape, dtype=np.int32)

    parts = Parts(
        np.zeros(6, dtype=np.int64), np.zeros((MOST_LOST, num_words), dtype=np.uint64),
        np.zeros(num_words, dtype=np.uint64), numbers(places),
        np.full(interest.num_topics, -1, dtype=np.int32), numbers(places),
        np.zeros(num_words, dtype=np.uint64), numbers(num_words),
        numbers(places, num_nodes), numbers(num_parts), numbers(num_parts), numbers(num_parts), numbers(num_parts),
        numbers(num_parts), numbers(places), numbers(num_members), np.zeros(num_nodes, dtype=np.int64),
        numbers(MOST_ENDS, num_nodes), numbers(MOST_ENDS), numbers(MOST_ENDS), numbers(MOST_ENDS),
    )  # fmt: skip
    move = Move(
        np.zeros((MOST_LOST, 2), dtype=np.int64), np.zeros((MOST_ADDED, 2), dtype=np.int64), numbers(CANDIDATES),
        numbers(CANDIDATES), numbers(CANDIDATES), numbers(CANDIDATES), np.zeros(CANDIDATES, dtype=np.int64),
        numbers(num_nodes), numbers(num_nodes), numbers(interest.num_topics + 1), numbers(num_nodes),
        np.zeros(num_nodes, dtype=np.bool_),
    )  # fmt: skip
    return parts, move
