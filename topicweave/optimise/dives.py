"""Several dives from the same prices: first for all links, then for parts of them while the other links stay fixed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from topicweave.optimise.ascent import Ascent
from topicweave.optimise.dive import dive
from topicweave.parameters import seeded_generator

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from topicweave.algorithms.registry import ProgressCallback
    from topicweave.model import Interest

DISTANCES = (0.03, 0.1, 0.2)
SHARES = (0.3, 0.5)  # what share of the nodes has its links chosen again, in a dive for a part of the overlay
QUICK_PACE = (10, 0.05)
QUICK_TABLE = 1 << 19  # with at most this many prices, a dive takes a fraction of a second
NUM_WHOLE_DIVES = 3  # number of dives for all links if they are quick; the best result is taken


class Dives:
    """The prices of an ascent, from which many dives start.

    Parameters
    ----------
    interest
        The interest to connect.
    upper
        Number of links of an overlay that connects it.
    cap
        The most links of each node.
    seed
        Seed of the choice of which links are dived for again.
    """

    def __init__(self, interest: Interest, upper: int, cap: NDArray[np.int64], seed: int) -> None:
        self.ascent = Ascent(interest, float(upper))
        self._cap = cap
        self._random = seeded_generator(seed)
        self._num_dives = 0

    @property
    def least_links(self) -> int:
        """The certified lower bound on the number of links, rounded up."""
        return math.ceil(self.ascent.best - 1e-6)

    @property
    def is_quick(self) -> bool:
        """Whether a dive is fast enough to make many of them."""
        return len(self.ascent.prices.price) <= QUICK_TABLE

    def dive(self, is_over: Callable[[], bool], progress: ProgressCallback | None) -> NDArray[np.int64] | None:
        """Choose all links by a dive; if dives are quick, make several and return the best.

        None if the time was up before the first dive was done.
        """
        found = []
        for distance in (0.1, 0.05, 0.2)[: NUM_WHOLE_DIVES if self.is_quick else 1]:
            self.ascent.restore_best()
            dived = dive(self.ascent, self._cap, is_over, progress, distance=distance)
            if dived is not None:
                found.append(dived)
        return min(found, key=len, default=None)

    def dive_again(
        self, links: NDArray[np.int64], is_over: Callable[[], bool], progress: ProgressCallback | None
    ) -> NDArray[np.int64] | None:
        """Choose the links around a random node again by a dive.

        The others stay fixed. None if the time was up before it was done.
        """
        self._num_dives += 1
        share = SHARES[self._num_dives % len(SHARES)]
        is_near = self._around(links, share)
        fixed = links[~(is_near[links[:, 0]] | is_near[links[:, 1]])]
        self.ascent.restore_best()
        distance = DISTANCES[self._num_dives % len(DISTANCES)]
        return dive(self.ascent, self._cap, is_over, progress, fixed=fixed, distance=distance, pace=QUICK_PACE)

    def _around(self, links: NDArray[np.int64], share: float) -> NDArray[np.bool_]:
        """Mark a random node and those the fewest links away from it: together, this share of all nodes."""
        n = self.ascent.interest.num_nodes
        # A random numbering decides the order of nodes that are equally near.
        number = self._random.permutation(n)
        ends = number[links]
        graph = sparse.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
        order = breadth_first_order(graph, 0, directed=False, return_predecessors=False)
        is_near = np.zeros(n, dtype=bool)
        is_near[order[: max(1, int(share * n))]] = True
        return is_near[number]
