"""Random links under a budget: RandomA and RandomM (PART §IX-A), the baseline that every planned overlay must beat.

Pairs are drawn uniformly at random and without repetition from all pairs of nodes, whether they share a topic or not,
until the budget is used up or every topic is connected. A pair that cannot be linked when it is drawn can never be
linked later, because degrees only grow; drawing only from pairs whose ends still have room therefore gives the same
overlays, and sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest

# With at most this many pairs, all pairs are listed and shuffled; with more, pairs are drawn one by one.
LISTED_PAIRS = 1 << 20
# If less than this share of the drawn pairs is new, it is faster to list all pairs, and to drop those that are
# linked, than to keep drawing. By then nearly all pairs are linked, so the list is hardly longer than that of links.
LEAST_FRESH = 1 / 8


def random_avg(interest: Interest, *, m: int, seed: int = 0) -> NDArray[np.int64]:
    """RandomA: at most ``m`` random links.

    Parameters
    ----------
    interest
        The subscriptions.
    m
        The most links allowed; 0 gives the empty overlay.
    seed
        The same seed gives the same links.

    Returns
    -------
    Edges (m, 2), ``u < v``, in the order drawn. Drawing ends with the link that makes the overlay topic-connected.

    References
    ----------
    PART §IX-A.
    """
    return _RandomLinks(interest, max_edges=m, max_degree=interest.num_nodes, seed=seed).draw()


def random_max(interest: Interest, *, d: int, seed: int = 0) -> NDArray[np.int64]:
    """RandomM: random links, at most ``d`` at any node.

    A pair is skipped if one of its ends already has ``d`` links. Drawing ends when no pair with room at both ends is
    left or the overlay is topic-connected. ``d = 0`` gives the empty overlay. Otherwise as :func:`random_avg`.

    References
    ----------
    PART §IX-A.
    """
    max_edges = interest.num_nodes * (interest.num_nodes - 1) // 2
    return _RandomLinks(interest, max_edges=max_edges, max_degree=d, seed=seed).draw()


class _RandomLinks:
    """The links drawn so far, and the components into which they divide each topic."""

    def __init__(self, interest: Interest, *, max_edges: int, max_degree: int, seed: int) -> None:
        self.interest = interest
        self.num_nodes = interest.num_nodes
        self.max_degree = max_degree
        self.num_wanted = min(max_edges, self.num_nodes * max_degree // 2)
        self.rng = np.random.default_rng(seed)
        self.degrees = np.zeros(self.num_nodes, dtype=np.int64)
        self.parent = np.full(interest.num_subscriptions, -1, dtype=np.int64)
        self.pieces = np.diff(interest.subscribers[0])
        self.missing = int(np.maximum(self.pieces - 1, 0).sum())
        self.links: list[NDArray[np.int64]] = [np.empty((0, 2), dtype=np.int64)]
        self.linked = np.empty(0, dtype=np.int64)  # all links as sorted numbers, one number per pair of nodes

    def draw(self) -> NDArray[np.int64]:
        """Draw random links until the budget is used up or everything is connected; return the links."""
        while self.num_wanted > 0 and self.missing > 0:
            with_room = np.flatnonzero(self.degrees < self.max_degree)
            if len(with_room) * (len(with_room) - 1) // 2 <= LISTED_PAIRS:
                return self._finish(with_room)
            # Draw as many pairs as there are links already. If all topics are connected soon after that, few of the
            # draws were wasted.
            num_drawn = max(4096, min(self.num_wanted, len(self.linked)))
            ends = with_room[self.rng.integers(0, len(with_room), size=(num_drawn, 2))]
            ends = ends[ends[:, 0] != ends[:, 1]]
            fresh = self._fresh(ends.min(axis=1) * self.num_nodes + ends.max(axis=1))
            self._take(fresh)
            if len(fresh) < LEAST_FRESH * num_drawn:
                return self._finish(np.flatnonzero(self.degrees < self.max_degree))
        return np.concatenate(self.links)

    def _finish(self, with_room: NDArray[np.int64]) -> NDArray[np.int64]:
        """List all pairs not yet linked, try them in random order and return the links."""
        if len(with_room) > 1:
            rows = [with_room[i] * self.num_nodes + with_room[i + 1 :] for i in range(len(with_room) - 1)]
            codes = np.concatenate(rows)
            self._take(self.rng.permutation(codes[~self._is_linked(codes)]))
        return np.concatenate(self.links)

    def _fresh(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The drawn pairs that are new, in the order drawn: without existing links and without repetitions."""
        codes = codes[~self._is_linked(codes)]
        first_places = np.unique(codes, return_index=True)[1]
        return codes[np.sort(first_places)]

    def _is_linked(self, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        if not len(self.linked):
            return np.zeros(len(codes), dtype=bool)
        places = np.minimum(np.searchsorted(self.linked, codes), len(self.linked) - 1)
        found: NDArray[np.bool_] = self.linked[places] == codes
        return found

    def _take(self, codes: NDArray[np.int64]) -> None:
        """Link these pairs in order, until the budget is used up."""
        from topicweave.kernels.components import take_pairs

        pairs = np.stack(np.divmod(codes, self.num_nodes), axis=1)
        taken, missing = take_pairs(
            self.interest.indptr,
            self.interest.indices,
            self.parent,
            self.pieces,
            self.degrees,
            pairs,
            self.max_degree,
            self.num_wanted,
            self.missing,
        )
        self.missing = int(missing)
        self.num_wanted -= int(taken.sum())
        self.links.append(pairs[taken])
        self.linked = np.sort(np.concatenate((self.linked, codes[taken])))
