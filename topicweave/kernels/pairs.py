"""The table of candidate pairs: an upper bound of every pair's contribution, in segments that can be skipped whole.

A row holds the pairs of one node with later ones; a row is cut into segments of ``SEGMENT`` pairs. Each segment and each
row knows the largest bound in it, so a level of the sweep opens only the segments that can hold a pair of that level.
Two layouts share all code. *Dense*: all pairs; the partner follows from the position, segments start at multiples of
``SEGMENT``. *Listed*: given pairs; ``partners`` holds the other end.

Contributions only fall, so a bound taken earlier is still a bound: it is lowered when looked at, never raised.
"""

from collections import namedtuple

import numpy as np

from topicweave.kernels.bits import popcount
from topicweave.kernels.jit import njit, prange

SEGMENT = 128
BLOCK = 32  # a segment is searched block by block, so that LLVM turns the search into vector code

Pairs = namedtuple(
    "Pairs",
    [
        "bound",  # bound type (pairs, padded): upper bound of the contribution; 0 = not or no longer a candidate
        "start",  # int64 (n + 1): first pair of a row
        "segment",  # int64 (n + 1): first segment of a row
        "partners",  # int32 (pairs) if listed, else (0,)
        "most",  # bound type (segments): largest bound in the segment
        "most_open",  # bound type (segments): the same over pairs whose ends are open (may take links at this Δ)
        "row_most",  # int64 (n)
        "row_open",  # int64 (n)
        "found",  # int64 (n): pairs of the present level in the row
    ],
)


@njit
def partner_base(row):
    """The node at the first position of a row in the dense layout."""
    return row // SEGMENT * SEGMENT


@njit
def _settle_maxima(most, most_open, row_most, row_open, u, first, last):
    largest = 0
    largest_open = 0
    for s in range(first, last):
        largest = max(largest, int(most[s]))
        largest_open = max(largest_open, int(most_open[s]))
    row_most[u] = largest
    row_open[u] = largest_open


# ---- first bounds --------------------------------------------------------------------------------------------------


@njit
def _count_row_dense(rows, bound, start, segment, most, most_open, row_most, row_open, u):
    num_nodes, _, words = rows.shape
    for s in range(segment[u], segment[u + 1]):
        offset = (s - segment[u]) * SEGMENT
        base = partner_base(u) + offset
        largest = 0
        for j in range(max(0, u + 1 - base), min(SEGMENT, num_nodes - base)):
            v = base + j
            count = 0
            for w in range(words):
                count += popcount((rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w]))
            bound[start[u] + offset + j] = count
            largest = max(largest, count)
        most[s] = largest
        most_open[s] = largest
    _settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


@njit
def _count_row_fresh(rows, bound, start, segment, most, most_open, row_most, row_open, u):
    """The same when nobody is connected yet: half the words to read."""
    num_nodes, _, words = rows.shape
    for s in range(segment[u], segment[u + 1]):
        offset = (s - segment[u]) * SEGMENT
        base = partner_base(u) + offset
        largest = 0
        for j in range(max(0, u + 1 - base), min(SEGMENT, num_nodes - base)):
            v = base + j
            count = 0
            for w in range(words):
                count += popcount(rows[u, 0, w] & rows[v, 0, w])
            bound[start[u] + offset + j] = count
            largest = max(largest, count)
        most[s] = largest
        most_open[s] = largest
    _settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


@njit
def _count_row_by_lists(indptr, topics, topic_indptr, subscribers, bound, start, segment, most, most_open, row_most, row_open, u):
    """The same from subscriber lists: cheaper than bit rows when topics are many and lists short."""
    base = partner_base(u)
    for i in range(indptr[u], indptr[u + 1]):
        t = topics[i]
        for j in range(topic_indptr[t + 1] - 1, topic_indptr[t] - 1, -1):
            v = subscribers[j]
            if v <= u:
                break
            bound[start[u] + v - base] += 1
    for s in range(segment[u], segment[u + 1]):
        first = start[u] + (s - segment[u]) * SEGMENT
        largest = bound[first]
        for j in range(1, SEGMENT):
            largest = max(largest, bound[first + j])
        most[s] = largest
        most_open[s] = largest
    _settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


@njit
def _count_row_listed(rows, bound, start, segment, partners, most, most_open, row_most, row_open, u):
    words = rows.shape[2]
    for s in range(segment[u], segment[u + 1]):
        first = start[u] + (s - segment[u]) * SEGMENT
        largest = 0
        for i in range(first, min(first + SEGMENT, start[u + 1])):
            v = partners[i]
            count = 0
            for w in range(words):
                count += popcount((rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w]))
            bound[i] = count
            largest = max(largest, count)
        most[s] = largest
        most_open[s] = largest
    _settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


@njit(parallel=True)
def count_rows(rows, pairs, first, last, fresh):
    """Take the first bounds of rows ``first`` to ``last`` from bit rows; ``fresh``: nobody is connected yet."""
    bound, start, segment, partners, most, most_open, row_most, row_open, _ = pairs
    listed = len(partners) > 0
    for i in prange(last - first):
        u = first + i
        if listed:
            _count_row_listed(rows, bound, start, segment, partners, most, most_open, row_most, row_open, u)
        elif fresh:
            _count_row_fresh(rows, bound, start, segment, most, most_open, row_most, row_open, u)
        else:
            _count_row_dense(rows, bound, start, segment, most, most_open, row_most, row_open, u)


