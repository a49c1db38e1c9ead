"""On the workers: the sub-overlays of a bucket of topics as one graph.

A *membership* is one (node, topic) pair. The graph has a vertex for every membership; a link of the overlay becomes one
edge for each topic that its two ends share, between the memberships of the ends. The connected components of this graph
are the components of all topics of the bucket, found by a single call: small topics need no calls of their own, and
large topics are only longer sections of the same arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How many (link, topic) candidates are looked up at a time, and how many links are collected before redundant ones are
# removed.
CANDIDATES_AT_A_TIME = 4_000_000
LINKS_HELD = 20_000_000


class HashClash(Exception):
    """Two different labels have the same hash, so hashes cannot identify the nodes."""


class Memberships:
    """The subscriptions to one bucket of topics, sorted by node and topic, and the links between their nodes so far.

    Parameters
    ----------
    nodes, checks
        Hash of each row's node, and a second hash that reveals clashes of the first.
    topics
        Number of each row's topic, below ``num_topics``. The same (node, topic) may occur several times.
    keep_links
        Whether all links are kept, which is necessary for diameters; otherwise, links may be dropped as long as a
        spanning forest remains.
    """

    def __init__(
        self,
        nodes: NDArray[np.int64],
        checks: NDArray[np.int32],
        topics: NDArray[np.int64],
        num_topics: int,
        keep_links: bool = False,
    ) -> None:
        import pandas as pd

        codes, distinct = pd.factorize(nodes)
        self.index = pd.Index(distinct)
        self.checks = np.zeros(len(distinct), dtype=np.int32)
        self.checks[codes] = checks
        if np.any(self.checks[codes] != checks):
            raise HashClash
        self.num_topics = num_topics
        keys = codes.astype(np.int64) * num_topics + topics
        keys.sort()
        self.keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))] if len(keys) else keys
        owners, self.topics = np.divmod(self.keys, max(num_topics, 1))
        self.starts = np.concatenate(([0], np.cumsum(np.bincount(owners, minlength=len(distinct)))))
        # One bit for each group of topics with the same number modulo 64: nodes without a common bit have no common
        # topic.
        bits = np.uint64(1) << (self.topics % 64).astype(np.uint64)
        self.signatures = np.bitwise_or.reduceat(bits, self.starts[:-1]) if len(bits) else bits
        self.keep_links = keep_links
        self.links: list[NDArray[np.int32]] = []
        self.num_edges = 0

    def __len__(self) -> int:
        return len(self.keys)

    def add(
        self,
        sources: NDArray[np.int64],
        source_checks: NDArray[np.int32],
        targets: NDArray[np.int64],
        target_checks: NDArray[np.int32],
    ) -> None:
        """Add links of the overlay; links between nodes without subscriptions in this bucket are ignored."""
        import pandas as pd

        ends = []
        for hashes, checks in ((sources, source_checks), (targets, target_checks)):
            found = self.index.get_indexer(pd.Index(hashes))
            known = found >= 0
            if np.any(self.checks[found[known]] != checks[known]):
                raise HashClash
            ends.append(found)
        kept = (ends[0] >= 0) & (ends[1] >= 0) & (ends[0] != ends[1])
        one, other = ends[0][kept], ends[1][kept]
        may_share = (self.signatures[one] & self.signatures[other]) != 0
        self._join(one[may_share], other[may_share])

    def components(self) -> NDArray[np.int32]:
        """The number of the component that each subscription is in."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        pairs = self.pairs()
        ones = np.ones(pairs.shape[1], dtype=np.int8)
        graph = coo_array((ones, (pairs[0], pairs[1])), shape=(len(self), len(self)))
        return connected_components(graph.tocsr(), directed=False)[1]

    def pairs(self) -> NDArray[np.int32]:
        """The links collected so far, as pairs of subscriptions in columns."""
        return np.concatenate(self.links, axis=1) if self.links else np.empty((2, 0), dtype=np.int32)

    def _join(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> None:
        """Link the subscriptions of two linked nodes in all topics that they share.

        For each link, the topics of the node with fewer topics are looked up among the topics of the other node, so
        that a link between a small and a large node is cheap.
        """
        sizes = np.diff(self.starts)
        swap = sizes[one] > sizes[other]
        small, large = np.where(swap, other, one), np.where(swap, one, other)
        order = np.argsort(large)  # sorted, because nearby look-ups then access nearby memory, which halves the time
        small, large = small[order], large[order]
        until = np.cumsum(sizes[small])
        begin = 0
        while begin < len(small):
            done = until[begin - 1] if begin else 0
            end = max(begin + 1, int(np.searchsorted(until, done + CANDIDATES_AT_A_TIME, side="right")))
            self._look_up(small[begin:end], large[begin:end], sizes)
            begin = end

    def _look_up(self, small: NDArray[np.int64], large: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        counts = sizes[small]
        total = int(counts.sum())
        # The subscriptions of the ends with fewer topics, one section after the other.
        offsets = np.repeat(self.starts[small] - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        here = np.arange(total) + offsets
        wanted = np.repeat(large, counts) * self.num_topics + self.topics[here]
        there = np.searchsorted(self.keys, wanted)
        shared = there < len(self.keys)
        shared[shared] = self.keys[there[shared]] == wanted[shared]
        links = np.stack((here[shared], there[shared])).astype(np.int32)
        self.links.append(links)
        self.num_edges += links.shape[1]
        # After redundant links are removed there are fewer links than subscriptions, so at least half of the links go
        # each time.
        if self.num_edges > max(LINKS_HELD, 2 * len(self)) and not self.keep_links:
            self._thin_out()

    def _thin_out(self) -> None:
        """Replace the links in each component by a star, which connects the same subscriptions with fewer links."""
        pieces = self.components()
        first = np.full(pieces.max() + 1, -1, dtype=np.int32)
        members = np.arange(len(pieces), dtype=np.int32)
        first[pieces[::-1]] = members[::-1]
        inner = first[pieces] != members
        self.links = [np.stack((first[pieces][inner], members[inner]))]
        self.num_edges = int(inner.sum())
