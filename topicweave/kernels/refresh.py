"""Lowering the bounds of a table of pairs to the present, where a pair could be at the level of the sweep."""

import numpy as np

from topicweave.kernels.bits import ONE, popcount
from topicweave.kernels.finds import note
from topicweave.kernels.jit import njit, prange
from topicweave.kernels.membership import bound_of, contribution_by_lists
from topicweave.kernels.pairs import SEGMENT, partner_base, settle_maxima
from topicweave.kernels.prefetch import LINE_BYTES, prefetch

ONE_OF_EIGHT = np.uint64(0x0102040810204080)  # times eight bytes of 0 or 1: the highest byte has a bit of each


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
        settle_maxima(most, most_open, row_most, row_open, u, segment[u], segment[u + 1])
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
