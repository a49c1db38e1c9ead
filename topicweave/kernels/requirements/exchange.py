"""Exchange: replace links one at a time by others that keep every topic as required, and drop what becomes needless.

A link that is taken out breaks some of its topics. What can take its place has one end on either side of the break in
each of them; so few pairs come into question, and of these the one that is cheapest, or shortens ways inside topics
most, is taken. The new link often makes others needless: when their turn comes, they are dropped.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.jit import njit
from topicweave.kernels.requirements.deletion import is_topic_met
from topicweave.kernels.requirements.links import add_link, are_linked, remove_link
from topicweave.kernels.requirements.permission import is_permitted, weight_of
from topicweave.kernels.requirements.topic_graph import (
    ONE,
    build_graph,
    find_blocks,
    num_blocks_of_each,
    search_from,
    total_distance,
)
from topicweave.kernels.rng import next_word

MOST_BROKEN = 64  # a link that this many topics need, or more, is not replaced
MOST_TRIED = 8  # how many pairs are tried in place of a link
LEAST_CHANGE = 1e-9  # differences below this are rounding


class Exchange(NamedTuple):
    """Working arrays.

    Attributes
    ----------
    near, far
        uint64 (nodes), 0 between two calls: in which broken topics a node is on the one side, and on the other.
    ends
        int32 (nodes): nodes that are on some side in every broken topic.
    topic, place
        int32 (MOST_BROKEN) and (MOST_BROKEN, 2): the broken topics, and the places of the ends of the link in them.
    pair, score
        int64 (MOST_TRIED, 2) and float64 (MOST_TRIED): the pairs to try, the most promising first.
    length
        float64 (topics): how long the ways in each topic are, see ``length_of``.
    is_counted
        bool (topics), False between two calls.
    state
        uint64 (1): the random numbers.
    """

    near: np.ndarray
    far: np.ndarray
    ends: np.ndarray
    topic: np.ndarray
    place: np.ndarray
    pair: np.ndarray
    score: np.ndarray
    length: np.ndarray
    is_counted: np.ndarray
    state: np.ndarray


class Aim(NamedTuple):
    """What a replacement is judged by.

    Attributes
    ----------
    limit
        The most links that an end of a new link may have with it.
    per_weight, per_length
        The value of the weight of a link, and of the length of a topic; the sum is to become low.
    temperature
        By how much a replacement may be worse on average; 0 for never.
    """

    limit: int
    per_weight: float
    per_length: float
    temperature: float


def exchange_for(num_nodes: int, num_topics: int, seed: int) -> Exchange:
    """Working arrays."""
    return Exchange(
        np.zeros(num_nodes, dtype=np.uint64),
        np.zeros(num_nodes, dtype=np.uint64),
        np.empty(num_nodes, dtype=np.int32),
        np.empty(MOST_BROKEN, dtype=np.int32),
        np.empty((MOST_BROKEN, 2), dtype=np.int32),
        np.empty((MOST_TRIED, 2), dtype=np.int64),
        np.empty(MOST_TRIED),
        np.zeros(num_topics),
        np.zeros(num_topics, dtype=np.bool_),
        np.array([seed * 2 + 1], dtype=np.uint64),
    )


@njit
def exchange_links(members, links, permission, graph, potential, work, aim, pairs, is_gone):
    """Try to replace or drop every link of an array in order.

    Parameters
    ----------
    pairs
        int64 (m, 2): the links, of which those that are replaced are overwritten.
    is_gone
        Output, bool (m): the links that were dropped.

    Returns
    -------
    How many links were replaced.
    """
    if aim.per_length > 0:
        for t in range(len(work.length)):
            work.length[t] = length_of(members, links, graph, t)
    num_replaced = 0
    for i in range(len(pairs)):
        u, v = pairs[i, 0], pairs[i, 1]
        remove_link(links, u, v)
        num_broken = _find_broken(members, links, graph, potential, work, u, v)
        x, y = -1, -1
        if num_broken == 0:
            is_gone[i] = True
        else:
            if num_broken <= MOST_BROKEN:
                x, y = _best_replacement(members, links, permission, graph, potential, work, aim, num_broken, u, v)
            if x < 0:
                add_link(links, u, v)
                continue
            add_link(links, x, y)
            pairs[i, 0], pairs[i, 1] = min(x, y), max(x, y)
            num_replaced += 1
        if aim.per_length > 0:
            _measure_topics(members, links, graph, work, u, v)
            if x >= 0:
                _measure_topics(members, links, graph, work, x, y)
    return num_replaced


@njit
def length_of(members, links, graph, t):
    """How long the ways inside a topic are: its diameter and the mean distance of two members together. Topics that are
    not connected or very large count as 0.
    """
    n = build_graph(members, links, graph, t)
    if n < 2 or n > graph.bits.shape[1]:
        return 0.0
    total, diameter = total_distance(graph, n)
    return diameter + total / (n * (n - 1.0))


@njit
def _measure_topics(members, links, graph, work, u, v):
    """Note the lengths of the topics of a pair."""
    i, end_i = members.indptr[u], members.indptr[u + 1]
    j, end_j = members.indptr[v], members.indptr[v + 1]
    while i < end_i and j < end_j:
        t, other = members.topics[i], members.topics[j]
        if t == other:
            work.length[t] = length_of(members, links, graph, t)
        i += t <= other
        j += other <= t


@njit
def _find_broken(members, links, graph, potential, work, u, v):
    """Write the topics of a pair that are not as required to ``topic``; return how many there are."""
    i, end_i = members.indptr[u], members.indptr[u + 1]
    j, end_j = members.indptr[v], members.indptr[v + 1]
    count = 0
    while i < end_i and j < end_j:
        t, other = members.topics[i], members.topics[j]
        if t == other and not is_topic_met(members, links, graph, potential, t):
            if count < MOST_BROKEN:
                work.topic[count] = t
                work.place[count, 0] = members.spot[i] - members.first[t]
                work.place[count, 1] = members.spot[j] - members.first[t]
            count += 1
        i += t <= other
        j += other <= t
    return count


@njit
def _best_replacement(members, links, permission, graph, potential, work, aim, num_broken, u, v):
    """The pair that takes the place of the link between two nodes, which has been removed; (-1, -1) if none does."""
    for k in range(num_broken):
        _mark_sides(members, links, graph, potential, work, k)
    worst = aim.per_weight * weight_of(permission, u, v)
    if aim.temperature > 0:
        worst -= aim.temperature * np.log(((next_word(work.state) >> np.uint64(11)) + 1) / 2.0**53)
    count = _list_pairs(members, links, permission, work, aim, num_broken, worst, u, v)
    for k in range(num_broken):
        t = work.topic[k]
        for i in range(members.first[t], members.first[t + 1]):
            work.near[members.nodes[i]] = work.far[members.nodes[i]] = 0
    x, y, least = -1, -1, worst - LEAST_CHANGE
    for i in range(count):
        one, other = work.pair[i, 0], work.pair[i, 1]
        change = aim.per_weight * weight_of(permission, one, other)
        add_link(links, one, other)
        if _are_met(members, links, graph, potential, work, num_broken):
            if aim.per_length > 0:
                change += aim.per_length * _change_of_length(members, links, graph, work, u, v, one, other)
            if change < least:
                x, y, least = one, other, change
        remove_link(links, one, other)
    return x, y


@njit
def _mark_sides(members, links, graph, potential, work, k):
    """Mark the members on either side of the break in a topic, between which a new link may heal it.

    These are the two pieces; or the two end blocks without the members that cut them off, because without the link all
    blocks form a chain; or, if the topic is connected but the ways are too long, the ends of the link and their
    neighbours.
    """
    t = work.topic[k]
    first, last = members.first[t], members.first[t + 1]
    n = build_graph(members, links, graph, t)
    bit = ONE << np.uint64(k)
    search_from(graph, n, work.place[k, 0])
    if graph.hops[work.place[k, 1]] < 0:
        for i in range(n):
            side = work.near if graph.hops[i] >= 0 else work.far
            side[members.nodes[first + i]] |= bit
        return
    parent, block = potential.parent[first:last], potential.block[first:last]
    num_blocks = 1
    if n > potential.target[1] > 1:
        num_blocks = find_blocks(graph, n, -1, potential.order[first:last], parent, block)[1]
    if num_blocks > 1:
        num_blocks_of_each(graph, n, parent, block)
    for which in range(2):
        end = work.place[k, which]
        side = work.near if which == 0 else work.far
        side[members.nodes[first + end]] |= bit
        for a in range(graph.begin[end], graph.begin[end + 1]):
            i = graph.near[a]
            if num_blocks == 1:
                side[members.nodes[first + i]] |= bit
        if num_blocks > 1:
            _mark_end_block(members, graph, n, parent, block, side, first, end, bit)


@njit
def _mark_end_block(members, graph, n, parent, block, side, first, end, bit):
    """Mark the members that are in the block of ``end`` and in no other."""
    own = block[end] if parent[end] >= 0 else -1
    for i in range(n):
        if own < 0 and parent[i] == end:
            own = block[i]
    root = graph.at[own]  # the one member of the block that was found first
    for i in range(n):
        if graph.low[i] == 1 and (i == root or (parent[i] >= 0 and block[i] == own)):
            side[members.nodes[first + i]] |= bit


@njit
def _list_pairs(members, links, permission, work, aim, num_broken, worst, u, v):
    """Write the most promising pairs that lie across the break of every broken topic; return how many there are.

    Where only weights count, the lightest are the most promising, otherwise those with most topics in common.
    """
    near, far = work.near, work.far
    every = ~np.uint64(0) if num_broken == 64 else (ONE << np.uint64(num_broken)) - ONE
    num_ends = count = 0
    for i in range(members.first[work.topic[0]], members.first[work.topic[0] + 1]):
        w = members.nodes[i]
        if near[w] | far[w] == every and links.degree[w] < min(aim.limit, permission.caps[w]):
            work.ends[num_ends] = w
            num_ends += 1
    for i in range(num_ends):
        x = work.ends[i]
        for j in range(i):
            y = work.ends[j]
            if (near[x] & far[y]) | (far[x] & near[y]) != every or (min(x, y) == min(u, v) and max(x, y) == max(u, v)):
                continue
            score = -aim.per_weight * weight_of(permission, x, y)
            if aim.per_length > 0:
                score += num_common(members, x, y)
            elif score <= -worst:
                continue
            if count == len(work.pair) and score <= work.score[count - 1]:
                continue
            if are_linked(links, x, y) or not is_permitted(permission, x, y):
                continue
            count = min(count + 1, len(work.pair))
            at = count - 1
            while at > 0 and work.score[at - 1] < score:
                work.score[at], work.pair[at] = work.score[at - 1], work.pair[at - 1]
                at -= 1
            work.score[at], work.pair[at, 0], work.pair[at, 1] = score, x, y
    return count


@njit
def num_common(members, u, v):
    """The number of topics that two nodes have in common."""
    i, end_i = members.indptr[u], members.indptr[u + 1]
    j, end_j = members.indptr[v], members.indptr[v + 1]
    count = 0
    while i < end_i and j < end_j:
        t, other = members.topics[i], members.topics[j]
        count += t == other
        i += t <= other
        j += other <= t
    return count


@njit
def _are_met(members, links, graph, potential, work, num_broken):
    for k in range(num_broken):
        if not is_topic_met(members, links, graph, potential, work.topic[k]):
            return False
    return True


@njit
def _change_of_length(members, links, graph, work, u, v, x, y):
    """How much longer the topics of two pairs are than before the one link was replaced by the other."""
    total = 0.0
    for which in range(2):
        one, other = (u, v) if which == 0 else (x, y)
        i, end_i = members.indptr[one], members.indptr[one + 1]
        j, end_j = members.indptr[other], members.indptr[other + 1]
        while i < end_i and j < end_j:
            t, t_other = members.topics[i], members.topics[j]
            if t == t_other and not work.is_counted[t]:
                total += length_of(members, links, graph, t) - work.length[t]
                work.is_counted[t] = which == 0
            i += t <= t_other
            j += t_other <= t
    for i in range(members.indptr[u], members.indptr[u + 1]):
        work.is_counted[members.topics[i]] = False
    return total
