"""The prices of pairs in each of their topics, and the cheapest tree of every topic.

A topic of n subscribers has a table of n rows, with one price for every pair, stored symmetrically so that a row is
contiguous. Prices are whole numbers: ``UNIT`` is the cost of a link, and every sum is exact in any order. A price is
stored plus one, which leaves space for ``FIXED`` (an existing link) below all prices; ``BLOCKED`` lies above them. The
tree of a topic is stored as the parent of each of its places, ``NO_PARENT`` at the root.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.intrinsics import take_next
from topicweave.kernels.jit import njit

UNIT = 1 << 14
FIXED, BLOCKED = 0, 65535
MOST = 65533  # the largest price: prices are stored increased by one, and must stay below BLOCKED
BLOCK = 32  # rows are padded to whole blocks of this size, so that vector instructions can compare them
NO_PARENT = 65535
# the most members that a topic may have: a member's place and a price must fit into 32 bits together
MOST_PLACES = 65535
TAKEN = np.uint32(0xFFFFFFFF)


class Prices(NamedTuple):
    """For every topic, a table of the prices of its pairs.

    Attributes
    ----------
    indptr, topics
        CSR by node, topics rising.
    place
        int32, aligned with ``topics``: the number of the node within that topic.
    topic_indptr, members
        CSR by topic: node by place.
    start, stride
        int64 by topic: where its table begins in ``price``, and the distance between rows.
    price
        uint16.
    """

    indptr: np.ndarray
    topics: np.ndarray
    place: np.ndarray
    topic_indptr: np.ndarray
    members: np.ndarray
    start: np.ndarray
    stride: np.ndarray
    price: np.ndarray


@njit
def places_of(indptr, topics, topic_indptr):
    """For each subscription, its place among the members of its topic; subscriptions are in order by node."""
    at = np.zeros(len(topic_indptr) - 1, np.int32)
    place = np.empty(len(topics), np.int32)
    for s in range(len(topics)):
        place[s] = at[topics[s]]
        at[topics[s]] += 1
    return place


@njit
def common_topics(prices, u, v, found):
    """List the common topics of u and v in ``found``, as rows (topic, place of u, place of v); return how many there
    are.
    """
    i, end_i = prices.indptr[u], prices.indptr[u + 1]
    j, end_j = prices.indptr[v], prices.indptr[v + 1]
    count = 0
    while i < end_i and j < end_j:
        t, other = prices.topics[i], prices.topics[j]
        if t == other:
            found[count, 0], found[count, 1], found[count, 2] = t, prices.place[i], prices.place[j]
            count += 1
        i += t <= other
        j += other <= t
    return count


@njit
def count_common(prices, v, count):
    """For every node after v, count the topics in common with v; ``count``, int32 (nodes), is overwritten."""
    count[:] = 0
    for s in range(prices.indptr[v], prices.indptr[v + 1]):
        t = prices.topics[s]
        for i in range(prices.topic_indptr[t], prices.topic_indptr[t + 1]):
            count[prices.members[i]] += 1


@njit
def split_evenly(prices, counter):
    """Give every pair the same price in each of its common topics, so that they sum to 1; threads share the nodes."""
    n = len(prices.indptr) - 1
    count = np.empty(n, np.int32)
    while True:
        v = take_next(counter)
        if v >= n:
            return
        count_common(prices, v, count)
        for s in range(prices.indptr[v], prices.indptr[v + 1]):
            t = prices.topics[s]
            first = prices.topic_indptr[t]
            row = prices.start[t] + prices.place[s] * prices.stride[t]
            for j in range(prices.topic_indptr[t + 1] - first):
                prices.price[row + j] = 1 + UNIT // count[prices.members[first + j]]
            prices.price[row + prices.place[s]] = BLOCKED


@njit
def cheapest_tree(price, start, stride, size, parent, key, taken):
    """Prim's algorithm on one price table: fill ``parent`` (uint16) and return the sum of the prices.

    A key holds the price of the link to the tree and, in its low bits, the place in the tree, so that one minimum finds
    both. key and taken: uint32 scratch of at least stride.
    """
    for j in range(stride):
        key[j] = TAKEN
        taken[j] = 0 if j < size else TAKEN
    parent[0] = NO_PARENT
    taken[0] = TAKEN
    newest = 0
    cost = 0
    for _ in range(size - 1):
        row = price[start + newest * stride : start + (newest + 1) * stride]
        best, best_block = TAKEN, 0
        for block in range(0, stride, BLOCK):
            offers, keys, closed = row[block : block + BLOCK], key[block : block + BLOCK], taken[block : block + BLOCK]
            least = TAKEN
            for j in range(BLOCK):
                offer = np.uint32(np.uint32(np.uint32(offers[j]) << np.uint32(16)) | np.uint32(newest))
                nearer = min(keys[j], np.uint32(offer | closed[j]))
                keys[j] = nearer
                least = min(least, nearer)
            if least < best:
                best, best_block = least, block
        j = best_block
        while key[j] != best:
            j += 1
        key[j] = taken[j] = TAKEN
        parent[j] = np.uint16(best & np.uint32(0xFFFF))
        cost += max(np.int64(best >> np.uint32(16)) - 1, 0)
        newest = j
    return cost


@njit
def cheapest_trees(prices, order, parent, cost, counter):
    """The cheapest tree of every topic; threads share the topics, which are taken in the given order (largest first).

    parent uint16 (aligned with members) and cost int64 (topics) are filled.
    """
    widest = 0
    for t in range(len(prices.stride)):
        widest = max(widest, prices.stride[t])
    key, taken = np.empty(widest, np.uint32), np.empty(widest, np.uint32)
    while True:
        i = take_next(counter)
        if i >= len(order):
            return
        t = order[i]
        first, size = prices.topic_indptr[t], prices.topic_indptr[t + 1] - prices.topic_indptr[t]
        cost[t] = 0
        if size:
            cost[t] = cheapest_tree(
                prices.price, prices.start[t], prices.stride[t], size, parent[first : first + size], key, taken
            )
