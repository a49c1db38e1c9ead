"""What a link would gain for each topic: merged components, merged blocks, or members brought closer to a centre.

All three are searched by the same loop (``rows``): it asks for the gains of all partners of one node at a time.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.jit import njit
from topicweave.kernels.requirements.links import are_linked
from topicweave.kernels.requirements.topic_graph import build_graph, find_blocks, is_within, search_from, weakest_member

MERGING, BLOCKS, HOPS = 0, 1, 2
END_BONUS = 2  # a link that eliminates an end block counts as if it merged this many blocks more
CLIQUE = -2  # value in ``removed`` that says: all members must be linked to each other
UNREACHED = 1 << 30  # the depth of a member that has no path to the centre
MOST_CENTRES = 128  # at most this many members of a topic are tried as its centre


class Potential(NamedTuple):
    """The state of every topic.

    Attributes
    ----------
    is_unmet
        bool (topics): whether links can still bring something to the topic.
    label, pieces
        int32 (subscriptions), int64 (topics): components.
    order, parent, block, removed, count
        int32 (subscriptions) and int32 (topics): the blocks of each topic without the member ``removed``, as written by
        ``find_blocks``, and how many members are in ``order``.
    is_end
        bool (subscriptions): whether a member is in an end block, that is, in one that a single failure can cut off,
        and is not that failure itself. Every end block needs a new link.
    centre, depth, cover
        int32 (topics), int32 (subscriptions), int32 (subscriptions, half of the hop limit): the centre of each topic,
        the distance from it, and how many members come within reach of it if this one comes to distance 1, 2, ...
    target
        int64 (2): the hop limit and the connectivity.
    """

    is_unmet: np.ndarray
    label: np.ndarray
    pieces: np.ndarray
    order: np.ndarray
    parent: np.ndarray
    block: np.ndarray
    removed: np.ndarray
    count: np.ndarray
    is_end: np.ndarray
    centre: np.ndarray
    depth: np.ndarray
    cover: np.ndarray
    target: np.ndarray


def potential_for(num_subscriptions: int, num_topics: int, max_hops: int, connectivity: int) -> Potential:
    """The state of topics about which nothing is known yet."""
    label, order, parent, block, depth = (np.empty(num_subscriptions, dtype=np.int32) for _ in range(5))
    removed, count = (np.empty(num_topics, dtype=np.int32) for _ in range(2))
    return Potential(
        np.zeros(num_topics, dtype=np.bool_),
        label,
        np.zeros(num_topics, dtype=np.int64),
        order,
        parent,
        block,
        removed,
        count,
        np.zeros(num_subscriptions, dtype=np.bool_),
        np.zeros(num_topics, dtype=np.int32),
        depth,
        np.zeros((num_subscriptions, max(1, max_hops // 2)), dtype=np.int32),
        np.array([max_hops, connectivity], dtype=np.int64),
    )


# ---- the state of a topic --------------------------------------------------------------------------------------------


@njit
def refresh_topic(kind, members, links, potential, graph, t):
    """Derive the state of a topic from its links."""
    n = build_graph(members, links, graph, t)
    first = members.first[t]
    last = members.first[t + 1]
    if n < 2:
        potential.is_unmet[t] = False
    elif kind == MERGING:
        _label_pieces(graph, n, potential.label[first:last], potential, t)
    elif kind == BLOCKS:
        _note_blocks(graph, n, potential, t, first, last)
    else:
        _note_distances(graph, n, potential, t, first, last)


@njit
def _label_pieces(graph, n, label, potential, t):
    label[:] = -1
    pieces = 0
    for i in range(n):
        if label[i] < 0:
            reached, _ = search_from(graph, n, i)
            for place in range(reached):
                label[graph.queue[place]] = pieces
            pieces += 1
    potential.pieces[t] = pieces
    potential.is_unmet[t] = pieces > 1


@njit
def _note_blocks(graph, n, potential, t, first, last):
    connectivity = potential.target[1]
    order, parent, block = potential.order[first:last], potential.parent[first:last], potential.block[first:last]
    if n <= connectivity:
        potential.removed[t] = CLIQUE
        potential.is_unmet[t] = graph.begin[n] < n * (n - 1)
        return
    pieces, blocks = find_blocks(graph, n, -1, order, parent, block)
    removed = -1
    if pieces == 1 and blocks == 1 and connectivity == 3:
        removed = weakest_member(graph, n, order, parent, block)
        if removed >= 0:
            find_blocks(graph, n, removed, order, parent, block)
            parent[removed] = -1
    potential.removed[t] = removed
    potential.count[t] = n - (removed >= 0)
    potential.is_unmet[t] = pieces > 1 or blocks > 1 or removed >= 0
    if potential.is_unmet[t]:
        _note_ends(graph, n, removed, parent, block, potential.is_end[first:last])


@njit
def _note_ends(graph, n, removed, parent, block, is_end):
    """Find the members of end blocks, which have exactly one cut member (a member of several blocks)."""
    below, seen, num_cuts = graph.low, graph.at, graph.stack
    below[:n], seen[:n], num_cuts[:n] = 0, -1, 0
    for v in range(n):  # in each block, let one of the members that have their parent in the block stand for it
        if v != removed and parent[v] >= 0 and seen[block[v]] < 0:
            seen[block[v]] = v
            below[parent[v]] += 1
    for v in range(n):
        if v == removed:
            continue
        if parent[v] >= 0:
            num_cuts[block[v]] += below[v] > 0
            if seen[block[v]] == v:
                p = parent[v]
                num_cuts[block[v]] += parent[p] >= 0 or below[p] > 1
    for v in range(n):
        is_end[v] = False
        if v != removed and parent[v] >= 0:
            is_end[v] = below[v] == 0 and num_cuts[block[v]] == 1
    for v in range(n):  # a root that is in one block only is in an end block if that block is one
        if v != removed and parent[v] >= 0 and seen[block[v]] == v:
            p = parent[v]
            if parent[p] < 0 and below[p] == 1:
                is_end[p] = num_cuts[block[v]] == 1


@njit
def _note_distances(graph, n, potential, t, first, last):
    max_hops = potential.target[0]
    potential.is_unmet[t] = not is_within(graph, n, max_hops, potential.centre[t])
    if not potential.is_unmet[t]:
        return
    search_from(graph, n, potential.centre[t])
    depth, cover = potential.depth[first:last], potential.cover[first:last]
    radius = max_hops // 2
    for i in range(n):
        depth[i] = graph.hops[i] if graph.hops[i] >= 0 else UNREACHED
    cover[:, :radius] = 0
    graph.at[:n] = -1
    for i in range(n):
        if depth[i] > radius:
            _count_ball(graph, i, radius, cover)


@njit
def _count_ball(graph, source, radius, cover):
    """Credit every member that is near enough to bring this unreachable member within the hop limit."""
    hops, queue, seen_from = graph.hops, graph.queue, graph.at
    hops[source], queue[0], seen_from[source] = 0, source, source
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for depth in range(radius - hops[v]):
            cover[v, depth] += 1
        if hops[v] + 1 < radius:
            for a in range(graph.begin[v], graph.begin[v + 1]):
                w = graph.near[a]
                if seen_from[w] != source:
                    seen_from[w], hops[w], queue[tail] = source, hops[v] + 1, w
                    tail += 1


@njit
def choose_centre(members, links, potential, graph, t):
    """Choose as a topic's centre the member with the most others within half of the hop limit; among equals, the one
    with the shortest distances. In a large topic, only some members are tried, those with the most links first.
    """
    n = build_graph(members, links, graph, t)
    radius = potential.target[0] // 2
    num_links = graph.begin[1 : n + 1] - graph.begin[:n]
    tried = np.argsort(-num_links, kind="mergesort")[:MOST_CENTRES]
    most, least = -1, np.int64(0)
    for c in tried:
        search_from(graph, n, c)
        within, total = 0, np.int64(0)
        for i in range(n):
            far = graph.hops[i] if graph.hops[i] >= 0 else n
            within += 0 <= graph.hops[i] <= radius
            total += far
        if within > most or (within == most and total < least):
            potential.centre[t], most, least = c, within, total


# ---- the gains of one node -------------------------------------------------------------------------------------------


@njit
def collect_gains(kind, members, links, potential, work, u):
    """Add up, over the topics of node ``u``, what a link to each other node would gain; return how many others are in
    ``work.touched``.
    """
    count = 0
    for j in range(members.indptr[u], members.indptr[u + 1]):
        t = members.topics[j]
        if not potential.is_unmet[t]:
            continue
        spot, first, last = members.spot[j], members.first[t], members.first[t + 1]
        if kind == MERGING:
            count = _merging_gains(members, potential, work, spot, first, last, count)
        elif kind == HOPS:
            count = _hops_gains(members, potential, work, spot, first, last, count)
        elif potential.removed[t] == CLIQUE:
            for i in range(first, last):
                v = members.nodes[i]
                if v != u and not are_linked(links, u, v):
                    count = _add_gain(work, v, 1, count)
        elif potential.removed[t] != spot - first:
            count = _block_gains(members, potential, work, t, spot, first, last, count)
    return count


@njit
def _add_gain(work, v, gain, count):
    if work.gain[v] == 0:
        work.touched[count] = v
        count += 1
    work.gain[v] += gain
    return count


@njit
def _merging_gains(members, potential, work, spot, first, last, count):
    own = potential.label[spot]
    for i in range(first, last):
        if potential.label[i] != own:
            count = _add_gain(work, members.nodes[i], 1, count)
    return count


@njit
def _hops_gains(members, potential, work, spot, first, last, count):
    radius = potential.cover.shape[1]
    own = potential.depth[spot]
    for i in range(first, last):
        depth = potential.depth[i]
        if depth + 1 < own and depth < radius:
            gain = potential.cover[spot, depth]
        elif own + 1 < depth and own < radius:
            gain = potential.cover[i, own]
        else:
            continue
        if gain > 0:
            count = _add_gain(work, members.nodes[i], gain, count)
    return count


@njit
def _block_gains(members, potential, work, t, spot, first, last, count):
    """The number of blocks on the path to each member, minus one, because a link merges them into one; plus a bonus for
    each end that is in an end block.
    """
    is_end = potential.is_end[first:last]
    own = END_BONUS if is_end[spot - first] else 0
    parent, block, order = potential.parent[first:last], potential.block[first:last], potential.order[first:last]
    steps, came_by = work.steps, work.came_by
    n = last - first
    steps[:n] = -1
    v = spot - first
    steps[v], came_by[v] = 0, -1
    while parent[v] >= 0:  # from the node itself up to the root
        p = parent[v]
        steps[p], came_by[p] = steps[v] + 1, block[v]
        v = p
    for place in range(potential.count[t]):  # parents come first
        v = order[place]
        if steps[v] < 0:
            p = parent[v]
            if p >= 0 and steps[p] >= 0:
                steps[v] = steps[p] if block[v] == came_by[p] else steps[p] + 1
                came_by[v] = -1
        if steps[v] > 1:
            gain = steps[v] - 1 + own + (END_BONUS if is_end[v] else 0)
            count = _add_gain(work, members.nodes[first + v], gain, count)
    return count


# ---- the gain of one pair --------------------------------------------------------------------------------------------


@njit
def gain_of_pair(kind, members, links, potential, work, u, v):
    """What a link between two nodes would gain."""
    i, end_i = members.indptr[u], members.indptr[u + 1]
    j, end_j = members.indptr[v], members.indptr[v + 1]
    radius = potential.cover.shape[1]
    gain = 0
    while i < end_i and j < end_j:
        t, other = members.topics[i], members.topics[j]
        if t == other and potential.is_unmet[t]:
            one, two = members.spot[i], members.spot[j]
            if kind == MERGING:
                gain += potential.label[one] != potential.label[two]
            elif kind == HOPS:
                near, far = (
                    min(potential.depth[one], potential.depth[two]),
                    max(potential.depth[one], potential.depth[two]),
                )
                if near + 1 < far and near < radius:
                    gain += potential.cover[one if potential.depth[one] == far else two, near]
            elif potential.removed[t] == CLIQUE:
                gain += not are_linked(links, u, v)
            else:
                gain += _block_gain_of_pair(members, potential, work.height, t, one, two)
        i += t <= other
        j += other <= t
    return gain


@njit
def _block_gain_of_pair(members, potential, height, t, one, two):
    """The same as in ``_block_gains`` for one topic, by the ways of both members up to the first member that is on
    both.
    """
    first, last = members.first[t], members.first[t + 1]
    removed = potential.removed[t]
    if removed in (one - first, two - first):
        return 0
    parent, block = potential.parent[first:last], potential.block[first:last]
    v, above = one - first, 0
    height[v] = 0
    while parent[v] >= 0:
        v, above = parent[v], above + 1
        height[v] = above
    v, below, came_by = two - first, 0, -1
    while height[v] < 0 and parent[v] >= 0:
        came_by, v, below = block[v], parent[v], below + 1
    steps, meeting = height[v] + below, v
    is_reached = height[v] >= 0
    v = one - first
    while True:  # tidy up, and see whether both come to the meeting point by the same block
        height[v] = -1
        if parent[v] < 0:
            break
        if parent[v] == meeting and below > 0 and block[v] == came_by:
            steps -= 1
        v = parent[v]
    if not is_reached or steps < 2:
        return 0
    return steps - 1 + END_BONUS * (np.int64(potential.is_end[one]) + np.int64(potential.is_end[two]))