@njit(parallel=True)
def count_rows_by_lists(indptr, topics, topic_indptr, subscribers, pairs, first, last):
    """Take the first bounds of rows ``first`` to ``last`` from subscriber lists (dense layout, nobody connected)."""
    bound, start, segment, _, most, most_open, row_most, row_open, _ = pairs
    for i in prange(last - first):
        _count_row_by_lists(
            indptr, topics, topic_indptr, subscribers, bound, start, segment, most, most_open, row_most, row_open,
            first + i,
        )  # fmt: skip


# ---- lowering bounds to the present ----------------------------------------------------------------------------------


@njit
def _refresh_dense(rows, away, degree, bound, first, base, u, level, delta, result):
    """Lower the bounds of one dense segment; result = largest bound, largest open bound, open pairs at the level.

    Two steps: ``away_u + away_v`` bounds every pair of the segment in a few vector instructions; the pairs that could
    still be at the level are then bounded by their bit rows.
    """
    b = bound[first : first + SEGMENT]
    a = away[base : base + SEGMENT]
    d = degree[base : base + SEGMENT]
    away_u = away[u]
    kind = b.dtype.type
    largest = kind(0)
    for j in range(SEGMENT):
        x = min(b[j], kind(a[j] + away_u))
        b[j] = x
        largest = max(largest, x)
    found = 0
    if largest >= level:
        words = rows.shape[2]
        largest = kind(0)
        for q in range(0, SEGMENT, BLOCK):
            most = kind(0)
            for j in range(q, q + BLOCK):
                most = max(most, b[j])
            if most >= level:
                most = kind(0)
                for j in range(q, q + BLOCK):
                    x = b[j]
                    if x >= level and d[j] < delta:
                        v = base + j
                        count = 0
                        for w in range(words):
                            count += popcount((rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w]))
                        x = min(x, kind(count))
                        b[j] = x
                        if x >= level:
                            found += 1
                    most = max(most, x)
            largest = max(largest, most)
    result[0] = largest
    result[2] += found


@njit
def _open_dense(degree, bound, first, base, delta):
    """The largest bound among the pairs of a dense segment whose partner may still take links."""
    b = bound[first : first + SEGMENT]
    d = degree[base : base + SEGMENT]
    kind = b.dtype.type
    largest = kind(0)
    for j in range(SEGMENT):
        largest = max(largest, kind(b[j] * kind(d[j] < delta)))
    return largest


@njit
def _refresh_listed(rows, away, degree, bound, partners, first, last, u, level, delta, result):
    """The same for a segment of listed pairs."""
    words = rows.shape[2]
    largest = 0
    largest_open = 0
    for i in range(first, last):
        v = partners[i]
        x = min(int(bound[i]), int(away[u]) + int(away[v]))
        is_open = degree[v] < delta
        if x >= level and is_open:
            count = 0
            for w in range(words):
                count += popcount((rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w]))
            x = min(x, count)
            if x >= level:
                result[2] += 1
        bound[i] = x
        largest = max(largest, x)
        if is_open:
            largest_open = max(largest_open, x)
    result[0] = largest
    result[1] = largest_open


@njit
def _refresh_row(rows, away, degree, pairs, u, level, delta, ignores_degrees):
    bound, start, segment, partners, most, most_open, row_most, row_open, found = pairs
    listed = len(partners) > 0
    result = np.zeros(3, np.int64)
    for s in range(segment[u], segment[u + 1]):
        if (most[s] if ignores_degrees else most_open[s]) < level:
            continue
        offset = (s - segment[u]) * SEGMENT
        first = start[u] + offset
        if listed:
            last = min(first + SEGMENT, start[u + 1])
            _refresh_listed(rows, away, degree, bound, partners, first, last, u, level, delta, result)
        else:
            base = partner_base(u) + offset
            _refresh_dense(rows, away, degree, bound, first, base, u, level, delta, result)
            result[1] = result[0] if ignores_degrees else _open_dense(degree, bound, first, base, delta)
        most[s] = result[0]
        most_open[s] = min(int(most_open[s]), result[1])
    _settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])
    found[u] = result[2]


@njit(parallel=True)
def refresh_rows(rows, away, degree, pairs, which, level, delta, ignores_degrees):
    """Lower the bounds of these rows where a pair could be at the level; count the open pairs that still could."""
    for i in prange(len(which)):
        _refresh_row(rows, away, degree, pairs, which[i], level, delta, ignores_degrees)


@njit
def refresh_few_rows(rows, away, degree, pairs, which, level, delta, ignores_degrees):
    """The same on one thread: waking the others costs more than a little work."""
    for i in range(len(which)):
        _refresh_row(rows, away, degree, pairs, which[i], level, delta, ignores_degrees)


@njit
def reopen(pairs):
    """After Δ rose every pair is open again."""
    pairs.most_open[:] = pairs.most
    pairs.row_open[:] = pairs.row_most
