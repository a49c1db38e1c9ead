"""The pairs of one level, in tie order, a lot at a time.

A lot holds the pairs of the level that come first: all of them, or, when they are many, some thousands; the rest is
refreshed before its turn, and most of it has fallen by then. So little is ever sorted.

Pairs come by rank, their place in the order of keys; under the ``balanced`` rule by the degrees of their ends first:
they stand in a line by ``degrees of both ends, then rank``, one number. Degrees only rise, so a pair whose degrees have
risen since the line was formed has to wait: it goes into a heap with the new ones, and the next pair is the first of
line and heap. Most pairs have fallen when it is their turn, so few ever enter the heap.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.greedy.finds import LEXICOGRAPHIC
from topicweave.kernels.jit import njit

RANK_BITS, LESS_BITS, MORE_BITS = 22, 20, 21  # of rank, smaller and larger degree
# A pair is put back so often at most. Where all pairs of a lot have one node in common, each of its links makes all of
# them stale: without a limit the work would be quadratic.
MOST_PUT_BACK = 64
FEW_TO_SORT = 24  # each is put where it belongs; beyond, by counting
LEAST_LOT, MOST_LOT = 1 << 14, 1 << 22


class Lot(NamedTuple):
    """Room for the gathered pairs; all arrays of one length."""

    entry: np.ndarray  # int64: place in the table of pairs
    u: np.ndarray  # int32
    v: np.ndarray  # int32
    key: np.ndarray  # uint64: place among its equals
    order: np.ndarray  # int64: the pairs by rank
    line: np.ndarray  # int64: degrees, then rank, in rising order
    heap: np.ndarray  # int64: the same of those whose degrees have risen
    put_back: np.ndarray  # uint8: how often the pair of a rank was put back, because degrees had risen


@njit
def lot_size(num_pairs, is_listed):
    """How many pairs of a level are worked on at a time.

    Of all pairs most have fallen before it is their turn, so lots are small. Of listed pairs many stay, and all are
    refreshed for every lot, so they are a share of the whole.
    """
    return min(max(LEAST_LOT, num_pairs // 4 if is_listed else 0), MOST_LOT, num_pairs)


@njit
def room_for_lot(room):
    """An empty lot."""
    return Lot(
        np.empty(room, np.int64),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.uint64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.uint8),
    )


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
    num_bytes = 0 if size <= FEW_TO_SORT else 1
    while num_bytes > 0 and size >> (8 * num_bytes - 2) > 0:
        num_bytes += 1
    turn = np.arange(size)
    for byte in range(8 - num_bytes, 8):
        turn = _order_by_byte(keys, byte, turn)
    for rank in range(size):
        i = turn[rank]
        at_rank = rank
        while at_rank > 0 and keys[order[at_rank - 1]] > keys[i]:
            order[at_rank] = order[at_rank - 1]
            at_rank -= 1
        order[at_rank] = i


@njit
def _order_by_byte(keys, byte, turn):
    """Order places of keys by one byte of them; where it is equal they stay as they are."""
    shift = np.uint64(8 * byte)
    at = np.zeros(257, np.int64)
    for i in range(len(keys)):
        at[((keys[i] >> shift) & np.uint64(255)) + np.uint64(1)] += 1
    for digit in range(256):
        at[digit + 1] += at[digit]
    ordered = np.empty(len(turn), np.int64)
    for rank in range(len(turn)):
        digit = (keys[turn[rank]] >> shift) & np.uint64(255)
        ordered[at[digit]] = turn[rank]
        at[digit] += 1
    return ordered


@njit
def line_up(degree, lot, size):
    """Form the line of the lot's pairs."""
    us, vs, order, line = lot.u, lot.v, lot.order, lot.line
    lot.put_back[:size] = 0
    keys = np.empty(size, np.uint64)
    any_set, all_set = np.uint64(0), ~np.uint64(0)
    for rank in range(size):
        keys[rank] = degrees_first(degree, us, vs, order, rank) >> RANK_BITS
        any_set |= keys[rank]
        all_set &= keys[rank]
    turn = np.arange(size)
    for byte in range(8 if size > FEW_TO_SORT else 0):
        if ((any_set ^ all_set) >> np.uint64(8 * byte)) & np.uint64(255):  # else all have the same
            turn = _order_by_byte(keys, byte, turn)
    for i in range(size):
        place = (np.int64(keys[turn[i]]) << RANK_BITS) + turn[i]
        at = i
        while at > 0 and line[at - 1] > place:
            line[at] = line[at - 1]
            at -= 1
        line[at] = place


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
        child += heap[min(child + 1, size - 1)] < heap[child]  # no branch: it would be mispredicted half the time
        if heap[child] >= value:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = value


@njit
def sift_up(heap, value, i):
    """Let a number that is put at place i, the last, rise to where it belongs."""
    while i > 0 and heap[(i - 1) >> 1] > value:
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    heap[i] = value
