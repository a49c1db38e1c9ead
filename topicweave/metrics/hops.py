"""Breadth-first search from many nodes at once, with one bit per source and 64 sources per machine word."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import scipy.sparse
    from numpy.typing import NDArray

MOST_WORDS = 1 << 22  # how many words are gathered along the links in one step: 32 megabytes
BITS_SET = np.unpackbits(np.arange(1 << 16, dtype=np.uint16).view(np.uint8).reshape(-1, 2), axis=1).sum(
    axis=1, dtype=np.uint8
)  # how many bits are set in each 16-bit number


class Hops(NamedTuple):
    """Shortest paths from sources to targets: the sum of their lengths and the longest one; unreachable targets do not
    count.
    """

    total: int
    longest: int


def count_hops(graph: scipy.sparse.csr_array, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> Hops:
    """Measure the shortest paths from every source to every target; from a node to itself the length is 0."""
    size = 64 * max(1, MOST_WORDS // max(graph.nnz, graph.shape[0], 1))
    parts = [_count_chunk(graph, sources[first : first + size], targets) for first in range(0, len(sources), size)]
    return Hops(
        sum(part.total for part in parts),
        max((part.longest for part in parts), default=0),
    )


def _count_chunk(graph: scipy.sparse.csr_array, sources: NDArray[np.int64], targets: NDArray[np.int64]) -> Hops:
    reached = np.zeros((graph.shape[0], -(-len(sources) // 64)), dtype=np.uint64)
    bit = np.arange(len(sources))
    reached[sources, bit // 64] |= np.uint64(1) << (bit % 64).astype(np.uint64)
    # leave out nodes without links, because reduceat cannot take empty rows
    linked = np.flatnonzero(np.diff(graph.indptr))
    starts = graph.indptr[linked]
    all_pairs = len(sources) * len(targets)
    joined, total, hops, longest = _bits(reached[targets]), 0, 0, 0
    while joined < all_pairs and len(linked):
        before = reached[linked]
        after = before | np.bitwise_or.reduceat(reached[graph.indices], starts, axis=0)
        if np.array_equal(before, after):
            break
        reached[linked] = after
        hops += 1
        newly = _bits(reached[targets]) - joined
        if newly:
            joined, total, longest = joined + newly, total + hops * newly, hops
    return Hops(total, longest)


def _bits(words: NDArray[np.uint64]) -> int:
    return int(BITS_SET[np.ascontiguousarray(words).view(np.uint16)].sum(dtype=np.int64))
