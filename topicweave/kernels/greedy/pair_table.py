"""The table of candidate pairs: an upper bound of every pair's contribution, in segments that can be skipped.

A row holds the pairs of one node with later ones; a row is divided into segments of ``SEGMENT`` pairs. Each segment and
each row stores the largest bound in it, so a level of the sweep opens only segments that can hold a pair of that level.
Two layouts share all code. *Dense*: all pairs; the partner follows from the position, and segments start at multiples
of ``SEGMENT``. *Listed*: given pairs; ``partners`` holds the other end.

Contributions only fall, so a bound computed earlier stays a bound: it is lowered when looked at, never raised. The
largest bounds of segments are taken over ``min(bound, away_u + away_v)``, so they may be below the largest bound in the
table, and may rise again when a topic's home changes; they are never below a contribution.

``refresh`` lowers outdated bounds of pairs that could be at the level of the sweep. The other functions compute the
first bounds of listed pairs; those of dense tables are in ``recount.py``.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.greedy.level_queue import note
from topicweave.kernels.greedy.membership import bound_or_count
from topicweave.kernels.intrinsics import AT_A_TIME, LINE_BYTES, ONE, at_least, list_bits, popcount, prefetch, take_next
from topicweave.kernels.jit import inner_njit, njit, prange

SEGMENT = 128
# Rows that one thread handles together: neighbouring rows write to the same cache lines, and two threads that did so
# would slow each other down. It divides SEGMENT, so that these rows have the same partners.
GROUP = 16
# With fewer segments to open, a second thread is not worth waking. When all pairs are candidates the threads are awake,
# because levels follow each other closely; listed pairs are often the few of a churn event, and waking costs more.
FEW, FEW_LISTED = 64, 512


class PairTable(NamedTuple):
    """The candidate pairs and their bounds."""

    bound: np.ndarray  # bound type (pairs, padded): upper bound of the contribution; 0 = not a candidate (any more)
    start: np.ndarray  # int64 (n + 1): first pair of each row
    segment: np.ndarray  # int64 (n + 1): first segment of each row
    partners: np.ndarray  # int32 (pairs) if listed, else (0,)
    most: np.ndarray  # bound type (segments, padded): the largest bound in the segment
    # bound type (segments, padded): the largest bound of its open pairs, whose ends may take links at this Δ
    most_open: np.ndarray
    row_most: np.ndarray  # bound type (n)
    row_open: np.ndarray  # bound type (n)
    found: np.ndarray  # int64 (n): pairs in the row at the current level
    looked: np.ndarray  # int64 (n): pairs in the row whose bit rows were looked at in the last refresh


class Sought(NamedTuple):
    """What a refresh looks for."""

    level: int  # the contribution that is looked for
    # The lowest bound at which pairs are looked at, in segments that may hold a pair of the level: if pairs are closed
    # and opened again, looking somewhat below the level saves a later visit; otherwise most of these looks are wasted.
    look_from: int
    any_pair: bool  # whether to open segments for closed pairs, too


@njit(forceinline=True)
def partner_base(row):
    """The node at the first position of a row in the dense layout."""
    return row // SEGMENT * SEGMENT


@njit(forceinline=True)
def raise_to_row(most, most_open, row_most, row_open, u, first, last):
    """Update a row with the largest bounds of its segments."""
    kind = most.dtype.type
    largest, largest_open = kind(0), kind(0)
    for s in range(np.uint64(first), np.uint64(last)):
        largest = max(largest, most[s])
        largest_open = max(largest_open, most_open[s])
    row_most[u] = largest
    row_open[u] = largest_open


@inner_njit
def reopen(pairs):
    """Make every pair open again after Δ has risen."""
    for s in range(len(pairs.most)):
        pairs.most_open[s] = pairs.most[s]
    for u in range(len(pairs.row_most)):
        pairs.row_open[u] = pairs.row_most[u]


# ---- refresh ---------------------------------------------------------------------------------------------------------
# The innermost kernels. Each step of a row is one function with one vector loop in it, called once for a row: LLVM
# vectorises each of these, but not all of them as parts of one, and a call for every segment costs as much as the
# segment. They take single arrays, because numba counts the references to every array of a tuple that is handed on.
# Positions are unsigned, because numba checks signed ones for being negative.


@inner_njit
def _open_segments(most, first, last, level, opened):
    """List the segments that can hold a pair of the level, by their position in the row; return how many."""
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
    """List the pairs to look at closely in opened segments of a dense row that may have an open pair of the level.

    These are the open pairs whose bound is at least ``look_from``, given by position in the row. A bound counts as at
    most ``away_u + away_v``.
    """
    kind = bound.dtype.type
    away_u = away[u]
    level_from, look_from = kind(level), kind(look_from)
    half, count = np.uint64(SEGMENT // 2), np.uint64(0)  # half a segment is 64 pairs, one word
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
    """Lower the bounds of these pairs to what the bit rows say; return how many could be at the level.

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
    """Lower the largest bounds of opened segments of a dense row.

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
    """All these steps for opened segments of a listed row.

    Return how many pairs could be at the level, and of how many.
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
    """The work of one thread in :func:`refresh`: it takes groups of rows as long as there are any."""
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
        # they are far apart in a table that no cache holds, so prefetch all of them at once
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
    """Whether few segments of these rows can hold a pair of the level."""
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
    """Lower the bounds of these rows where a pair could be at the level; note the open pairs that still could be.

    open_mask, bound type (n + SEGMENT): all bits set for nodes that may take links, no bits for the others.
    """
    buffer.work_counter[0] = 0
    if num_threads is None:  # known at compile time, so the other branch is not compiled
        _refresh_rows(members, open_mask, pairs, buffer, rows, sought, np.int64(0))
    elif _are_few_to_open(pairs, rows, sought):
        _refresh_rows(members, open_mask, pairs, buffer, rows, sought, np.int64(0))
    else:
        _refresh_on_threads(members, open_mask, pairs, buffer, rows, sought, num_threads)


# ---- first bounds of listed pairs ------------------------------------------------------------------------------------


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
    """Compute the first bounds of listed pairs; this is the work of one thread."""
    while True:
        first = take_next(work_counter) * GROUP
        if first >= len(pairs.row_most):
            break
        for u in range(first, min(first + GROUP, len(pairs.row_most))):
            _count_row_listed(members, pairs, u)


@njit
def take_bounds(pairs, bounds):
    """Set known bounds for listed pairs."""
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
