"""Chooses few new links for one node, greedily: together they must reach all the pieces into which the topics of the
node would fall without it.

Remove all links of a node v. In every topic of v the other subscribers then form one or more pieces, each with a former
neighbour of v, and v must be linked to each piece. Any node of a piece will do, not only neighbours and backups, so all
nodes are candidates. No node whose degree has reached the cap (a limit set by the caller) gets a new link.

The contribution of a link is the number of pieces that it would newly reach. When a piece has been reached, the
contributions of all its nodes fall by one. This happens once per piece, so the whole choice costs little more than
reading the subscribers of v's topics.
"""

import numpy as np

from topicweave.kernels.churn.backups import list_topics
from topicweave.kernels.churn.pieces import BASE, explore, piece_of
from topicweave.kernels.intrinsics import ONE, popcount
from topicweave.kernels.jit import njit

# among equally good nodes, those with degrees less than this below the cap are taken last, those with fewer links first
ROOM = 4
# special values in place of the piece of a subscriber: v is linked to that piece already, or the subscriber is v itself
REACHED, NOBODY = -2, -1
CONTRIBUTION, KEPT, CROWDED = 40, 36, 16  # at which bit each part of a sorting key begins


@njit
def label_pieces(v, topics, near, rows, neighbours, subscribers, first, search):
    """Find the pieces into which the topics of v fall if v is removed; return the piece of each subscriber of each
    topic (int32, in the order of ``subscribers``), and the number of pieces in all topics together.

    And their number.

    Parameters
    ----------
    v, topics, near
        The node, its topics and its neighbours.
    rows, neighbours, subscribers, search
        State of the overlay.
    first
        int64 (topics + 1): where the subscribers of each topic begin.
    """
    piece = np.zeros(first[len(topics)], np.int32)
    mine = rows[v].copy()
    rows[v] = 0  # clear the topics of v so that the search does not pass through it
    num_pieces = 0
    for i in range(len(topics)):
        t = topics[i]
        word, bit = t >> 6, ONE << np.uint64(t & 63)
        num_sources = 0
        for w in near:
            if rows[w, word] & bit:
                search.sources[num_sources] = w
                num_sources += 1
        base = search.count[BASE]
        groups, rest = min(1, subscribers.length[t] - 1), 0
        if num_sources > 1:
            groups, rest = explore(rows, neighbours, word, bit, num_sources, -1, -1, search)
        num_pieces += groups
        for j in range(subscribers.length[t]):
            x = subscribers.pool[subscribers.start[t] + j]
            if x == v:
                piece[first[i] + j] = NOBODY
            elif groups > 1:
                piece[first[i] + j] = piece_of(search, base, rest, x)
    rows[v] = mine
    return piece, num_pieces


@njit
def list_candidates(v, near, rows, num_nodes, degree, cap):
    """List the nodes that v may be linked to, the topics that each shares with v, and a key for ties (highest first).

    The nodes below the cap come first, ``num_below`` of them. Neighbours that are full follow: they are taken only if
    no other node is in their piece, and the fewer links they have, the better.
    """
    nodes, common, tie = np.empty(num_nodes, np.int32), np.empty(num_nodes, np.int32), np.empty(num_nodes, np.int64)
    is_near = np.zeros(num_nodes, np.bool_)
    for w in near:
        is_near[w] = True
    count = num_below = 0
    for is_full in (False, True):
        for u in range(num_nodes):
            links = degree[u] - is_near[u]
            if u == v or (links >= cap) != is_full or (is_full and not is_near[u]):
                continue
            shared = 0
            for w in range(rows.shape[1]):
                shared += popcount(rows[u, w] & rows[v, w])
            if shared == 0:
                continue
            crowded = max(0, links - (cap - ROOM))
            key = (np.int64(is_near[u]) << KEPT) - (np.int64(crowded) << CROWDED) + shared
            nodes[count], common[count], tie[count] = u, shared, key
            count += 1
        if not is_full:
            num_below = count
    return nodes[:count], common[:count], tie[:count], num_below


@njit
def best_star(v, rows, num_nodes, neighbours, subscribers, cap, search):
    """Choose new neighbours of v, int32; returns none if v would need more of them than it has now.

    Among nodes that reach equally many pieces, a neighbour comes first, then the one with fewer than ``cap - ROOM``
    links or the least above that, then the one that shares more topics with v, then the lower slot.

    Parameters
    ----------
    v
        A node in an overlay that is topic-connected.
    rows, num_nodes, neighbours, subscribers, search
        State of the overlay, which is not changed.
    cap
        Nodes with this many other links get no new one, unless they are neighbours and no other node will do.
    """
    degree = neighbours.length
    near = neighbours.pool[neighbours.start[v] : neighbours.start[v] + degree[v]]
    order = np.empty(64 * rows.shape[1], np.int32)
    topics = order[: list_topics(rows[v], order)]
    first = np.zeros(len(topics) + 1, np.int64)
    for i in range(len(topics)):
        first[i + 1] = first[i] + subscribers.length[topics[i]]
    piece, left = label_pieces(v, topics, near, rows, neighbours, subscribers, first, search)
    nodes, common, tie, num_below = list_candidates(v, near, rows, num_nodes, degree, cap)
    contribution = np.zeros(num_nodes, np.int32)
    for i in range(len(nodes)):
        contribution[nodes[i]] = common[i]
    chosen = np.empty(len(near), np.int32)
    count = 0
    while left > 0:
        if count == len(near):
            return chosen[:0]
        best, highest = -1, np.int64(0)
        for i in range(len(nodes)):
            if i == num_below and best >= 0:
                break
            reached = np.int64(contribution[nodes[i]])
            key = (reached << CONTRIBUTION) + tie[i]
            if reached > 0 and (best < 0 or key > highest):
                best, highest = nodes[i], key
        chosen[count] = best
        count += 1
        for i in range(len(topics)):
            t = topics[i]
            if not rows[best, t >> 6] & (ONE << np.uint64(t & 63)):
                continue
            some = subscribers.pool[subscribers.start[t] : subscribers.start[t] + subscribers.length[t]]
            labels = piece[first[i] : first[i + 1]]
            j = 0
            while some[j] != best:
                j += 1
            label = labels[j]
            if label == REACHED:
                continue
            left -= 1
            for j in range(len(some)):
                if labels[j] == label:
                    labels[j] = REACHED
                    contribution[some[j]] -= 1
    return chosen[:count]
