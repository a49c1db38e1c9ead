"""The pairs of one level, in tie order, a lot at a time.

A lot holds the pairs whose key lies in a window: all pairs of the level, or, when these are many, the first few
thousand; the rest is refreshed before its turn, and most of it has fallen by then. So little is ever sorted.

Pairs come by rank, their place in the order of keys; under the ``balanced`` rule by the degrees of their ends first,
for which a heap holds ``degrees of both ends, then rank`` in one number. Degrees only rise, so a pair whose degrees
have risen since it was put into the heap is put back with the new ones.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.jit import njit, prange
from topicweave.kernels.pairs import SEGMENT, partner_base

LEXICOGRAPHIC, RANDOM, BALANCED = 0, 1, 2  # tie rules

LOT = 1 << 14  # about half as many pairs come into a lot when there are more
BLOCK = 32  # a segment is searched block by block, which LLVM turns into vector code
RANK_BITS = 21
FEW = 1 << 11  # pairs not worth waking a second thread for


class Lot(NamedTuple):
    """Room for the gathered pairs; all arrays of one length."""

    entry: np.ndarray  # int64: place in the table of pairs
    u: np.ndarray  # int32
    v: np.ndarray  # int32
    key: np.ndarray  # uint64: place among its equals
    order: np.ndarray  # int64: the pairs by rank
    heap: np.ndarray  # int64: the pairs by degrees, then rank
    window: np.ndarray  # uint64 (2): keys from .. below .. are in this lot


@njit
def tie_key(u, v, ties, seed):
    """Where the pair of nodes u < v stands among its equals (before degrees, for ``balanced``)."""
    key = (np.uint64(u) << np.uint64(32)) | np.uint64(v)
    if ties == LEXICOGRAPHIC:
        return key
    # splitmix64: a bijection of 64 bits, so distinct pairs never tie
    key = key + np.uint64(seed)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@njit
def _gather_row(pairs, names, mask, u, level, any_pair, ties, seed, lot, at):
    """List the open pairs of a row that could be at the level and have a key in the window; at < 0: only count them."""
    low, high = lot.window[0], lot.window[1]
    listed = len(pairs.partners) > 0
    count = 0
    for s in range(pairs.segment[u], pairs.segment[u + 1]):
        if (pairs.most[s] if any_pair else pairs.most_open[s]) < level:
            continue
        first = pairs.start[u] + (s - pairs.segment[u]) * SEGMENT
        last = min(first + SEGMENT, pairs.start[u + 1])
        for block in range(first, last, BLOCK):
            largest = pairs.bound.dtype.type(0)
            for bound in pairs.bound[block : min(block + BLOCK, last)]:
                largest = max(largest, bound)
            if largest < level:
                continue
            for e in range(block, min(block + BLOCK, last)):
                if pairs.bound[e] < level:
                    continue
                v = pairs.partners[e] if listed else partner_base(u) + e - pairs.start[u]
                if mask[v] == 0:
                    continue
                key = tie_key(min(names[u], names[v]), max(names[u], names[v]), ties, seed)
                if key < low or key >= high:
                    continue
                if at >= 0:
                    lot.entry[at + count] = e
                    lot.u[at + count] = u
                    lot.v[at + count] = v
                    lot.key[at + count] = key
                count += 1
    return count


@njit(parallel=True)
def _gather_rows(pairs, names, mask, which, places, level, any_pair, ties, seed, lot, workers):
    for worker in prange(workers):
        for i in range(np.int64(worker), len(which), workers):
            if pairs.found[which[i]] > 0:
                _gather_row(pairs, names, mask, which[i], level, any_pair, ties, seed, lot, places[i])


@njit
def _count_row(pairs, names, mask, u, level, any_pair, ties, seed, lot):
    if pairs.found[u] > 0:
        pairs.found[u] = _gather_row(pairs, names, mask, u, level, any_pair, ties, seed, lot, -1)


# The parallel loops call functions for all that has an effect: numba 0.68 drops a write to an array of a tuple there.


@njit(parallel=True)
def _count_rows(pairs, names, mask, which, level, any_pair, ties, seed, lot, workers):
    for worker in prange(workers):
        for i in range(np.int64(worker), len(which), workers):
            _count_row(pairs, names, mask, which[i], level, any_pair, ties, seed, lot)


@njit
def gather(pairs, names, mask, which, num_found, level, any_pair, ties, seed, lot, workers):
    """Fill the lot with the pairs found in these rows: all from ``window[0]`` on, or as many as it may hold.

    Afterwards ``window[1]`` says up to which key. Return how many there are, or minus the room needed if there is less.
    """
    space = np.uint64(len(names)) << np.uint64(32) if ties == LEXICOGRAPHIC else np.uint64(0xFFFFFFFFFFFFFFFF)
    if ties == LEXICOGRAPHIC:
        for i in range(len(names)):  # names may be any numbers: those of a part of the nodes
            space = max(space, np.uint64(names[i] + 1) << np.uint64(32))
    lot.window[1] = space
    if num_found > LOT:
        lots = np.uint64(-(-num_found // (LOT // 2)))
        lot.window[1] = lot.window[0] + (space - lot.window[0]) // lots
        _count_rows(pairs, names, mask, which, level, any_pair, ties, seed, lot, workers)
    places = np.empty(len(which), np.int64)
    total = 0
    for i in range(len(which)):
        places[i] = total
        total += pairs.found[which[i]]
    if total > len(lot.entry):
        return -total
    if total > FEW and workers > 1:
        _gather_rows(pairs, names, mask, which, places, level, any_pair, ties, seed, lot, workers)
    else:
        for i in range(len(which)):
            if pairs.found[which[i]] > 0:
                _gather_row(pairs, names, mask, which[i], level, any_pair, ties, seed, lot, places[i])
    lot.order[:total] = np.argsort(lot.key[:total])
    return total


# ---- a heap of numbers -----------------------------------------------------------------------------------------------
# These take single arrays: handing over a whole Lot for every pair would cost more than the work.


@njit
def degrees_first(degree, us, vs, order, rank):
    """The larger degree of a pair's ends, then the smaller, then its rank, as one number."""
    i = order[rank]
    one, other = np.int64(degree[us[i]]), np.int64(degree[vs[i]])
    return (((max(one, other) << 21) + min(one, other)) << RANK_BITS) + rank


@njit
def sift_down(heap, size, i):
    """Let the number at place i sink to where it belongs."""
    value = heap[i]
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = value


@njit
def heap_of_lot(degree, lot, size):
    """Put the pairs of the lot into the heap."""
    us, vs, order, heap = lot.u, lot.v, lot.order, lot.heap
    for rank in range(size):
        heap[rank] = degrees_first(degree, us, vs, order, rank)
    for i in range(size // 2 - 1, -1, -1):
        sift_down(heap, size, i)
