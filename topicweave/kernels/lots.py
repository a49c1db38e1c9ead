"""The pairs of one level, in tie order, a lot at a time.

A lot holds the pairs of the level that come first: all of them, or, when they are many, some thousands; the rest is
refreshed before its turn, and most of it has fallen by then. So little is ever sorted.

Pairs come by rank, their place in the order of keys; under the ``balanced`` rule by the degrees of their ends first,
for which a heap holds ``degrees of both ends, then rank`` in one number. Degrees only rise, so a pair whose degrees
have risen since it was put into the heap is put back with the new ones.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.finds import LEXICOGRAPHIC
from topicweave.kernels.jit import njit

RANK_BITS, LESS_BITS, MORE_BITS = 22, 20, 21  # of rank, smaller and larger degree
# A pair is put back so often at most. Where all pairs of a lot have one node in common, each of its links makes all of
# them stale: without a limit the work would be quadratic.
MOST_PUT_BACK = 64


class Lot(NamedTuple):
    """Room for the gathered pairs; all arrays of one length."""

    entry: np.ndarray  # int64: place in the table of pairs
    u: np.ndarray  # int32
    v: np.ndarray  # int32
    key: np.ndarray  # uint64: place among its equals
    order: np.ndarray  # int64: the pairs by rank
    heap: np.ndarray  # int64: the pairs by degrees, then rank
    put_back: np.ndarray  # uint8: how often the pair of a rank was put back, because degrees had risen


@njit
def gather(finds, num_found, lot):
    """Fill the lot with the first pairs that were found, all if they fit; return how many there are."""
    last = np.uint64(0xFFFFFFFFFFFFFFFF)
    room = len(lot.entry)
    if num_found > room:
        keys = np.empty(finds.num.sum(), np.uint64)
        total = 0
        for thread in range(len(finds.num)):
            num = finds.num[thread]
            keys[total : total + num] = finds.key[thread, :num]
            total += num
        last = np.partition(keys, room // 2)[room // 2]
    size = 0
    for thread in range(len(finds.num)):
        for i in range(finds.num[thread]):
            if finds.key[thread, i] <= last:
                lot.entry[size] = finds.entry[thread, i]
                lot.u[size] = finds.u[thread, i]
                lot.v[size] = finds.v[thread, i]
                lot.key[size] = finds.key[thread, i]
                size += 1
    if finds.ties[0] == LEXICOGRAPHIC:
        lot.order[:size] = np.argsort(lot.key[:size])
    else:
        _order_hashes(lot.key[:size], lot.order[:size])
    return size


@njit
def _order_hashes(keys, order):
    """Sort keys that are hashes: by as many of their first bytes as tell most of them apart, then by the rest."""
    size = len(keys)
    num_bytes = 1
    while size >> (8 * num_bytes - 2) > 0:
        num_bytes += 1
    turn, next_turn = np.arange(size), np.empty(size, np.int64)
    for byte in range(8 - num_bytes, 8):
        shift = np.uint64(8 * byte)
        at = np.zeros(257, np.int64)
        for i in range(size):
            at[((keys[i] >> shift) & np.uint64(255)) + np.uint64(1)] += 1
        for digit in range(256):
            at[digit + 1] += at[digit]
        for rank in range(size):
            digit = (keys[turn[rank]] >> shift) & np.uint64(255)
            next_turn[at[digit]] = turn[rank]
            at[digit] += 1
        turn, next_turn = next_turn, turn
    for rank in range(size):
        i = turn[rank]
        at_rank = rank
        while at_rank > 0 and keys[order[at_rank - 1]] > keys[i]:
            order[at_rank] = order[at_rank - 1]
            at_rank -= 1
        order[at_rank] = i


# ---- a heap of numbers -----------------------------------------------------------------------------------------------
# These take single arrays: handing over a whole Lot for every pair would cost more than the work.


@njit
def degrees_first(degree, us, vs, order, rank):
    """The larger degree of a pair's ends, then the smaller, then its rank, as one number."""
    i = order[rank]
    one, other = np.int64(degree[us[i]]), np.int64(degree[vs[i]])
    more, less = min(max(one, other), (1 << MORE_BITS) - 1), min(one, other, (1 << LESS_BITS) - 1)
    return (((more << LESS_BITS) + less) << RANK_BITS) + rank


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
    lot.put_back[:size] = 0
    for rank in range(size):
        heap[rank] = degrees_first(degree, us, vs, order, rank)
    for i in range(size // 2 - 1, -1, -1):
        sift_down(heap, size, i)
