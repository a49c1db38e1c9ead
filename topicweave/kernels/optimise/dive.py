"""Diving: links that the prices clearly favour are fixed, and the ascent continues for the rest."""

import numpy as np

from topicweave.kernels.jit import njit
from topicweave.kernels.optimise.prices import BLOCKED, FIXED, common_topics


@njit
def fix_links(prices, links, degree, cap):
    """Make links of these pairs (m, 2) in order, free of charge in all their topics, except pairs with an end that has
    reached its cap.

    degree and cap: int64 (nodes). The pairs of a node that reaches its cap are blocked. Returns which pairs were made
    links, bool (m).
    """
    most = 0
    for v in range(len(prices.indptr) - 1):
        most = max(most, prices.indptr[v + 1] - prices.indptr[v])
    found = np.empty((most, 3), np.int64)
    done = np.zeros(len(links), np.bool_)
    for e in range(len(links)):
        u, v = links[e, 0], links[e, 1]
        if degree[u] >= cap[u] or degree[v] >= cap[v]:
            continue
        for c in range(common_topics(prices, u, v, found)):
            t, i, j = found[c, 0], found[c, 1], found[c, 2]
            prices.price[prices.start[t] + i * prices.stride[t] + j] = FIXED
            prices.price[prices.start[t] + j * prices.stride[t] + i] = FIXED
        done[e] = True
        for node in (u, v):
            degree[node] += 1
            if degree[node] == cap[node]:
                block_node(prices, node)
    return done


@njit
def block_node(prices, v):
    """Forbid all further links of this node."""
    for s in range(prices.indptr[v], prices.indptr[v + 1]):
        t, i = prices.topics[s], prices.place[s]
        for j in range(prices.topic_indptr[t + 1] - prices.topic_indptr[t]):
            cell = prices.start[t] + i * prices.stride[t] + j
            if prices.price[cell] != FIXED:
                prices.price[cell] = BLOCKED
                prices.price[prices.start[t] + j * prices.stride[t] + i] = BLOCKED


@njit
def has_fixed_tree(prices, parent, t):
    """Whether all links in the tree of a topic are fixed, so that no later step can change the tree."""
    first, size = prices.topic_indptr[t], prices.topic_indptr[t + 1] - prices.topic_indptr[t]
    for j in range(size):
        i = np.int64(parent[first + j])
        if i < size and prices.price[prices.start[t] + i * prices.stride[t] + j] != FIXED:
            return False
    return True


@njit
def unfinished_topics(prices, parent, order):
    """Those topics of ``order``, in the same order, whose trees have links that are not fixed."""
    left = np.empty(len(order), np.int64)
    count = 0
    for t in order:
        if not has_fixed_tree(prices, parent, t):
            left[count] = t
            count += 1
    return left[:count]
