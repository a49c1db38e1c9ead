"""The table of candidate pairs: an upper bound of every pair's contribution, in segments that can be skipped whole.

A row holds the pairs of one node with later ones; a row is cut into segments of ``SEGMENT`` pairs. Each segment and
each row knows the largest bound in it, so a level of the sweep opens only the segments that can hold a pair of that
level. Two layouts share all code. *Dense*: all pairs; the partner follows from the position, segments start at
multiples of ``SEGMENT``. *Listed*: given pairs; ``partners`` holds the other end.

Contributions only fall, so a bound taken earlier is still a bound: it is lowered when looked at, never raised. Largest
bounds of segments are taken over ``min(bound, away_u + away_v)``, so they may be below the largest bound in the table,
and may rise again when a topic's home moves; they are never below a contribution.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.bits import AT_A_TIME, list_bits, popcount
from topicweave.kernels.jit import njit, prange
from topicweave.kernels.membership import bound_of, contribution_by_lists

SEGMENT = 128
# Rows that one thread works on together: neighbours write to the same cache lines, which two threads would take from
# each other again and again. Divides SEGMENT, so that these rows have the same partners.
GROUP = 16


class Pairs(NamedTuple):
    """The candidate pairs and their bounds."""

    bound: np.ndarray  # bound type (pairs, padded): upper bound of the contribution; 0 = not or no longer a candidate
    start: np.ndarray  # int64 (n + 1): first pair of a row
    segment: np.ndarray  # int64 (n + 1): first segment of a row
    partners: np.ndarray  # int32 (pairs) if listed, else (0,)
    most: np.ndarray  # bound type (segments, padded): no pair of the segment contributes more
    most_open: np.ndarray  # bound type (segments, padded): the same of open pairs, whose ends may take links at this Δ
    row_most: np.ndarray  # bound type (n)
    row_open: np.ndarray  # bound type (n)
    found: np.ndarray  # int64 (n): pairs of the present level in the row
    looked: np.ndarray  # int64 (n): pairs of the row whose bit rows were looked at in the last refresh


@njit
def partner_base(row):
    """The node at the first position of a row in the dense layout."""
    return row // SEGMENT * SEGMENT


@njit
def settle_maxima(most, most_open, row_most, row_open, u, first, last):
    """Let a row know the largest bounds of its segments."""
    kind = most.dtype.type
    largest, largest_open = kind(0), kind(0)
    for s in range(np.uint64(first), np.uint64(last)):
        largest = max(largest, most[s])
        largest_open = max(largest_open, most_open[s])
    row_most[u] = largest
    row_open[u] = largest_open


# ---- first bounds --------------------------------------------------------------------------------------------------


@njit
def _count_group(columns, away_columns, rows, num, base, counts):
    """Bounds of some nodes with SEGMENT partners, from transposed words: one instruction serves several partners.

    Two words of the partners stay in the cache while the nodes pass by.
    """
    words = columns.shape[0]
    counts[:num] = 0
    w = 0
    while w + 2 <= words:
        ps0, as0 = columns[w, base : base + SEGMENT], away_columns[w, base : base + SEGMENT]
        ps1, as1 = columns[w + 1, base : base + SEGMENT], away_columns[w + 1, base : base + SEGMENT]
        for i in range(num):
            u = rows[i]
            p0, a0, p1, a1 = columns[w, u], away_columns[w, u], columns[w + 1, u], away_columns[w + 1, u]
            count = counts[i]
            for j in range(SEGMENT):
                count[j] += popcount((p0 & as0[j]) | (a0 & ps0[j])) + popcount((p1 & as1[j]) | (a1 & ps1[j]))
        w += 2
    if w < words:
        ps0, as0 = columns[w, base : base + SEGMENT], away_columns[w, base : base + SEGMENT]
        for i in range(num):
            p0, a0 = columns[w, rows[i]], away_columns[w, rows[i]]
            count = counts[i]
            for j in range(SEGMENT):
                count[j] += popcount((p0 & as0[j]) | (a0 & ps0[j]))


@njit
def _count_group_fresh(columns, rows, num, base, counts):
    """The same when nobody is connected yet, with less to read."""
    words = columns.shape[0]
    counts[:num] = 0
    w = 0
    while w + 4 <= words:
        b0, b1 = columns[w, base : base + SEGMENT], columns[w + 1, base : base + SEGMENT]
        b2, b3 = columns[w + 2, base : base + SEGMENT], columns[w + 3, base : base + SEGMENT]
        for i in range(num):
            u = rows[i]
            a0, a1, a2, a3 = columns[w, u], columns[w + 1, u], columns[w + 2, u], columns[w + 3, u]
            count = counts[i]
            for j in range(SEGMENT):
                count[j] += popcount(a0 & b0[j]) + popcount(a1 & b1[j]) + popcount(a2 & b2[j]) + popcount(a3 & b3[j])
        w += 4
    while w < words:
        b0 = columns[w, base : base + SEGMENT]
        for i in range(num):
            a0 = columns[w, rows[i]]
            count = counts[i]
            for j in range(SEGMENT):
                count[j] += popcount(a0 & b0[j])
        w += 1


@njit
def _lower_segment(bound, first, most, most_open, s, u, base, count, fresh):
    """Lower the bounds of a dense segment to what was counted."""
    for j in range(min(SEGMENT, u + 1 - base)):  # no pairs: u itself and those before it
        count[j] = 0
    b = bound[first : first + SEGMENT]
    kind = b.dtype.type
    largest = kind(0)
    for j in range(SEGMENT):
        x = kind(count[j]) if fresh else min(b[j], kind(count[j]))
        b[j] = x
        largest = max(largest, x)
    most[s] = largest
    most_open[s] = largest if fresh else min(most_open[s], largest)


@njit
def _count_in_lists(indptr, nodes, topics, num, u, row):
    """Count one more for each node after u in the lists of these topics."""
    base = np.uint64(partner_base(u))
    for i in range(num):
        t = topics[i]
        j = indptr[t + 1] - 1
        first = indptr[t]
        while j >= first and nodes[j] > u:
            row[np.uint64(nodes[j]) - base] += row.dtype.type(1)
            j -= 1


@njit
def _list_unfinished(rows, u, some_away, away, home):
    """List the topics of u that are not connected: where it is away, and where it is at home; return how many."""
    num_away, num = np.uint64(0), np.uint64(0)
    for w in range(np.uint64(rows.shape[2])):
        num_away = list_bits(rows[u, 1, w], w << np.uint64(6), away, num_away)
        num = list_bits(rows[u, 0, w] & ~rows[u, 1, w] & some_away[w], w << np.uint64(6), home, num)
    return num_away, num


@njit
def _lower_row(bound, first, most, most_open, first_segment, last_segment, row):
    """Lower the bounds of a dense row, and the largest ones of its segments, to what was counted for it."""
    kind = row.dtype.type
    for s in range(np.uint64(first_segment), np.uint64(last_segment)):
        if most[s] == 0:
            continue
        offset = (s - np.uint64(first_segment)) * np.uint64(SEGMENT)
        pair = np.uint64(first) + offset
        largest = kind(0)
        for j in range(SEGMENT):
            largest = max(largest, row[offset + np.uint64(j)])
        if largest > 0:  # else the bounds need not be touched: nobody will look at them
            largest = kind(0)
            for j in range(SEGMENT):
                x = min(bound[pair + np.uint64(j)], row[offset + np.uint64(j)])
                bound[pair + np.uint64(j)] = x
                largest = max(largest, x)
        most[s] = min(most[s], largest)
        most_open[s] = min(most_open[s], largest)


@njit
def _count_row_listed(members, pairs, u):
    bound, start, segment, partners, most, most_open, row_most, row_open, _, _ = pairs
    rows, indptr, topics, label = members.rows, members.indptr, members.topics, members.label
    has_bits = rows.shape[2] > 0
    for s in range(segment[u], segment[u + 1]):
        first = start[u] + (s - segment[u]) * SEGMENT
        largest = 0
        for i in range(first, min(first + SEGMENT, start[u + 1])):
            v = partners[i]
            count = bound_of(rows, u, v) if has_bits else contribution_by_lists(indptr, topics, label, u, v)
            bound[i] = count
            largest = max(largest, count)
        most[s] = largest
        most_open[s] = largest
    settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


# Rows differ in length, so the threads take turns (a few rows each, instead of one half).


@njit
def count_few_listed_rows(members, pairs):
    """The same as :func:`count_listed_rows` on one thread: waking the others costs more than a little work."""
    for u in range(len(pairs.row_most)):
        _count_row_listed(members, pairs, u)


@njit(parallel=True)
def count_listed_rows(members, pairs, workers):
    """Take the first bounds of listed pairs."""
    for worker in prange(workers):
        for u in range(np.int64(worker), len(pairs.row_most), workers):
            _count_row_listed(members, pairs, u)


@njit
def take_bounds(pairs, bounds):
    """Take bounds that are known for listed pairs."""
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
        settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


@njit(parallel=True)
def count_rows_by_columns(columns, away_columns, pairs, first, last, fresh, workers):
    """Lower the bounds of rows ``first`` to ``last`` (dense layout) to what transposed bit rows say.

    columns, away_columns uint64 (words, n + SEGMENT or more): subscribes; is away from home. fresh: the two are equal.
    """
    bound, start, segment, _, most, most_open, row_most, row_open, _, _ = pairs
    for worker in prange(workers):
        counts = np.empty((GROUP, SEGMENT), np.int64)
        rows = np.empty(GROUP, np.int64)
        for group in range(first // GROUP + np.int64(worker), -(-last // GROUP), workers):
            begin, end = max(first, group * GROUP), min(last, (group + 1) * GROUP)
            for k in range(segment[begin + 1] - segment[begin]):
                base = partner_base(begin) + k * SEGMENT
                num = 0
                for u in range(begin, end):
                    rows[num] = u
                    num += fresh or most[segment[u] + k] > 0
                if fresh:
                    _count_group_fresh(columns, rows, num, base, counts)
                else:
                    _count_group(columns, away_columns, rows, num, base, counts)
                for i in range(num):
                    u = rows[i]
                    pair = start[u] + k * SEGMENT
                    _lower_segment(bound, pair, most, most_open, segment[u] + k, u, base, counts[i], fresh)
            for u in range(begin, end):
                settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


@njit(parallel=True)
def count_rows_by_lists(lists, rows, pairs, first, last, workers):
    """The same to what subscriber lists say: cheaper when lists are short, or nearly all are at home; rows: bit rows.

    Only topics in which one of the two is away from home count; so a topic's whole list is walked if u is away in it,
    else only the list of those who are.
    """
    bound, start, segment, _, most, most_open, row_most, row_open, _, _ = pairs
    topic_indptr, subscribers, away_indptr, away_subscribers, some_away = lists
    for worker in prange(workers):
        row = np.empty(start[1] - start[0], bound.dtype)
        away = np.empty(64 * rows.shape[2] + AT_A_TIME, np.int64)
        home = np.empty(64 * rows.shape[2] + AT_A_TIME, np.int64)
        for group in range(first // GROUP + np.int64(worker), -(-last // GROUP), workers):
            for u in range(max(first, group * GROUP), min(last, (group + 1) * GROUP)):
                if row_most[u] == 0:
                    continue
                row[: start[u + 1] - start[u]] = 0
                num_away, num_home = _list_unfinished(rows, u, some_away, away, home)
                _count_in_lists(topic_indptr, subscribers, away, num_away, u, row)
                _count_in_lists(away_indptr, away_subscribers, home, num_home, u, row)
                _lower_row(bound, start[u], most, most_open, segment[u], segment[u + 1], row)
                settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])
