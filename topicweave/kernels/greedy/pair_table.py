"""The table of candidate pairs: an upper bound on every pair's contribution, in segments that can be skipped as a
whole.

A row holds the pairs of one node with later ones; a row is divided into segments of ``SEGMENT`` pairs. Each segment and
each row stores the largest bound in it, so a level of the sweep opens only segments that can hold a pair of that level.
Two layouts share all code. *Dense*: all pairs; the partner follows from the position, and segments start at multiples
of ``SEGMENT``. *Listed*: given pairs; ``partners`` holds the other end.

Contributions only fall, so a bound computed earlier stays a bound: it is lowered when looked at, never raised. The
largest bounds of segments are taken over ``min(bound, away_u + away_v)``, so they may be below the largest bound in the
table, and may rise again when a topic's home changes; they are never below a contribution.

``refresh`` lowers outdated bounds of pairs that could be at the level of the sweep. The other functions compute the
first bounds of listed pairs; the first bounds of dense tables are computed in
``recount.py``.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.greedy.level_queue import note
from topicweave.kernels.greedy.membership import bound_or_count
from topicweave.kernels.intrinsics import AT_A_TIME, LINE_BYTES, ONE, at_least, list_bits, popcount, prefetch, take_next
from topicweave.kernels.jit import inner_njit, njit, prange

SEGMENT = 128
# Number of rows that one thread handles together. Neighbouring rows write to the same cache lines, and two threads
# doing so would slow each other down. It divides SEGMENT, so that all rows of a group have the same partners.
GROUP = 16
# With fewer segments than this to look into, it does not pay to wake another thread. FEW applies to tables of all
# pairs, where the threads are awake anyway because levels follow each other closely. FEW_LISTED applies to listed
# pairs, which are often the few of a churn event; waking threads costs more there.
FEW, FEW_LISTED = 64, 512


class PairTable(NamedTuple):
    """The candidate pairs and upper bounds on their contributions."""

    # upper bound on the contribution of each pair; 0 if it is not, or no longer, a candidate [uint16/32 (pairs,
    # padded)]
    bound: np.ndarray
    start: np.ndarray  # first pair of each row [int64 (n + 1)]
    segment: np.ndarray  # first segment (group of adjacent pairs) of each row [int64 (n + 1)]
    partners: np.ndarray  # the second node of each pair if pairs are listed, otherwise empty [int32 (pairs)]
    most: np.ndarray  # the largest bound in the segment [uint16/32 (segments, padded)]
    # the largest bound of the segment's open pairs, whose ends may take links without raising Δ [uint16/32 (segments,
    # padded)]
    most_open: np.ndarray
    row_most: np.ndarray  # uint16/32 (n)
    row_open: np.ndarray  # uint16/32 (n)
    found: np.ndarray  # how many pairs of the row were found at the current level [int64 (n)]
    looked: np.ndarray  # for how many pairs of the row the last refresh had to look up bit rows [int64 (n)]


class Sought(NamedTuple):
    """What a refresh of the table looks for."""

    level: int  # the contribution that is currently looked for
    # The lowest bound for which a pair's contribution is computed. If links that raise Δ are avoided, it pays to go
    # somewhat below the current level, because then the same pairs need not be looked at again soon.
    look_from: int
    any_pair: bool  # whether segments without any open pair are considered as well


@njit(forceinline=True)
def partner_base(row):
    """In the table of all pairs, the lowest partner listed in this row; rows begin at multiples of SEGMENT."""
    return row // SEGMENT * SEGMENT


@njit(forceinline=True)
def raise_to_row(most, most_open, row_most, row_open, u, first, last):
    """Set ``row_most`` and ``row_open`` of row u to the largest bounds among its segments."""
    kind = most.dtype.type
    largest, largest_open = kind(0), kind(0)
    for s in range(np.uint64(first), np.uint64(last)):
        largest = max(largest, most[s])
        largest_open = max(largest_open, most_open[s])
    row_most[u] = largest
    row_open[u] = largest_open


@inner_njit
def reopen(pairs):
    """Mark all pairs as open again, after Δ has risen."""
    for s in range(len(pairs.most)):
        pairs.most_open[s] = pairs.most[s]
    for u in range(len(pairs.row_most)):
        pairs.row_open[u] = pairs.row_most[u]


# ---- refresh ---------------------------------------------------------------------------------------------------------

# These are the innermost kernels. Each step is a function with a single vector loop that is called once per
# row: LLVM can vectorise these functions, but not all of the loops inside a larger one, and a call per segment would
# cost as much as the segment itself. The functions take single arrays, because numba counts references to every array
# of a tuple that is passed on. Positions are unsigned, because numba checks signed ones for being negative.


@inner_njit
def _open_segments(most, first, last, level, opened):
    """List the segments of a row that can hold a pair of the level; return how many there are."""
    first, last, count = np.uint64(first), np.uint64(last), np.uint64(0)
    least = most.dtype.type(level)
    for s in range(first, last, np.uint64(64)):
        reaches = at_least(most, s, least)
        if last - s < np.uint64(64):
            reaches &= (ONE << (last - s)) - ONE
        count = list_bits(reaches, s - first, opened, count)
    return np.int64(count)


@inner_njit
def _list_looks(away, bound, open_mask, first, base, u, opened, num, level, look_from, now, looks):
    """In the given segments of a row, list the pairs whose contribution must be computed, because it may be high
    enough.

    These are the open pairs whose bound is at least ``look_from``, given by position in the row. A bound counts as at
    most ``away_u + away_v``.
    """
    kind = bound.dtype.type
    away_u = away[u]
    level_from, look_from = kind(level), kind(look_from)
    # half a segment has 64 pairs, which is one bit per pair in a word
    half, count = np.uint64(SEGMENT // 2), np.uint64(0)
    for i in range(num):
        offset = np.uint64(opened[i] * SEGMENT)
        pair, node = np.uint64(first) + offset, np.uint64(base) + offset
        for j in range(SEGMENT):
            x = min(bound[pair + np.uint64(j)], kind(away[node + np.uint64(j)] + away_u))
            now[np.uint64(j)] = x & open_mask[node + np.uint64(j)]
        if at_least(now, np.uint64(0), level_from) | at_least(now, half, level_from):
            count = list_bits(at_least(now, np.uint64(0), look_from), offset, looks, count)
            count = list_bits(at_least(now, half, look_from), offset + half, looks, count)
    return np.int64(count)


@inner_njit
def _look_closer(rows, bound, first, base, u, level, looks, num):
    """Lower the bounds of these pairs to what their bit rows say; return how many pairs may still contribute enough.

    Those pairs become the first of ``looks``.
    """
    kind = bound.dtype.type
    threshold = kind(level)
    words = np.uint64(rows.shape[2])
    one, zero = np.uint64(1), np.uint64(0)
    u = np.uint64(u)
    found = 0
    for i in range(np.uint64(num)):
        j = np.uint64(looks[i])
        v = np.uint64(base) + j
        count = 0
        for w in range(words):
            count += popcount((rows[u, zero, w] & rows[v, one, w]) | (rows[u, one, w] & rows[v, zero, w]))
        x = min(bound[np.uint64(first) + j], kind(count))
        bound[np.uint64(first) + j] = x
        looks[np.uint64(found)] = j
        found += x >= threshold
    return found


@inner_njit
def _lower_maxima(away, bound, open_mask, most, most_open, first, base, first_segment, u, opened, num):
    """Recompute the largest bounds of these segments of a row.

    If only ``away_u + away_v`` is lower, the table is not changed, so that nothing is written back to memory.
    """
    kind = bound.dtype.type
    away_u = away[u]
    for i in range(num):
        pair, node = np.uint64(first + opened[i] * SEGMENT), np.uint64(base + opened[i] * SEGMENT)
        largest = kind(0)
        largest_open = kind(0)
        for j in range(SEGMENT):
            x = min(bound[pair + np.uint64(j)], kind(away[node + np.uint64(j)] + away_u))
            largest = max(largest, x)
            largest_open = max(largest_open, kind(x & open_mask[node + np.uint64(j)]))
        s = first_segment + opened[i]
        most[s] = largest
        most_open[s] = min(most_open[s], largest_open)


@inner_njit(forceinline=True)
def _refresh_listed(members, open_mask, pairs, u, opened, num, level, hits):
    """Do for a row of listed pairs what the functions above do for a row of all pairs.

    Return how many pairs may still be at the level, and for how many this was computed.
    """
    rows, indptr, topics, label, away = members.rows, members.indptr, members.topics, members.label, members.away
    bound, partners, first = pairs.bound, pairs.partners, pairs.start[u]
    found = 0
    looked = 0
    for i in range(num):
        begin = first + opened[i] * SEGMENT
        largest = 0
        largest_open = 0
        for pair in range(begin, min(begin + SEGMENT, pairs.start[u + 1])):
            v = np.int64(partners[pair])
            x = min(int(bound[pair]), int(away[u]) + int(away[v]))
            is_open = open_mask[v] != 0
            if x >= level and is_open:
                looked += 1
                count = bound_or_count(rows, indptr, topics, label, u, v)
                x = min(x, count)
                if x >= level:
                    hits[found] = pair - first
                    found += 1
            bound[pair] = x
            largest = max(largest, x)
            if is_open:
                largest_open = max(largest_open, x)
        s = pairs.segment[u] + opened[i]
        pairs.most[s] = largest
        pairs.most_open[s] = min(int(pairs.most_open[s]), largest_open)
    return found, looked


@inner_njit
def _refresh_rows(members, open_mask, pairs, buffer, rows, sought, thread):
    """The work of one thread in :func:`refresh`: it takes groups of rows until none are left."""
    away, bound, start, segment, partners = members.away, pairs.bound, pairs.start, pairs.segment, pairs.partners
    most, most_open, level = pairs.most, pairs.most_open, sought.level
    longest = 0
    for u in rows:
        longest = max(longest, segment[u + 1] - segment[u])
    to_open = most if sought.any_pair else most_open
    opened = np.empty(longest + AT_A_TIME, np.int64)
    hits = np.empty(longest * SEGMENT + AT_A_TIME, np.int64)
    now = np.empty(SEGMENT, bound.dtype)
    i, end = 0, 0
    while True:
        if i == end:
            i = take_next(buffer.work_counter) * GROUP
            end = min(i + GROUP, len(rows))
            if i >= end:
                break
        u = rows[i]
        i += 1
        first, base, first_segment = start[u], partner_base(u), segment[u]
        num_opened = _open_segments(to_open, first_segment, segment[u + 1], level, opened)
        # the segments are far apart in a table too large for any cache, so prefetch all of them first
        for s in range(num_opened):
            begin = first + opened[s] * SEGMENT
            for pair in range(begin, min(begin + SEGMENT, start[u + 1]), LINE_BYTES // bound.itemsize):
                prefetch(bound, pair)
        num, seen = 0, 0
        if len(partners) > 0:
            num, seen = _refresh_listed(members, open_mask, pairs, u, opened, num_opened, level, hits)
        else:
            look_from = sought.look_from
            seen = _list_looks(away, bound, open_mask, first, base, u, opened, num_opened, level, look_from, now, hits)
            num = _look_closer(members.rows, bound, first, base, u, level, hits, seen)
            _lower_maxima(away, bound, open_mask, most, most_open, first, base, first_segment, u, opened, num_opened)
        if num > 0:
            note(buffer, thread, partners, u, first, base, hits, num)
        raise_to_row(most, most_open, pairs.row_most, pairs.row_open, u, first_segment, segment[u + 1])
        pairs.found[u] = num
        pairs.looked[u] = seen


@inner_njit(parallel=True)
def _refresh_on_threads(members, open_mask, pairs, buffer, rows, sought, num_threads):
    for thread in prange(num_threads):
        _refresh_rows(members, open_mask, pairs, buffer, rows, sought, np.int64(thread))


@inner_njit
def _are_few_to_open(pairs, rows, sought):
    """Whether only few segments of these rows can hold a pair of the level."""
    most, level = pairs.most if sought.any_pair else pairs.most_open, sought.level
    few = FEW if len(pairs.partners) == 0 else FEW_LISTED
    count = 0
    for u in rows:
        for s in range(pairs.segment[u], pairs.segment[u + 1]):
            count += most[s] >= level
        if count > few:
            return False
    return True


@inner_njit(inline="always")
def refresh(members, open_mask, pairs, buffer, rows, sought, num_threads):
    """In these rows, lower the bounds of pairs that may be at the level, and collect in ``buffer`` the open pairs that
    still may be.

    open_mask, uint16/32 (n + SEGMENT): all bits set for nodes that may take links, no bits for the others.
    """
    buffer.work_counter[0] = 0
    if num_threads is None:  # the condition is decided at compile time, so the unused branch is never compiled
        _refresh_rows(members, open_mask, pairs, buffer, rows, sought, np.int64(0))
    elif _are_few_to_open(pairs, rows, sought):
        _refresh_rows(members, open_mask, pairs, buffer, rows, sought, np.int64(0))
    else:
        _refresh_on_threads(members, open_mask, pairs, buffer, rows, sought, num_threads)


# ---- initial bounds of listed pairs ----------------------------------------------------------------------------------


@inner_njit
def _count_row_listed(members, pairs, u):
    bound, start, segment, partners, most, most_open, row_most, row_open, _, _ = pairs
    rows, indptr, topics, label = members.rows, members.indptr, members.topics, members.label
    for s in range(segment[u], segment[u + 1]):
        first = start[u] + (s - segment[u]) * SEGMENT
        largest = 0
        for i in range(first, min(first + SEGMENT, start[u + 1])):
            v = np.int64(partners[i])
            count = bound_or_count(rows, indptr, topics, label, u, v)
            bound[i] = count
            largest = max(largest, count)
        most[s] = largest
        most_open[s] = largest
    raise_to_row(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


@njit
def count_listed_rows(members, pairs, work_counter):
    """Compute the initial bounds of listed pairs; this is the work of one thread."""
    while True:
        first = take_next(work_counter) * GROUP
        if first >= len(pairs.row_most):
            break
        for u in range(first, min(first + GROUP, len(pairs.row_most))):
            _count_row_listed(members, pairs, u)


@njit
def take_bounds(pairs, bounds):
    """Set the bounds of listed pairs to ``bounds``, which the caller knows already."""
    bound, start, segment, _, most, most_open, row_most, row_open, _, _ = pairs
    for u in range(len(row_most)):
        for s in range(segment[u], segment[u + 1]):
            first = start[u] + (s - segment[u]) * SEGMENT
            largest = 0
            for i in range(first, min(first + SEGMENT, start[u + 1])):
                bound[i] = bounds[i]
                largest = max(largest, bounds[i])
            most[s] = largest
            most_open[s] = largest
        raise_to_row(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])
