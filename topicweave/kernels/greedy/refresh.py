"""Lowering the bounds of a table of pairs to the present, where a pair could be at the level of the sweep."""

import numpy as np

from topicweave.kernels.bits import AT_A_TIME, ONE, at_least, list_bits, popcount
from topicweave.kernels.greedy.finds import drop_half, note
from topicweave.kernels.greedy.membership import bound_of, contribution_by_lists
from topicweave.kernels.greedy.pair_table import GROUP, SEGMENT, partner_base, settle_maxima
from topicweave.kernels.jit import njit, prange
from topicweave.kernels.prefetch import LINE_BYTES, prefetch
from topicweave.kernels.turns import next_turn

# A step of a whole row is one function with one vector loop in it: LLVM vectorises each of these, but not all of them
# as parts of one, and a call for every segment costs as much as the segment. Places are unsigned, because numba asks of
# signed ones whether they are negative.


@njit
def _open_segments(most, first, last, level, opened):
    """List the segments that can hold a pair of the level, by their place in the row; return how many."""
    first, last, count = np.uint64(first), np.uint64(last), np.uint64(0)
    least = most.dtype.type(level)
    for s in range(first, last, np.uint64(64)):
        reaches = at_least(most, s, least)
        if last - s < np.uint64(64):
            reaches &= (ONE << (last - s)) - ONE
        count = list_bits(reaches, s - first, opened, count)
    return np.int64(count)


@njit
def _list_looks(away, bound, open_mask, first, base, u, opened, num, level, look, now, looks):
    """Of opened segments of a dense row that may have an open pair of the level, list the pairs to look at closer.

    These are the open ones whose bound is ``look`` or more, by their place in the row. No bound counts for more than
    ``away_u + away_v``.
    """
    kind = bound.dtype.type
    away_u = away[u]
    level_from, look_from = kind(level), kind(look)
    half, count = np.uint64(SEGMENT // 2), np.uint64(0)  # of a segment: 64 pairs, a word
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


@njit
def _look_closer(rows, bound, first, base, u, level, looks, num):
    """Lower the bounds of these pairs to what the bit rows say; return how many could be at the level.

    Those that could become the first of ``looks``.
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


@njit
def _lower_maxima(away, bound, open_mask, most, most_open, first, base, first_segment, u, opened, num):
    """Lower the largest bounds of opened segments of a dense row.

    The table is left as it is where only ``away_u + away_v`` is lower, so that nothing is written back.
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


@njit
def _refresh_listed(
    members, open_mask, bound, partners, most, most_open, first, last, first_segment, u, opened, num, level, hits
):
    """All of that for opened segments of a listed row; return how many pairs could be at the level, of how many."""
    rows, indptr, topics, label, away = members.rows, members.indptr, members.topics, members.label, members.away
    has_bits = rows.shape[2] > 0
    found = 0
    looked = 0
    for i in range(num):
        begin = first + opened[i] * SEGMENT
        largest = 0
        largest_open = 0
        for pair in range(begin, min(begin + SEGMENT, last)):
            v = partners[pair]
            x = min(int(bound[pair]), int(away[u]) + int(away[v]))
            is_open = open_mask[v] != 0
            if x >= level and is_open:
                looked += 1
                count = bound_of(rows, u, v) if has_bits else contribution_by_lists(indptr, topics, label, u, v)
                x = min(x, count)
                if x >= level:
                    hits[found] = pair - first
                    found += 1
            bound[pair] = x
            largest = max(largest, x)
            if is_open:
                largest_open = max(largest_open, x)
        s = first_segment + opened[i]
        most[s] = largest
        most_open[s] = min(int(most_open[s]), largest_open)
    return found, looked


@njit
def refresh_some(members, open_mask, pairs, finds, worker, turn, which, level, look, any_pair):
    """What one thread does of :func:`refresh_rows`; turn: as of ``next_turn``."""
    rows, away = members.rows, members.away
    bound, start, segment, partners, most, most_open, row_most, row_open, found, looked = pairs
    entries, us, vs, keys = finds.entry[worker], finds.u[worker], finds.v[worker], finds.key[worker]
    names, ties, seed = finds.names, finds.ties[0], finds.ties[1]
    listed = len(partners) > 0
    longest = 0
    for u in which:
        longest = max(longest, segment[u + 1] - segment[u])
    to_open = most if any_pair else most_open
    opened = np.empty(longest + AT_A_TIME, np.int64)
    hits = np.empty(longest * SEGMENT + AT_A_TIME, np.int32)
    now = np.empty(SEGMENT, bound.dtype)
    noted, last = finds.num[worker], finds.last[worker]
    i, end = 0, 0
    while True:
        if i == end:
            i = next_turn(turn) * GROUP
            end = min(i + GROUP, len(which))
            if i >= end:
                break
        u = which[i]
        i += 1
        first, base, first_segment = start[u], partner_base(u), segment[u]
        num_opened = _open_segments(to_open, first_segment, segment[u + 1], level, opened)
        for s in range(num_opened):
            begin = first + opened[s] * SEGMENT
            for pair in range(begin, min(begin + SEGMENT, start[u + 1]), LINE_BYTES // bound.itemsize):
                prefetch(bound, pair)
        num, seen = 0, 0
        if listed:
            num, seen = _refresh_listed(
                members,
                open_mask,
                bound,
                partners,
                most,
                most_open,
                first,
                start[u + 1],
                first_segment,
                u,
                opened,
                num_opened,
                level,
                hits,
            )
        else:
            seen = _list_looks(away, bound, open_mask, first, base, u, opened, num_opened, level, look, now, hits)
            num = _look_closer(rows, bound, first, base, u, level, hits, seen)
            _lower_maxima(away, bound, open_mask, most, most_open, first, base, first_segment, u, opened, num_opened)
        at = 0
        while at < num:
            if noted == len(entries):
                noted, last = drop_half(entries, us, vs, keys)
            noted, at = note(
                entries, us, vs, keys, last, noted, names, ties, seed, u, first, base, partners, hits, at, num
            )
        settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])
        found[u] = num
        looked[u] = seen
    finds.num[worker], finds.last[worker] = noted, last


@njit(parallel=True)
def refresh_rows(members, open_mask, pairs, finds, turn, which, level, look, any_pair, workers):
    """Lower the bounds of these rows where a pair could be at the level; note the open pairs that still could.

    open_mask, bound type (n + SEGMENT): all bits set for nodes that may take links, none for the others. turn: as of
    ``next_turn``.
    """
    for worker in prange(workers):
        refresh_some(members, open_mask, pairs, finds, np.int64(worker), turn, which, level, look, any_pair)


@njit
def reopen(pairs):
    """After Δ rose every pair is open again."""
    pairs.most_open[:] = pairs.most
    pairs.row_open[:] = pairs.row_most
