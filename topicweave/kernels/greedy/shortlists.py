"""Shortlists: a few partners for every node, bounds on the contributions of links with them, and one bound for all
other nodes.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.greedy.membership import contribution
from topicweave.kernels.intrinsics import take_next
from topicweave.kernels.jit import inner_njit, njit, prange

WORTH = 0x7FFFFFFF  # the low bits of a key hold the contribution of the pair; the partner's number is above them
NODES_AT_A_TIME = 16  # number of nodes that a thread takes at a time


class Shortlists(NamedTuple):
    """What each node found when it last searched; contributions only fall, so these values remain upper bounds."""

    partner: np.ndarray  # the partners of each node; NOBODY where there are fewer [int32 (n, K)]
    worth: np.ndarray  # upper bound on the contribution of a link with the partner [int32 (n, K)]
    # upper bound on the contribution of a link with any other node, as far as the search has shown [int32 (groups, n)]
    others: np.ndarray


@njit
def lower_worth(members, shortlists, floor, first, last, work_counter):
    """Update the bounds of nodes ``first`` to ``last`` for all partners that may contribute at least the floor.

    The work of one thread.
    """
    partner, worth = shortlists.partner, shortlists.worth
    while True:
        begin = first + take_next(work_counter) * NODES_AT_A_TIME
        if begin >= last:
            break
        for u in range(begin, min(begin + NODES_AT_A_TIME, last)):
            for k in range(partner.shape[1]):
                if worth[u, k] >= floor:
                    worth[u, k] = contribution(members, u, np.int64(partner[u, k]))


@njit(parallel=True)
def lower_worth_on_threads(members, shortlists, floor, first, last, work_counter, num_threads):
    """Do what :func:`lower_worth` does, on the threads of the sweep."""
    for _ in prange(num_threads):
        lower_worth(members, shortlists, floor, first, last, work_counter)


@njit
def contributions(members, pairs):
    """The contribution that a link would have now, for each of these pairs, int64 (pairs, 2)."""
    gains = np.empty(len(pairs), np.int64)
    for i in range(len(pairs)):
        gains[i] = contribution(members, pairs[i, 0], pairs[i, 1])
    return gains


@inner_njit
def _add(at, keys, u, v, gain):
    low, high = min(u, v), max(u, v)
    keys[at[low]] = (np.int64(high) << 32) | gain
    at[low] += 1


@njit
def pairs_worth(shortlists, more, more_worth, floor):
    """All pairs that may contribute at least the floor, as rows: start int64 (n + 1), partners int32, bounds int32.

    more int64 (pairs, 2), more_worth int64: further pairs, and upper bounds of their worth.
    """
    partner, worth = shortlists.partner, shortlists.worth
    num_nodes = len(partner)
    start = np.zeros(num_nodes + 1, np.int64)
    for u in range(num_nodes):
        for k in range(partner.shape[1]):
            if worth[u, k] >= floor:
                start[min(u, partner[u, k]) + 1] += 1
    for i in range(len(more)):
        start[min(more[i, 0], more[i, 1]) + 1] += 1
    for u in range(num_nodes):
        start[u + 1] += start[u]
    keys = np.empty(start[-1], np.int64)
    at = start[:-1].copy()
    for u in range(num_nodes):
        for k in range(partner.shape[1]):
            if worth[u, k] >= floor:
                _add(at, keys, u, partner[u, k], np.int64(worth[u, k]))
    for i in range(len(more)):
        _add(at, keys, more[i, 0], more[i, 1], more_worth[i])
    partners = np.empty(start[-1], np.int32)
    bounds = np.empty(start[-1], np.int32)
    size = 0
    for u in range(num_nodes):
        row = keys[start[u] : start[u + 1]]
        row.sort()
        start[u] = size
        for i in range(len(row)):
            v = row[i] >> 32
            # a pair that is in the shortlists of both its ends appears twice
            if i + 1 < len(row) and row[i + 1] >> 32 == v:
                continue
            partners[size], bounds[size] = v, row[i] & WORTH
            size += 1
    start[num_nodes] = size
    return start, partners[:size].copy(), bounds[:size].copy()
