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

from topicweave.kernels.greedy.membership import bound_of, contribution_by_lists
from topicweave.kernels.jit import njit, prange

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


# ---- listed pairs ---------------------------------------------------------------------------------------------------


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
