"""The links inside one topic as a small graph, and checks of what requirements demand of it: hops, and blocks.

The graph of a topic is built afresh whenever it is needed, in arrays that all topics share; members of a topic are
called by their place in it.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.intrinsics import popcount
from topicweave.kernels.jit import njit

MOST_WITH_BITS = 2048  # in larger topics, distances are found by one search from each member
ONE = np.uint64(1)


class Graph(NamedTuple):
    """Scratch arrays for the graph of one topic.

    Attributes
    ----------
    place
        int32 (nodes): -1 everywhere between two calls.
    begin, near
        int32: the neighbours of place i are ``near[begin[i] : begin[i + 1]]``.
    queue, hops, found, low, above, at, stack
        int32 (members of the largest topic), for searches.
    bits
        uint64 (2, members, words), for distances between all members at once.
    """

    place: np.ndarray
    begin: np.ndarray
    near: np.ndarray
    queue: np.ndarray
    hops: np.ndarray
    found: np.ndarray
    low: np.ndarray
    above: np.ndarray
    at: np.ndarray
    stack: np.ndarray
    bits: np.ndarray


def graph_for(num_nodes: int, largest: int, most_links: int) -> Graph:
    """Scratch arrays for topics of at most ``largest`` members and overlays of at most ``most_links`` links."""
    rows = min(largest, MOST_WITH_BITS)
    place = np.full(num_nodes, -1, dtype=np.int32)
    near = np.empty(2 * most_links, dtype=np.int32)
    arrays = (np.empty(largest + 1, dtype=np.int32) for _ in range(8))
    begin, *others = arrays
    return Graph(place, begin, near, *others, np.empty((2, rows, (rows + 63) >> 6), dtype=np.uint64))


@njit
def build_graph(members, links, graph, t):
    """Write the links inside topic ``t`` to ``begin`` and ``near``; return its number of members."""
    first = members.first[t]
    n = members.first[t + 1] - first
    for i in range(n):
        graph.place[members.nodes[first + i]] = i
    count = 0
    for i in range(n):
        graph.begin[i] = count
        arc = links.head[members.nodes[first + i]]
        while arc >= 0:
            p = graph.place[links.to[arc]]
            if p >= 0:
                graph.near[count] = p
                count += 1
            arc = links.following[arc]
    graph.begin[n] = count
    for i in range(n):
        graph.place[members.nodes[first + i]] = -1
    return n


@njit
def search_from(graph, n, source):
    """Write the distance of every member from ``source`` to ``hops``, -1 if there is no path; return how many are
    reached (in order in ``queue``) and the largest distance.
    """
    hops, queue = graph.hops, graph.queue
    hops[:n] = -1
    hops[source] = 0
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for a in range(graph.begin[v], graph.begin[v + 1]):
            w = graph.near[a]
            if hops[w] < 0:
                hops[w] = hops[v] + 1
                queue[tail] = w
                tail += 1
    return tail, hops[queue[tail - 1]]


@njit
def is_within(graph, n, max_hops, centre):
    """Whether no two members are more than ``max_hops`` apart. One search is enough if all are within half that
    distance of the ``centre``.
    """
    reached, furthest = search_from(graph, n, centre)
    if reached < n or furthest > max_hops:
        return False
    if 2 * furthest <= max_hops:
        return True
    if n > graph.bits.shape[1]:
        for v in range(n):
            if search_from(graph, n, v)[1] > max_hops:
                return False
        return True
    return _all_reach_all(graph, n, max_hops)


@njit
def _all_reach_all(graph, n, max_hops):
    """Whether no two members are more than ``max_hops`` apart, found by one search from all members at once, with one
    bit per source.
    """
    words = (n + 63) >> 6
    graph.bits[0, :n, :words] = 0
    for i in range(n):
        graph.bits[0, i, i >> 6] = ONE << np.uint64(i & 63)
    now = 0
    for _ in range(max_hops):
        before, after = graph.bits[now], graph.bits[1 - now]
        for i in range(n):
            for w in range(words):
                after[i, w] = before[i, w]
            for a in range(graph.begin[i], graph.begin[i + 1]):
                j = graph.near[a]
                for w in range(words):
                    after[i, w] |= before[j, w]
        now = 1 - now
    everybody = ~np.uint64(0)
    last = everybody if n & 63 == 0 else (ONE << np.uint64(n & 63)) - ONE
    for i in range(n):
        for w in range(words - 1):
            if graph.bits[now, i, w] != everybody:
                return False
        if graph.bits[now, i, words - 1] != last:
            return False
    return True


@njit
def total_distance(graph, n):
    """The sum of the distances of all members from all others, and the largest distance; (0, 0) if they are not
    connected. Needs ``n <= MOST_WITH_BITS``.
    """
    words = (n + 63) >> 6
    graph.bits[0, :n, :words] = 0
    for i in range(n):
        graph.bits[0, i, i >> 6] = ONE << np.uint64(i & 63)
    now, hops, reached, total = 0, 0, n, 0
    while reached < n * n:
        before, after = graph.bits[now], graph.bits[1 - now]
        hops += 1
        num_now = 0
        for i in range(n):
            for w in range(words):
                after[i, w] = before[i, w]
            for a in range(graph.begin[i], graph.begin[i + 1]):
                j = graph.near[a]
                for w in range(words):
                    after[i, w] |= before[j, w]
            for w in range(words):
                num_now += popcount(after[i, w])
        if num_now == reached:
            return 0, 0
        total += hops * (num_now - reached)
        reached, now = num_now, 1 - now
    return total, hops


@njit
def find_blocks(graph, n, removed, order, parent, block):
    """Find the blocks of the graph without the member ``removed`` (-1 for none): the largest parts that stay connected
    when any one of their members fails (Hopcroft and Tarjan 1973).

    Every block has one member that was found first; it is the parent of the others. So the blocks form a forest.

    Parameters
    ----------
    order, parent, block
        Output, int32 (n): the members in the order found, so that parents come first; the parent of each, -1 for
        roots; the block that it shares with its parent.

    Returns
    -------
    (number of components, number of blocks with at least one link)
    """
    found, low, above, at, stack = graph.found, graph.low, graph.above, graph.at, graph.stack
    found[:n] = -1
    at[:n] = graph.begin[:n]
    num_found = num_pieces = num_blocks = top = 0
    for root in range(n):
        if root == removed or found[root] >= 0:
            continue
        num_pieces += 1
        parent[root], block[root], above[root] = -1, -1, -1
        found[root] = low[root] = num_found
        order[num_found] = root
        num_found += 1
        v = root
        while v >= 0:
            if at[v] < graph.begin[v + 1]:
                w = graph.near[at[v]]
                at[v] += 1
                if w == removed or w == above[v]:
                    continue
                if found[w] >= 0:
                    low[v] = min(low[v], found[w])
                    continue
                above[w] = v
                found[w] = low[w] = num_found
                order[num_found] = w
                num_found += 1
                stack[top] = w
                top += 1
                v = w
                continue
            p = above[v]
            if p >= 0:
                if low[v] >= found[p]:
                    last = -1
                    while last != v:
                        top -= 1
                        last = stack[top]
                        parent[last], block[last] = p, num_blocks
                    num_blocks += 1
                low[p] = min(low[p], low[v])
            v = p
    return num_pieces, num_blocks


@njit
def num_blocks_of_each(graph, n, parent, block):
    """Write how many blocks each member is in to ``low``, and the member of each block that was found first, the parent
    of the others, to ``at``. The blocks are as ``find_blocks`` left them.
    """
    count, root = graph.low, graph.at
    count[:n], root[:n] = 0, -1
    for i in range(n):
        if parent[i] >= 0:
            count[i] += 1
            if root[block[i]] < 0:
                root[block[i]] = parent[i]
                count[parent[i]] += 1


@njit
def weakest_member(graph, n, order, parent, block):
    """The member whose failure would leave the others in the most blocks, and whether they would then form a single
    block.
    """
    worst, most = -1, 1
    for removed in range(n):
        pieces, blocks = find_blocks(graph, n, removed, order, parent, block)
        if pieces > 1 or blocks > most:
            score = blocks + (pieces - 1) * n
            if score > most:
                worst, most = removed, score
    return worst


@njit
def is_met(graph, n, max_hops, connectivity, centre, order, parent, block):
    """Whether the graph of a topic meets the hop limit (0 for none) and stays connected when nodes fail."""
    if n < 2:
        return True
    if n <= connectivity:
        return graph.begin[n] == n * (n - 1)
    for i in range(n):
        if graph.begin[i + 1] - graph.begin[i] < connectivity:
            return False
    if connectivity >= 2:
        pieces, blocks = find_blocks(graph, n, -1, order, parent, block)
        if pieces > 1 or blocks > 1:
            return False
    if max_hops > 0:
        if not is_within(graph, n, max_hops, centre):
            return False
    elif connectivity == 1 and search_from(graph, n, 0)[0] < n:
        return False
    return connectivity < 3 or weakest_member(graph, n, order, parent, block) < 0
