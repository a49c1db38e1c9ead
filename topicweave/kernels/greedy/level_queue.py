"""A queue of the pairs that have the same contribution, in the order of the tie rule: several threads find them, a
batch collects them, and they are taken one by one.

**Candidate buffer.** Each thread notes the pairs it finds in a buffer of its own, twice as long as a batch. When the
buffer is full, the half that comes last in tie order is dropped, and later pairs that belong there are not noted. The
first pairs of the level are always kept, whichever thread found them, so the result does not depend on the number of
threads.

**Batch.** The pairs of the level that come first: all of them or, if there are many, some thousands. The contributions
of the others are computed again before their turn, and most have fallen below the level by then. So few pairs are ever
sorted.

A pair's *rank* is its position in the order of tie keys; preferred pairs have the lowest ranks. Under ``balanced`` the
degrees of its ends come before the tie key, unless the pair is preferred: pairs form a *line* by (larger degree,
smaller degree, rank), packed into one number, the pair's *place*. Degrees only rise. A pair whose degrees have risen
since the line was formed goes into a *heap* with its new place, and the next pair is the first of line and heap. Most
pairs have fallen below the level when their turn comes, so few ever enter the heap.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.jit import inner_njit, njit
from topicweave.kernels.labels import scramble
from topicweave.kernels.sampling import smallest

LEXICOGRAPHIC, RANDOM, BALANCED = 0, 1, 2  # tie rules

# how many bits each part of a sorting key takes: rank, smaller degree, larger degree
RANK_BITS, LESS_BITS, MORE_BITS = 22, 20, 21
# this bit is set in the keys of pairs for which the caller has not stated a preference
NOT_PREFERRED = np.uint64(1 << 63)
# How often a pair may be put back into the heap. Without a limit the work could be quadratic: if all pairs of a batch
# have one node in common, every link of that node makes the places of all the others outdated.
MOST_PUT_BACK = 64
FEW_TO_SORT = 24  # up to this many keys are sorted by insertion alone
LINE = 8  # number of 64-bit words in a cache line; threads that write to the same line would slow each other down
LEAST_BATCH, MOST_BATCH = 1 << 14, 1 << 22

CANDIDATE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("entry", np.int64),  # position in the table of pairs
                ("key", np.uint64),  # its rank among pairs of the same contribution
                ("u", np.int32),
                ("v", np.int32),
            ],
            align=True,
        ),
    )
)


class Preferred(NamedTuple):
    """Pairs that come first among pairs of equal contribution, in an order chosen by the caller.

    Stored as rows by the lower end.

    Keeping their order lets a design that made them in this order make them again in the same order.
    """

    start: np.ndarray  # where each row begins, int64 (n + 1); any length if no pair is preferred
    partners: np.ndarray  # the second node of each pair, int32, in ascending order within a row
    turns: np.ndarray  # for each preferred pair a number: the pair with the lowest comes first [int64]


class TieOrder(NamedTuple):
    """The rule that decides which of several equally good pairs comes first."""

    names: np.ndarray  # what breaks ties: node numbers (below 2³¹), or hashes of labels [uint64 (n)]
    ties: np.ndarray  # which tie rule, and the seed [uint64 (2)]
    preferred: Preferred


class CandidateBuffer(NamedTuple):
    """The pairs that each thread has found, and the data for the tie rule."""

    candidate: np.ndarray  # the pairs that each thread has found [CANDIDATE (threads, 2 · batch)]
    num: np.ndarray  # how many pairs each thread has found; one cache line per thread [int64 (threads, LINE)]
    # pairs with sorting keys above this were dropped; one cache line per thread [uint64 (threads, LINE)]
    last: np.ndarray
    # The fields from here to ``turns`` repeat those of TieOrder, because numba cannot pass a tuple inside a tuple to
    # threads.
    names: np.ndarray
    ties: np.ndarray
    first_liked: np.ndarray  # where each node's row begins in the list of pairs that the caller prefers
    liked: np.ndarray  # their partners
    turns: np.ndarray
    work_counter: np.ndarray  # how many groups of rows the threads have begun [int64 (1)]


class Batch(NamedTuple):
    """The collected pairs of one contribution, with their order; all arrays have the same length."""

    candidate: np.ndarray  # CANDIDATE
    order: np.ndarray  # the candidates, sorted by rank [int64]
    line: np.ndarray  # sorting keys of the pairs in the queue, ascending [int64]
    heap: np.ndarray  # sorting keys of pairs that moved back because the degree of an end has risen [int64]
    put_back: np.ndarray  # how often the pair has been put back into the heap [uint8, by rank]


@inner_njit
def batch_size(num_pairs, is_listed):
    """How many pairs of the same contribution are handled at a time.

    When all pairs are candidates, most have fallen below the level before their turn, so batches are small. Listed
    pairs often stay at the level, and all are refreshed for every batch, so a batch holds a share of them all.
    """
    return min(max(LEAST_BATCH, num_pairs // 4 if is_listed else 0), MOST_BATCH, num_pairs)


@inner_njit
def new_batch(size):
    """An empty batch of this size."""
    return Batch(
        np.empty(size, CANDIDATE),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.uint8),
    )


@inner_njit
def new_buffer(size, num_threads, order):
    """Return an empty buffer for each thread, for batches of this size."""
    return CandidateBuffer(
        np.empty((num_threads, 2 * size), CANDIDATE),
        np.zeros((num_threads, LINE), np.int64),
        np.empty((num_threads, LINE), np.uint64),
        order.names,
        order.ties,
        order.preferred.start,
        order.preferred.partners,
        order.preferred.turns,
        np.zeros(1, np.int64),
    )


@inner_njit
def empty_buffer(buffer):
    """Empty the buffers for a new level, or for the next batch of the same level."""
    for thread in range(len(buffer.num)):
        buffer.num[thread, 0], buffer.last[thread, 0] = 0, ~np.uint64(0)


@njit(forceinline=True)
def tie_key(one, other, ties, seed):
    """The rank of a pair among equally good ones, from the names of its nodes (for ``balanced``, degrees come first).

    Hashes are added, so that the order of the two ends does not matter; the sum is scrambled.
    """
    if ties == LEXICOGRAPHIC:
        return (min(one, other) << np.uint64(32)) | max(one, other)
    return scramble(one + other + seed)


@inner_njit
def note(buffer, thread, partners, u, first, base, hits, num):
    """Add pairs of node u to the buffer of a thread; the array ``hits`` has their positions, counted from ``first``."""
    candidates, names = buffer.candidate, buffer.names
    ties, seed, size = buffer.ties[0], buffer.ties[1], np.int64(candidates.shape[1])
    noted, last, name = buffer.num[thread, 0], buffer.last[thread, 0], names[u]
    liked, like, end_liked = buffer.liked, np.int64(0), np.int64(0)
    some_preferred = len(liked) > 0
    if some_preferred:
        like, end_liked = buffer.first_liked[u], buffer.first_liked[u + 1]
    for at in range(num):
        entry = first + hits[at]
        v = partners[entry] if len(partners) > 0 else base + hits[at]
        key = tie_key(name, names[v], ties, seed)
        if some_preferred:
            while like < end_liked and liked[like] < v:
                like += 1
            if like < end_liked and liked[like] == v:
                key = np.uint64(buffer.turns[like])
            else:  # node numbers are below 2³¹, so the highest bit of the key is free
                key = NOT_PREFERRED | (key if ties == LEXICOGRAPHIC else key >> np.uint64(1))
        if noted == size:
            noted, last = _drop_half(candidates[thread])
        candidate = candidates[thread, noted]
        candidate.entry, candidate.key, candidate.u, candidate.v = entry, key, u, v
        noted += key <= last
    buffer.num[thread, 0], buffer.last[thread, 0] = noted, last


@inner_njit
def _drop_half(candidates):
    """Drop the half of a full buffer that comes last; return how many pairs remain, and the largest sorting key among
    them.
    """
    keys = np.empty(len(candidates), np.uint64)
    for i in range(len(candidates)):
        keys[i] = candidates[i].key
    last = _key_of_rank(keys, len(keys) // 2) - np.uint64(1)
    kept = 0
    for i in range(len(candidates)):
        if candidates[i].key <= last:
            candidates[kept] = candidates[i]
            kept += 1
    return kept, last


@inner_njit
def _key_of_rank(keys, rank):
    """The key that has exactly ``rank`` smaller keys."""
    return smallest(keys, np.empty(len(keys) + 1, np.uint64), np.empty(len(keys) + 1, np.uint64), len(keys), rank + 1)


@inner_njit
def gather(buffer, num_found, batch):
    """Fill the batch with the best pairs that were found, sorted by rank; return their number."""
    last, most = ~np.uint64(0), len(batch.candidate)
    if num_found > most:
        keys = np.empty(buffer.num.sum(), np.uint64)
        total = 0
        for thread in range(len(buffer.num)):
            for i in range(buffer.num[thread, 0]):
                keys[total] = buffer.candidate[thread, i].key
                total += 1
        last = _key_of_rank(keys, most // 2)
    size = np.int64(0)
    for thread in range(len(buffer.num)):
        for i in range(buffer.num[thread, 0]):
            if buffer.candidate[thread, i].key <= last:
                batch.candidate[size] = buffer.candidate[thread, i]
                size += 1
    _sort_by_key(batch, size, buffer.ties[0] == LEXICOGRAPHIC)
    return size


@inner_njit
def _sort_by_key(batch, size, is_lexicographic):
    """Sort the batch by key, in two steps: a radix sort looks only at as many of the highest bytes as distinguish most
    keys, and an insertion sort then puts the few keys that agree in these bytes in order.

    If two keys are equal, the pair that is first in the table comes first, whichever thread found it.
    """
    keys, order = np.empty(size, np.uint64), batch.order
    for i in range(size):
        keys[i] = batch.candidate[i].key
    num_bytes = 0 if size <= FEW_TO_SORT else 1
    while 0 < num_bytes < 8 and (is_lexicographic or size >> (8 * num_bytes - 2) > 0):
        num_bytes += 1  # for hashes, comparing the first few bytes is enough
    ranked = _sort_by_bytes(keys, 8 - num_bytes)
    for rank in range(size):
        i = ranked[rank]
        at_rank = rank
        while at_rank > 0 and keys[order[at_rank - 1]] >= keys[i]:
            if keys[order[at_rank - 1]] == keys[i]:
                if batch.candidate[order[at_rank - 1]].entry < batch.candidate[i].entry:
                    break
            order[at_rank] = order[at_rank - 1]
            at_rank -= 1
        order[at_rank] = i


@inner_njit
def _sort_by_bytes(keys, first_byte):
    """Sort the positions of the keys by their bytes from ``first_byte`` on (0 is the lowest), by a stable sort."""
    size = len(keys)
    any_set, all_set = np.uint64(0), ~np.uint64(0)
    for i in range(size):
        any_set |= keys[i]
        all_set &= keys[i]
    before, after = np.arange(size), np.empty(size, np.int64)
    for byte in range(first_byte, 8):
        shift = np.uint64(8 * byte)
        if ((any_set ^ all_set) >> shift) & np.uint64(255) == 0:
            continue  # all keys have the same byte here, so it does not affect the order
        at = np.zeros(257, np.int64)
        for i in range(size):
            at[((keys[i] >> shift) & np.uint64(255)) + np.uint64(1)] += 1
        for digit in range(256):
            at[digit + 1] += at[digit]
        for i in range(size):
            digit = (keys[before[i]] >> shift) & np.uint64(255)
            after[at[digit]] = before[i]
            at[digit] += 1
        before, after = after, before
    return before


@inner_njit
def _count_preferred(buffer, batch, size):
    """The number of preferred pairs in the batch, which come before all others."""
    num = np.int64(0)
    if len(buffer.liked) > 0:
        while num < size and batch.candidate[batch.order[num]].key < NOT_PREFERRED:
            num += 1
    return num


@inner_njit
def line_up(degree, buffer, batch, size):
    """Sort the pairs of the batch by the degrees of their ends, then by rank; return how many are preferred."""
    num_preferred = _count_preferred(buffer, batch, size)
    candidates, order, line = batch.candidate, batch.order, batch.line
    batch.put_back[:size] = 0
    keys = np.empty(size, np.uint64)
    for rank in range(size):
        candidate = candidates[order[rank]]
        keys[rank] = place_of(degree[candidate.u], degree[candidate.v], rank, num_preferred) >> RANK_BITS
    ranks = _sort_by_bytes(keys, 0 if size > FEW_TO_SORT else 8)
    for i in range(size):
        place = (np.int64(keys[ranks[i]]) << RANK_BITS) + ranks[i]
        at = i
        while at > 0 and line[at - 1] > place:
            line[at] = line[at - 1]
            at -= 1
        line[at] = place
    return num_preferred


@njit(forceinline=True)
def place_of(one, other, rank, num_preferred):
    """The sorting key of a pair with this rank and these degrees of its ends."""
    one, other = np.int64(one), np.int64(other)
    more, less = min(max(one, other), (1 << MORE_BITS) - 1), min(one, other, (1 << LESS_BITS) - 1)
    degrees = (more << LESS_BITS) + less if rank >= num_preferred else 0
    return (degrees << RANK_BITS) + rank


# The functions of the heap take single arrays, because passing the whole batch for every pair would cost more than the
# work itself.


@inner_njit
def sift_down(heap, size):
    """Restore the order of the heap by moving its first number down."""
    i, value = 0, heap[0]
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        # written without a branch, because the processor would mispredict it half of the time
        child += heap[min(child + 1, size - 1)] < heap[child]
        if heap[child] >= value:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = value


@inner_njit
def sift_up(heap, value, i):
    """Insert a value at the last position i of the heap, and move it up to where it belongs."""
    while i > 0 and heap[(i - 1) >> 1] > value:
        heap[i] = heap[(i - 1) >> 1]
        i = (i - 1) >> 1
    heap[i] = value
