"""Another method to find near candidates, for comparison: locality-sensitive hashing by MinHash (Broder 1997).

A *band* puts all topics in a random order, and collects in one *bucket* all nodes of which the same topics come first;
the more topics two nodes share, the more likely that is. There are several bands, and each node looks at some of the
nodes in its bucket of each band.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numba import get_num_threads

from topicweave.kernels.greedy.near import keep_best
from topicweave.kernels.jit import njit, prange

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.algorithms.greedy.loop import ProgressFn
    from topicweave.algorithms.greedy.near import Scene, SearchResult


@njit(parallel=True)
def _signatures(indptr, topics, rank, size, keys, workers):  # type: ignore[no-untyped-def]
    """Fill ``keys``, uint64 (n): for each node, a hash of its ``size`` topics that come first in a random order."""
    for worker in prange(workers):
        for v in range(np.int64(worker), len(keys), workers):
            own = np.sort(rank[topics[indptr[v] : indptr[v + 1]]])
            key = np.uint64(1469598103934665603)
            for i in range(min(size, len(own))):
                key = (key ^ np.uint64(own[i])) * np.uint64(1099511628211)
            keys[v] = key


@njit(parallel=True)
def _look(members, takes, excluded, orders, places, keys, searching, window, partner, worth, others, workers):  # type: ignore[no-untyped-def]
    bands = len(orders)
    for worker in prange(workers):
        met = np.empty(bands * window, np.int32)
        for i in range(np.int64(worker), len(searching), workers):
            u = searching[i]
            num = 0
            for band in range(bands):
                order, key = orders[band], keys[band]
                first = max(0, places[band, u] - window // 2)
                for j in range(first, min(first + window, len(order))):
                    v = order[j]
                    if key[v] == key[u] and v != u and takes[v]:
                        met[num] = v
                        num += 1
            once = np.unique(met[:num])
            others[i] = keep_best(members, u, once, len(once), 0, excluded, partner[i], worth[i])


@dataclass
class MinHashSearch:
    """A search function for the argument ``search=`` of the design.

    Attributes
    ----------
    bands, topics, window
        The number of hashes, of topics per hash, and of nodes in a bucket that each node looks at.
    """

    bands: int = 16
    topics: int = 2
    window: int = 64
    rounds: int = 0

    def __call__(self, scene: Scene, searching: NDArray[np.int64], room: int, tell: ProgressFn) -> SearchResult:
        members = scene.members
        num_nodes = len(members.indptr) - 1
        keys = np.empty((self.bands, num_nodes), dtype=np.uint64)
        orders = np.empty((self.bands, num_nodes), dtype=np.int32)
        places = np.empty((self.bands, num_nodes), dtype=np.int32)
        for band in range(self.bands):
            generator = np.random.default_rng([self.rounds, band])
            rank = generator.permutation(len(members.home)).astype(np.int32)
            _signatures(members.indptr, members.topics, rank, self.topics, keys[band], get_num_threads())
            shuffled = generator.permutation(num_nodes)
            orders[band] = shuffled[np.argsort(keys[band][shuffled], kind="stable")]
            places[band, orders[band]] = np.arange(num_nodes)
        self.rounds += 1
        partner = np.empty((len(searching), room), dtype=np.int32)
        worth = np.empty((len(searching), room), dtype=np.int32)
        others = np.empty(len(searching), dtype=np.int32)
        _look(
            members, scene.takes, scene.excluded, orders, places, keys, searching, self.window, partner, worth, others,
            get_num_threads(),
        )  # fmt: skip
        return partner, worth, others
