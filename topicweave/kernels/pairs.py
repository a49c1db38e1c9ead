"""The table of candidate pairs: an upper bound of every pair's contribution, in segments that can be skipped whole.

A row holds the pairs of one node with later ones; a row is cut into segments of ``SEGMENT`` pairs. Each segment and
each row knows the largest bound in it, so a level of the sweep opens only the segments that can hold a pair of that
level. Two layouts share all code. *Dense*: all pairs; the partner follows from the position, segments start at
multiples of ``SEGMENT``. *Listed*: given pairs; ``partners`` holds the other end.

Contributions only fall, so a bound taken earlier is still a bound: it is lowered when looked at, never raised.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.bits import ONE, popcount
from topicweave.kernels.finds import note
from topicweave.kernels.jit import njit, prange
from topicweave.kernels.membership import bound_of, contribution_by_lists
from topicweave.kernels.prefetch import LINE_BYTES, prefetch

SEGMENT = 128
ONE_OF_EIGHT = np.uint64(0x0102040810204080)  # times eight bytes of 0 or 1: the highest byte has a bit of each


class Pairs(NamedTuple):
    """The candidate pairs and their bounds."""

    bound: np.ndarray  # bound type (pairs, padded): upper bound of the contribution; 0 = not or no longer a candidate
    start: np.ndarray  # int64 (n + 1): first pair of a row
    segment: np.ndarray  # int64 (n + 1): first segment of a row
    partners: np.ndarray  # int32 (pairs) if listed, else (0,)
    most: np.ndarray  # bound type (segments): largest bound in the segment
    most_open: np.ndarray  # bound type (segments): the same over pairs whose ends are open (may take links at this Δ)
    row_most: np.ndarray  # int64 (n)
    row_open: np.ndarray  # int64 (n)
    found: np.ndarray  # int64 (n): pairs of the present level in the row
    looked: np.ndarray  # int64 (n): pairs of the row whose bit rows were looked at in the last refresh


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
def _count_segment(columns, away_columns, u, base, count):
    """Bounds of u with SEGMENT partners, from transposed words: one instruction serves several partners."""
    words = columns.shape[0]
    count[:] = 0
    w = 0
    while w + 2 <= words:  # two words stay in registers while the partners pass by
        p0, a0, p1, a1 = columns[w, u], away_columns[w, u], columns[w + 1, u], away_columns[w + 1, u]
        ps0, as0 = columns[w, base : base + SEGMENT], away_columns[w, base : base + SEGMENT]
        ps1, as1 = columns[w + 1, base : base + SEGMENT], away_columns[w + 1, base : base + SEGMENT]
        for j in range(SEGMENT):
            count[j] += popcount((p0 & as0[j]) | (a0 & ps0[j])) + popcount((p1 & as1[j]) | (a1 & ps1[j]))
        w += 2
    if w < words:
        p0, a0 = columns[w, u], away_columns[w, u]
        ps0, as0 = columns[w, base : base + SEGMENT], away_columns[w, base : base + SEGMENT]
        for j in range(SEGMENT):
            count[j] += popcount((p0 & as0[j]) | (a0 & ps0[j]))


@njit
def _count_segment_fresh(columns, u, base, count):
    """The same when nobody is connected yet, with less to read."""
    words = columns.shape[0]
    count[:] = 0
    w = 0
    while w + 4 <= words:  # four words stay in registers while the partners pass by
        a0, a1, a2, a3 = columns[w, u], columns[w + 1, u], columns[w + 2, u], columns[w + 3, u]
        b0, b1 = columns[w, base : base + SEGMENT], columns[w + 1, base : base + SEGMENT]
        b2, b3 = columns[w + 2, base : base + SEGMENT], columns[w + 3, base : base + SEGMENT]
        for j in range(SEGMENT):
            count[j] += popcount(a0 & b0[j]) + popcount(a1 & b1[j]) + popcount(a2 & b2[j]) + popcount(a3 & b3[j])
        w += 4
    while w < words:
        a0 = columns[w, u]
        b0 = columns[w, base : base + SEGMENT]
        for j in range(SEGMENT):
            count[j] += popcount(a0 & b0[j])
        w += 1


@njit
def _count_row_by_columns(
    columns, away_columns, bound, start, segment, most, most_open, row_most, row_open, u, count, fresh
):
    """Lower the bounds of a dense row to what the transposed bit rows say."""
    for s in range(segment[u], segment[u + 1]):
        if not fresh and most[s] == 0:
            continue
        offset = (s - segment[u]) * SEGMENT
        base = partner_base(u) + offset
        if fresh:
            _count_segment_fresh(columns, u, base, count)
        else:
            _count_segment(columns, away_columns, u, base, count)
        for j in range(min(SEGMENT, u + 1 - base)):  # no pairs: u itself and those before it
            count[j] = 0
        b = bound[start[u] + offset : start[u] + offset + SEGMENT]
        kind = b.dtype.type
        largest = kind(0)
        for j in range(SEGMENT):
            x = kind(count[j]) if fresh else min(b[j], kind(count[j]))
            b[j] = x
            largest = max(largest, x)
        most[s] = largest
        most_open[s] = largest if fresh else min(most_open[s], largest)
    _settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


@njit
def _count_row_by_lists(lists, bound, start, segment, most, most_open, row_most, row_open, u, count):
    """The same from subscriber lists: cheaper when lists are short, or nearly all are at home.

    Only topics in which one of the two is away from home count; so a topic's whole list is walked if u is away in it,
    else only the list of those who are. Bounds are lowered to what is found.
    """
    indptr, topics, is_away, topic_indptr, subscribers, away_indptr, away_subscribers = lists
    base = partner_base(u)
    length = start[u + 1] - start[u]
    kind = count.dtype.type
    row = count[:length]
    row[:] = 0
    for i in range(indptr[u], indptr[u + 1]):
        t = topics[i]
        if is_away[i]:
            for j in range(topic_indptr[t + 1] - 1, topic_indptr[t] - 1, -1):
                v = subscribers[j]
                if v <= u:
                    break
                row[v - base] += kind(1)
        else:
            for j in range(away_indptr[t + 1] - 1, away_indptr[t] - 1, -1):
                v = away_subscribers[j]
                if v <= u:
                    break
                row[v - base] += kind(1)
    for s in range(segment[u], segment[u + 1]):
        offset = (s - segment[u]) * SEGMENT
        b = bound[start[u] + offset : start[u] + offset + SEGMENT]
        c = row[offset : offset + SEGMENT]
        largest = kind(0)
        for j in range(SEGMENT):
            x = min(b[j], c[j])
            b[j] = x
            largest = max(largest, x)
        most[s] = largest
        most_open[s] = min(most_open[s], largest)
    _settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


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
    _settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


# Rows differ in length, so the threads take turns (row 0, 1, 2, ... instead of one half each).


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
        _settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])


@njit(parallel=True)
def count_rows_by_columns(columns, away_columns, pairs, first, last, fresh, workers):
    """Lower the bounds of rows ``first`` to ``last`` (dense layout) to what transposed bit rows say.

    columns, away_columns uint64 (words, n + SEGMENT): subscribes; is away from home. fresh: the two are equal.
    """
    bound, start, segment, _, most, most_open, row_most, row_open, _, _ = pairs
    for worker in prange(workers):
        count = np.empty(SEGMENT, np.int64)
        for u in range(first + np.int64(worker), last, workers):
            _count_row_by_columns(
                columns, away_columns, bound, start, segment, most, most_open, row_most, row_open, u, count, fresh
            )


@njit(parallel=True)
def count_rows_by_lists(lists, pairs, first, last, workers):
    """The same to what subscriber lists say."""
    bound, start, segment, _, most, most_open, row_most, row_open, _, _ = pairs
    for worker in prange(workers):
        count = np.empty(start[1] - start[0], bound.dtype)
        for u in range(first + np.int64(worker), last, workers):
            _count_row_by_lists(lists, bound, start, segment, most, most_open, row_most, row_open, u, count)


# ---- lowering bounds to the present ----------------------------------------------------------------------------------


# One loop, one function: LLVM vectorises each of these, but not all of them as parts of one. Places are unsigned,
# because numba asks of signed ones whether they are negative.


@njit
def _lower_by_away(away, bound, first, base, u):
    """Lower the bounds of a dense segment to ``away_u + away_v``; return the largest."""
    kind = bound.dtype.type
    away_u = away[u]
    pair, node = np.uint64(first), np.uint64(base)
    largest = kind(0)
    for j in range(SEGMENT):
        x = min(bound[pair + np.uint64(j)], kind(away[node + np.uint64(j)] + away_u))
        bound[pair + np.uint64(j)] = x
        largest = max(largest, x)
    return largest


@njit
def _largest_open(bound, open_mask, first, base):
    """The largest bound of the open pairs of a dense segment."""
    kind = bound.dtype.type
    pair, node = np.uint64(first), np.uint64(base)
    largest = kind(0)
    for j in range(SEGMENT):
        largest = max(largest, kind(bound[pair + np.uint64(j)] & open_mask[node + np.uint64(j)]))
    return largest


@njit
def _largest(bound, first):
    kind = bound.dtype.type
    pair = np.uint64(first)
    largest = kind(0)
    for j in range(SEGMENT):
        largest = max(largest, bound[pair + np.uint64(j)])
    return largest


@njit
def _flag(bound, open_mask, first, base, look, flags):
    """Mark the open pairs of a dense segment whose bound is ``look`` or more."""
    kind = bound.dtype.type
    pair, node = np.uint64(first), np.uint64(base)
    look_from = kind(look)
    for j in range(SEGMENT):
        flags[np.uint64(j)] = kind(bound[pair + np.uint64(j)] & open_mask[node + np.uint64(j)]) >= look_from


@njit
def _look_closer(rows, bound, first, base, u, level, flag_words, hits):
    """Lower the bounds of flagged pairs to what the bit rows say; return how many could be at the level, of how many.

    Those that could are the first of ``hits``, by their place in the segment.
    """
    kind = bound.dtype.type
    threshold = kind(level)
    looked = 0
    for part in range(SEGMENT // 64):  # of 64 flags a word, so that few branches are mispredicted
        flagged = np.uint64(0)
        for q in range(8):
            eight = (flag_words[part * 8 + q] * ONE_OF_EIGHT) >> np.uint64(56)
            flagged |= eight << np.uint64(8 * q)
        while flagged:
            hits[looked] = part * 64 + popcount((flagged & (~flagged + ONE)) - ONE)
            flagged &= flagged - ONE
            looked += 1
    # No branch depends on what is read here, so that the processor reads ahead.
    words = rows.shape[2]
    for i in range(looked):
        v = base + hits[i]
        count = 0
        for w in range(words):
            count += popcount((rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w]))
        bound[first + hits[i]] = min(bound[first + hits[i]], kind(count))
    found = 0
    for i in range(looked):
        j = hits[i]
        hits[found] = j
        found += bound[first + j] >= threshold
    return found, looked


@njit
def _refresh_listed(rows, indptr, topics, label, away, open_mask, bound, partners, first, last, u, level, hits):
    """The same for a segment of listed pairs."""
    has_bits = rows.shape[2] > 0
    largest = 0
    largest_open = 0
    found = 0
    looked = 0
    for i in range(first, last):
        v = partners[i]
        x = min(int(bound[i]), int(away[u]) + int(away[v]))
        is_open = open_mask[v] != 0
        if x >= level and is_open:
            looked += 1
            count = bound_of(rows, u, v) if has_bits else contribution_by_lists(indptr, topics, label, u, v)
            x = min(x, count)
            if x >= level:
                hits[found] = i - first
                found += 1
        bound[i] = x
        largest = max(largest, x)
        if is_open:
            largest_open = max(largest_open, x)
    return largest, largest_open, found, looked


@njit
def _refresh_every(members, open_mask, pairs, finds, worker, which, level, look, any_pair, workers):
    """One thread's share of the rows: each ``workers``-th.

    All in one function: to hand arrays to another one for every row counts their users up and down, and threads wait
    for each other to do so.
    """
    rows, away = members.rows, members.away
    indptr, topics, label = members.indptr, members.topics, members.label
    bound, start, segment, partners, most, most_open, row_most, row_open, found, looked = pairs
    entries, us, vs, keys = finds.entry[worker], finds.u[worker], finds.v[worker], finds.key[worker]
    names, ties, seed = finds.names, finds.ties[0], finds.ties[1]
    listed = len(partners) > 0
    flags = np.zeros(SEGMENT, np.uint8)
    flag_words = flags.view(np.uint64)
    hits = np.empty(SEGMENT, np.uint8)
    longest = 0
    for u in which:
        longest = max(longest, segment[u + 1] - segment[u])
    opened = np.empty(longest, np.int64)
    noted = finds.num[worker]
    for row in range(worker, len(which), workers):
        u = which[row]
        num_opened = 0
        for s in range(segment[u], segment[u + 1]):
            if (most[s] if any_pair else most_open[s]) >= level:
                opened[num_opened] = s
                num_opened += 1
                first = start[u] + (s - segment[u]) * SEGMENT
                for i in range(first, min(first + SEGMENT, start[u + 1]), LINE_BYTES // bound.itemsize):
                    prefetch(bound, i)
        sum_found = 0
        sum_looked = 0
        for i in range(num_opened):
            s = opened[i]
            offset = (s - segment[u]) * SEGMENT
            first = start[u] + offset
            base = partner_base(u) + offset
            if listed:
                last = min(first + SEGMENT, start[u + 1])
                a, b, num, seen = _refresh_listed(
                    rows, indptr, topics, label, away, open_mask, bound, partners, first, last, u, level, hits
                )
                most[s] = a
                most_open[s] = min(int(most_open[s]), b)
            else:
                e = f = _lower_by_away(away, bound, first, base, u)
                if e >= level:
                    f = _largest_open(bound, open_mask, first, base)
                num, seen = 0, 0
                if f >= level:
                    # To look somewhat below the level saves a later visit.
                    _flag(bound, open_mask, first, base, look, flags)
                    num, seen = _look_closer(rows, bound, first, base, u, level, flag_words, hits)
                    e, f = _largest(bound, first), _largest_open(bound, open_mask, first, base)
                most[s] = e
                most_open[s] = min(most_open[s], f)
            if num > 0:
                noted = note(entries, us, vs, keys, noted, names, ties, seed, u, first, base, partners, hits, num)
            sum_found += num
            sum_looked += seen
        _settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])
        found[u] = sum_found
        looked[u] = sum_looked
    finds.num[worker] = noted


@njit(parallel=True)
def refresh_rows(members, open_mask, pairs, finds, which, level, look, any_pair, workers):
    """Lower the bounds of these rows where a pair could be at the level; note the open pairs that still could.

    open_mask, bound type (n + SEGMENT): all bits set for nodes that may take links, none for the others.
    """
    for worker in prange(workers):
        _refresh_every(members, open_mask, pairs, finds, np.int64(worker), which, level, look, any_pair, workers)


@njit
def refresh_few_rows(members, open_mask, pairs, finds, which, level, look, any_pair):
    """The same on one thread: waking the others costs more than a little work."""
    _refresh_every(members, open_mask, pairs, finds, 0, which, level, look, any_pair, 1)


@njit
def reopen(pairs):
    """After Δ rose every pair is open again."""
    pairs.most_open[:] = pairs.most
    pairs.row_open[:] = pairs.row_most
