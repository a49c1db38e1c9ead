"""The main loop of CD-ODA, CD-ODA-I and CD-ODA-II, which turns one topic after the other into a star.

The weights ``w_u`` are kept exact, which costs one step per subscription in all. The neighbour counts ``n_u`` are
expensive, so they are computed only for nodes that may be the best: a heap holds an upper bound of every score, and the
node on top becomes the centre once its score is exact.
"""

import numpy as np

from topicweave.kernels.intrinsics import ONE, popcount
from topicweave.kernels.jit import njit

MOST_NEIGHBOURS, MOST_WEIGHT, DENSEST = 0, 1, 2  # rules
CHANGED, BOUND, EXACT = 0, 1, 2  # how reliable a node's score in the heap is: outdated, an upper bound, or exact

# A topic to which at least one in this many nodes subscribes is also stored as a row of bits; all these rows together
# take no more memory than eight bytes per subscription.
NODES_PER_WORD = 64


@njit
def popular_rows(topic_indptr, topic_nodes, num_nodes):
    """Return the row number of each topic (-1 for none) and the rows of bits, with one bit per node."""
    num_topics = len(topic_indptr) - 1
    row_of = np.full(num_topics, -1, dtype=np.int64)
    num_rows = 0
    for t in range(num_topics):
        if (topic_indptr[t + 1] - topic_indptr[t]) * NODES_PER_WORD >= num_nodes:
            row_of[t] = num_rows
            num_rows += 1
    rows = np.zeros((num_rows, (num_nodes + 63) // 64), dtype=np.uint64)
    for t in range(num_topics):
        if row_of[t] >= 0:
            for v in topic_nodes[topic_indptr[t] : topic_indptr[t + 1]]:
                rows[row_of[t], v >> 6] |= ONE << np.uint64(v & 63)
    return row_of, rows


@njit
def mark_neighbours(topics, open_topic, topic_indptr, topic_nodes, row_of, rows, seen):
    """Set in ``seen`` the bits of all subscribers of those of ``topics`` that have no star yet.

    Return their number; ``seen`` was all zero.
    """
    count = 0
    for t in topics:
        if open_topic[t] and row_of[t] >= 0:
            row = rows[row_of[t]]
            for word in range(len(seen)):
                seen[word] |= row[word]
            count = 1
    if count:
        count = 0
        for word in range(len(seen)):
            count += popcount(seen[word])
    for t in topics:
        if open_topic[t] and row_of[t] < 0:
            for v in topic_nodes[topic_indptr[t] : topic_indptr[t + 1]]:
                bit = ONE << np.uint64(v & 63)
                if not seen[v >> 6] & bit:
                    seen[v >> 6] |= bit
                    count += 1
    return count


@njit
def outranks(one, other, numerator, denominator):
    """Whether a node ranks before another: by higher score, then by lower number; computed exactly in whole numbers."""
    left = numerator[one] * denominator[other]
    right = numerator[other] * denominator[one]
    return left > right or (left == right and one < other)


@njit
def reposition(heap, place, numerator, denominator, node):
    """Move a node to its place in the heap after its score has changed."""
    at = place[node]
    while at > 0 and outranks(node, heap[(at - 1) // 2], numerator, denominator):
        heap[at] = heap[(at - 1) // 2]
        place[heap[at]] = at
        at = (at - 1) // 2
    while True:
        child = 2 * at + 1
        if child + 1 < len(heap) and outranks(heap[child + 1], heap[child], numerator, denominator):
            child += 1
        if child >= len(heap) or not outranks(heap[child], node, numerator, denominator):
            break
        heap[at] = heap[child]
        place[heap[at]] = at
        at = child
    heap[at] = node
    place[node] = at


@njit
def rescore(rule, v, weight, num_open, near, largest, numerator, denominator):
    """Set an upper bound of a node's score from what is known about its number of neighbours.

    ``near[v]`` bounds the count: from above for CD-ODA, from below for CD-ODA-II; ``largest`` is the size of the
    node's most popular open topic.
    """
    denominator[v] = 1
    if num_open[v] == 0 or rule == MOST_WEIGHT:
        numerator[v] = weight[v]
    elif rule == MOST_NEIGHBOURS:
        # the weight counts the node itself once for each of its topics, but it is only once among its own neighbours,
        # so subtract the difference
        numerator[v] = min(near[v], weight[v] - num_open[v] + 1)
    else:
        # The weight counts a neighbour at most once per topic of the node, which gives a lower bound on the number of
        # neighbours.
        numerator[v] = weight[v]
        denominator[v] = max(near[v], largest, (weight[v] + num_open[v] - 1) // num_open[v])


@njit
def append_star(edges, num_edges, centre, seen, count):
    """Append the links between a centre and the marked nodes, in node order.

    Return the edges, in a new array if they had to grow.
    """
    if num_edges + count > len(edges):
        grown = np.empty((2 * (num_edges + count), 2), dtype=np.int64)
        for e in range(num_edges):
            grown[e, 0] = edges[e, 0]
            grown[e, 1] = edges[e, 1]
        edges = grown
    for word in range(len(seen)):
        if seen[word]:
            for bit in range(64):
                v = 64 * word + bit
                if (seen[word] >> np.uint64(bit)) & ONE and v != centre:
                    edges[num_edges, 0] = min(v, centre)
                    edges[num_edges, 1] = max(v, centre)
                    num_edges += 1
    return edges, num_edges


@njit
def open_weights(node_indptr, node_topics, open_topic, sizes):
    """Return, for each node, its weight (the sum of the sizes of its topics without a star) and the number of these
    topics.
    """
    num_nodes = len(node_indptr) - 1
    weight = np.zeros(num_nodes, dtype=np.int64)
    num_open = np.zeros(num_nodes, dtype=np.int64)
    for v in range(num_nodes):
        for t in node_topics[node_indptr[v] : node_indptr[v + 1]]:
            if open_topic[t]:
                weight[v] += sizes[t]
                num_open[v] += 1
    return weight, num_open


@njit
def close_topics(rule, topics, topic_indptr, topic_nodes, open_topic, weight, num_open, near, exact, touched):
    """Record that ``topics`` have a star now; list their subscribers in ``touched`` and return how many these are."""
    num_touched = 0
    for t in topics:
        if not open_topic[t]:
            continue
        open_topic[t] = False
        size = topic_indptr[t + 1] - topic_indptr[t]
        for v in topic_nodes[topic_indptr[t] : topic_indptr[t + 1]]:
            weight[v] -= size
            num_open[v] -= 1
            if rule == DENSEST:
                near[v] -= size - 1
            if exact[v] != CHANGED:
                exact[v] = CHANGED
                touched[num_touched] = v
                num_touched += 1
    return num_touched


@njit
def star_edges(rule, node_indptr, node_topics, by_size, topic_indptr, topic_nodes):
    """Return the links of all stars, centre by centre.

    Parameters
    ----------
    rule
        ``MOST_NEIGHBOURS`` (CD-ODA), ``MOST_WEIGHT`` (CD-ODA-I) or ``DENSEST`` (CD-ODA-II).
    node_indptr, node_topics
        CSR by node.
    by_size
        The topics of each node again, the most popular first.
    topic_indptr, topic_nodes
        CSR by topic.

    Returns
    -------
    int64 array (m, 2), ``u < v`` in every row. No link comes twice: once a node has been a centre all its topics are
    closed, so it shares no open topic with a later centre.
    """
    num_nodes = len(node_indptr) - 1
    sizes = topic_indptr[1:] - topic_indptr[:-1]
    open_topic = sizes >= 2
    row_of, rows = popular_rows(topic_indptr, topic_nodes, num_nodes)
    weight, num_open = open_weights(node_indptr, node_topics, open_topic, sizes)
    near = np.full(num_nodes, num_nodes if rule == MOST_NEIGHBOURS else 0, dtype=np.int64)
    # for each node, where in ``by_size`` its most popular topic without a star was last found
    largest = node_indptr[:-1].copy()

    numerator = np.zeros(num_nodes, dtype=np.int64)
    denominator = np.ones(num_nodes, dtype=np.int64)
    exact = np.full(num_nodes, CHANGED, dtype=np.int8)
    heap = np.arange(num_nodes)
    place = np.arange(num_nodes)
    touched = np.arange(num_nodes)
    num_touched = num_nodes

    seen = np.zeros((num_nodes + 63) // 64, dtype=np.uint64)
    edges = np.empty((num_nodes, 2), dtype=np.int64)
    num_edges = np.int64(0)
    while num_nodes:
        for v in touched[:num_touched]:
            while largest[v] < node_indptr[v + 1] and not open_topic[by_size[largest[v]]]:
                largest[v] += 1
            size = sizes[by_size[largest[v]]] if num_open[v] else 0
            rescore(rule, v, weight, num_open, near, size, numerator, denominator)
            reposition(heap, place, numerator, denominator, v)
            exact[v] = EXACT if rule == MOST_WEIGHT else BOUND

        # The best node is at the top of the heap. If its score is not exact, compute it and look again.
        centre = heap[0]
        while numerator[centre] > 0 and exact[centre] != EXACT:
            topics = node_topics[node_indptr[centre] : node_indptr[centre + 1]]
            near[centre] = mark_neighbours(topics, open_topic, topic_indptr, topic_nodes, row_of, rows, seen)
            seen[:] = 0
            rescore(rule, centre, weight, num_open, near, near[centre], numerator, denominator)
            reposition(heap, place, numerator, denominator, centre)
            exact[centre] = EXACT
            centre = heap[0]
        if numerator[centre] == 0:
            break

        topics = node_topics[node_indptr[centre] : node_indptr[centre + 1]]
        count = mark_neighbours(topics, open_topic, topic_indptr, topic_nodes, row_of, rows, seen)
        edges, num_edges = append_star(edges, num_edges, centre, seen, count)
        seen[:] = 0
        num_touched = close_topics(
            rule, topics, topic_indptr, topic_nodes, open_topic, weight, num_open, near, exact, touched
        )
    return edges[:num_edges].copy()
