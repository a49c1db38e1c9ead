"""What SpiderCast's nodes know while they choose neighbours: all subscriptions, the links so far, and scratch
arrays.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.intrinsics import ONE
from topicweave.kernels.jit import njit

# A topic counts as popular if at least one in this many nodes subscribes to it.
NODES_PER_SUBSCRIBER = 16

# how often a topic is covered is counted separately for links chosen greedily and for links chosen at random
GREEDY, RANDOM = 0, 1


class SpiderNetwork(NamedTuple):
    """The subscriptions and the links made so far; :func:`new_network` says which arrays are empty at the beginning.

    ``room_nodes[topic_indptr[t] : room_end[t]]`` are the subscribers of ``t``, possibly without some that have no room
    for a link. ``bit_of[t]`` is the bit of a popular topic in ``rows`` (one row per node), -1 for a rare topic.
    ``covered[kind, i]`` is the number of links of a kind that cover subscription ``i`` (its position in the CSR by
    node). ``with_room[:num_with_room[0]]`` are the nodes with room, in no particular order; ``place`` says where each
    of them is. ``chosen_by[w]`` is the last choosing node that is ``w`` or had ``w`` as neighbour.

    The other arrays are for counting, for the node that is choosing. ``wanted`` (by position in its row) and
    ``wanted_bits`` (as bits) are its topics below the target; ``words`` lists the words of the latter that are not
    zero. ``rare[w]`` is the number of wanted rare topics that ``w`` has, ``bound[w]`` the number of wanted topics when
    last counted. ``candidates`` are the nodes that may be chosen; ``ranked`` and ``level_start`` order them by the
    number of wanted topics they had at first.
    """

    node_indptr: np.ndarray
    node_topics: np.ndarray
    topic_indptr: np.ndarray
    room_end: np.ndarray
    room_nodes: np.ndarray
    bit_of: np.ndarray
    rows: np.ndarray
    covered: np.ndarray
    degrees: np.ndarray
    max_degree: int
    with_room: np.ndarray
    num_with_room: np.ndarray
    place: np.ndarray
    chosen_by: np.ndarray
    wanted: np.ndarray
    wanted_bits: np.ndarray
    words: np.ndarray
    rare: np.ndarray
    bound: np.ndarray
    candidates: np.ndarray
    ranked: np.ndarray
    level_start: np.ndarray


def new_network(
    node_indptr: np.ndarray,
    node_topics: np.ndarray,
    topic_indptr: np.ndarray,
    topic_nodes: np.ndarray,
    max_degree: int,
) -> SpiderNetwork:
    """Return a network without links, in which every node has room."""
    num_nodes, sizes = len(node_indptr) - 1, np.diff(topic_indptr)
    # The most popular topics have the lowest bits, so that the topics of a node are found in few words.
    by_size = np.argsort(-sizes, kind="stable")
    popular = by_size[sizes[by_size] * NODES_PER_SUBSCRIBER >= num_nodes]
    bit_of = np.full(len(sizes), -1, dtype=np.int64)
    bit_of[popular] = np.arange(len(popular))
    rows = np.zeros((num_nodes, (len(popular) + 63) // 64), dtype=np.uint64)
    set_bits(node_indptr, node_topics, bit_of, rows)
    return SpiderNetwork(
        node_indptr=node_indptr,
        node_topics=node_topics,
        topic_indptr=topic_indptr,
        room_end=topic_indptr[1:].copy(),
        room_nodes=topic_nodes.astype(np.int64),
        bit_of=bit_of,
        rows=rows,
        covered=np.zeros((2, len(node_topics)), dtype=np.int64),
        degrees=np.zeros(num_nodes, dtype=np.int64),
        max_degree=max_degree,
        with_room=np.arange(num_nodes),
        num_with_room=np.array([num_nodes]),
        place=np.arange(num_nodes),
        chosen_by=np.full(num_nodes, -1, dtype=np.int64),
        wanted=np.zeros(len(sizes), dtype=np.bool_),
        wanted_bits=np.zeros(rows.shape[1], dtype=np.uint64),
        words=np.zeros(rows.shape[1], dtype=np.int64),
        rare=np.zeros(num_nodes, dtype=np.int64),
        bound=np.zeros(num_nodes, dtype=np.int64),
        candidates=np.zeros(num_nodes, dtype=np.int64),
        ranked=np.zeros(num_nodes, dtype=np.int64),
        level_start=np.zeros(len(sizes) + 2, dtype=np.int64),
    )


@njit
def set_bits(node_indptr, node_topics, bit_of, rows):
    """Set the bits of the popular topics that each node has."""
    for v in range(len(node_indptr) - 1):
        for t in node_topics[node_indptr[v] : node_indptr[v + 1]]:
            if bit_of[t] >= 0:
                rows[v, bit_of[t] >> 6] |= ONE << np.uint64(bit_of[t] & 63)


@njit
def raise_degree(net, v):
    """Count one more link at a node, and remove the node from the list of those with room if it is now full."""
    net.degrees[v] += 1
    if net.degrees[v] == net.max_degree:
        net.num_with_room[0] -= 1
        last = net.with_room[net.num_with_room[0]]
        net.with_room[net.place[v]] = last
        net.place[last] = net.place[v]


@njit
def link(net, v, w, kind):
    """Link the choosing node ``v`` to ``w``: each of their common topics is now covered once more at both ends."""
    net.chosen_by[w] = v
    i, end_i = net.node_indptr[v], net.node_indptr[v + 1]
    j, end_j = net.node_indptr[w], net.node_indptr[w + 1]
    while i < end_i and j < end_j:
        one, other = net.node_topics[i], net.node_topics[j]
        if one == other:
            net.covered[kind, i] += 1
            net.covered[kind, j] += 1
        i += one <= other
        j += other <= one
    raise_degree(net, v)
    raise_degree(net, w)
