"""One step of the subgradient ascent: the price of a pair rises in topics whose tree uses the pair and falls in the
others, so that the sum of its prices stays the same.
"""

import numpy as np

from topicweave.kernels.intrinsics import take_next
from topicweave.kernels.jit import njit
from topicweave.kernels.optimise.prices import BLOCKED, FIXED, MOST, common_topics

FRACTION = 16  # number of additional bits of precision for the length of a step
NORM_BITS = 16  # number of additional bits of precision for a squared length
DROPPED = -(1 << 60)  # stands for a price that has just been set to 0


@njit
def is_in_tree(prices, parent, t, i, j):
    """Whether the tree of topic t contains the pair of members i and j."""
    first = prices.topic_indptr[t]
    return parent[first + i] == j or parent[first + j] == i


@njit
def project(price, count, target, turn):
    """Shift all prices by the same amount so that they sum to the target and none is below 0 (Euclidean projection), in
    whole numbers.

    price int64 (count) is changed in place; the remainder of the division goes to the places from ``turn`` on.
    """
    excess, num_above = -target, count
    for i in range(count):
        excess += price[i]
    num_dropped = -1
    while num_dropped != 0:
        num_dropped = 0
        for i in range(count):
            if price[i] != DROPPED and price[i] * num_above < excess:
                excess -= price[i]
                price[i] = DROPPED
                num_dropped += 1
                num_above -= 1
    share, rest = excess // num_above, excess % num_above
    for offset in range(count):
        i = (turn + offset) % count
        if price[i] == DROPPED:
            price[i] = 0
        else:
            price[i] -= share + (rest > 0)
            rest -= rest > 0


@njit
def write_prices(prices, found, value, count):
    """Store the prices of a pair in the tables of its common topics (as listed by ``common_topics``), at both of its
    places.
    """
    for c in range(count):
        topic, one, other = found[c, 0], found[c, 1], found[c, 2]
        table, width = prices.start[topic], prices.stride[topic]
        stored = min(value[c], MOST) + 1
        prices.price[table + one * width + other] = stored
        prices.price[table + other * width + one] = stored


@njit
def ascend(prices, order, parent, target, step, used, norm, counter):
    """Change by one step the prices of all pairs that the tree of some topic uses; threads share the topics.

    Parameters
    ----------
    prices, order, parent
        As for :func:`topicweave.kernels.optimise.prices.cheapest_trees`.
    target
        int64 (nodes): the prices of a pair must sum to the targets of its two ends together.
    step
        In units of price, with FRACTION additional bits.
    used
        int64, aligned with members: for every tree pair, at one of its places, the sum of its prices in the trees that
        have it; -1 at all others.
    norm
        int64 (topics): the squared length of the direction, in parts, with NORM_BITS.
    """
    most = 0
    for v in range(len(prices.indptr) - 1):
        most = max(most, prices.indptr[v + 1] - prices.indptr[v])
    found, value, inside = np.empty((most, 3), np.int64), np.empty(most, np.int64), np.empty(most, np.bool_)
    while True:
        at = take_next(counter)
        if at >= len(order):
            return
        t = order[at]
        first, size = prices.topic_indptr[t], prices.topic_indptr[t + 1] - prices.topic_indptr[t]
        norm[t] = 0
        for j in range(size):
            used[first + j] = -1
            i = np.int64(parent[first + j])
            if i >= size:
                continue
            stored = prices.price[prices.start[t] + i * prices.stride[t] + j]
            if stored == FIXED or stored == BLOCKED:
                continue
            u, v = prices.members[first + i], prices.members[first + j]
            count = common_topics(prices, u, v, found)
            in_trees, is_mine = 0, True
            for c in range(count):
                inside[c] = is_in_tree(prices, parent, found[c, 0], found[c, 1], found[c, 2])
                if inside[c]:
                    if in_trees == 0 and found[c, 0] != t:
                        is_mine = False
                        break
                    in_trees += 1
            if not is_mine:  # a pair that is in several trees is handled with the first of them
                continue
            paid = 0
            for c in range(count):
                topic = found[c, 0]
                cell = prices.start[topic] + found[c, 1] * prices.stride[topic] + found[c, 2]
                value[c] = np.int64(prices.price[cell]) - 1
                if inside[c]:
                    paid += value[c]
            used[first + j] = paid
            norm[t] += ((in_trees * count - in_trees * in_trees) << NORM_BITS) // count
            if in_trees == count or step == 0:
                continue
            for c in range(count):
                value[c] += (step * ((count if inside[c] else 0) - in_trees)) // (count << FRACTION)
            project(value, count, target[u] + target[v], (u + v) % count)
            write_prices(prices, found, value, count)


@njit
def tree_degrees(prices, order, parent):
    """For each node, the mean number of its links over the trees: int64 (nodes), with NORM_BITS of additional
    precision.

    A pair that k of its c common topics have in their trees counts k / c.
    """
    degree = np.zeros(len(prices.indptr) - 1, np.int64)
    most = 0
    for v in range(len(prices.indptr) - 1):
        most = max(most, prices.indptr[v + 1] - prices.indptr[v])
    found = np.empty((most, 3), np.int64)
    for t in order:
        first, size = prices.topic_indptr[t], prices.topic_indptr[t + 1] - prices.topic_indptr[t]
        for j in range(size):
            i = np.int64(parent[first + j])
            if i < size:
                u, v = prices.members[first + i], prices.members[first + j]
                share = (1 << NORM_BITS) // common_topics(prices, u, v, found)
                degree[u] += share
                degree[v] += share
    return degree


@njit
def retarget(prices, target, counter):
    """Shift the prices of every pair so that they sum to the targets of its two ends; threads share the nodes."""
    n = len(prices.indptr) - 1
    most = 0
    for v in range(n):
        most = max(most, prices.indptr[v + 1] - prices.indptr[v])
    found, value = np.empty((most, 3), np.int64), np.empty(most, np.int64)
    while True:
        u = take_next(counter)
        if u >= n:
            return
        for v in range(u + 1, n):
            count = common_topics(prices, u, v, found)
            if count == 0:
                continue
            for c in range(count):
                cell = prices.start[found[c, 0]] + found[c, 1] * prices.stride[found[c, 0]] + found[c, 2]
                value[c] = np.int64(prices.price[cell]) - 1
            project(value, count, target[u] + target[v], (u + v) % count)
            write_prices(prices, found, value, count)
