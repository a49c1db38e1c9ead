"""Tries every overlay of a few nodes: the last resort if the search fails, and a proof if no overlay meets the
requirements.
"""

import numpy as np

from topicweave.kernels.jit import njit


@njit
def lightest_overlay(pairs, weights, caps, topics, max_hops, connectivity, base_degree, base_rows):
    """The lightest set of pairs with which all topics meet the requirements.

    Parameters
    ----------
    pairs, weights
        int64 (p, 2), float64 (p): the permitted pairs; p is at most about 25.
    caps, base_degree
        int64 (nodes): the most links of each node, and how many it has in any case.
    topics, base_rows
        int64 (topics) and int64 (nodes): the members of each topic and the neighbours that each node has in any case,
        as bits.
    max_hops, connectivity
        The hop limit (0 for none), and how many failures less one a topic has to survive.

    Returns
    -------
    The bits of the pairs chosen, or -1 if there is no such overlay.
    """
    best, lightest = np.int64(-1), np.inf
    rows = np.empty(len(caps), np.int64)
    degree = np.empty(len(caps), np.int64)
    for choice in range(np.int64(1) << len(pairs)):
        rows[:] = base_rows
        degree[:] = base_degree
        weight = 0.0
        for i in range(len(pairs)):
            if choice >> i & 1:
                u, v = pairs[i, 0], pairs[i, 1]
                rows[u] |= np.int64(1) << v
                rows[v] |= np.int64(1) << u
                degree[u] += 1
                degree[v] += 1
                weight += weights[i]
        if weight >= lightest or np.any(degree > caps):
            continue
        if _all_met(rows, topics, max_hops, connectivity):
            best, lightest = choice, weight
    return best


@njit
def _all_met(rows, topics, max_hops, connectivity):
    for members in topics:
        if max_hops > 0 and not _is_within(rows, members, max_hops):
            return False
        if not _survives(rows, members, connectivity):
            return False
    return True


@njit
def _is_within(rows, members, max_hops):
    """Whether no two members are more than ``max_hops`` apart; if that is 0, whether they are connected."""
    for v in range(len(rows)):
        if members >> v & 1:
            near = np.int64(1) << v
            hops = 0
            while near != members and (max_hops == 0 or hops < max_hops):
                further = near
                for u in range(len(rows)):
                    if near >> u & 1:
                        further |= rows[u] & members
                if further == near:
                    break
                near = further
                hops += 1
            if near != members:
                return False
            if max_hops == 0:
                return True
    return True


@njit
def _survives(rows, members, connectivity):
    """Whether the members stay connected when any ``connectivity`` - 1 of them fail; if there are only few members,
    whether all are linked to each other.
    """
    n = len(rows)
    size = 0
    for v in range(n):
        size += members >> v & 1
    if size <= connectivity:
        for v in range(n):
            if members >> v & 1 and members & ~rows[v] != np.int64(1) << v:
                return False
        return True
    if not _is_within(rows, members, 0):
        return False
    if connectivity >= 2:
        for u in range(n):
            without = members & ~(np.int64(1) << u)
            if without == members:
                continue
            if not _is_within(rows, without, 0):
                return False
            if connectivity == 3:
                for v in range(u):
                    if members >> v & 1 and not _is_within(rows, without & ~(np.int64(1) << v), 0):
                        return False
    return True
