"""Finds the neighbour that a SpiderCast node chooses next when many nodes want exactly the same topics, by a tree over
all nodes for each group of nodes with the same topics.

All members of a group cover the same topics, so the best of them is the one of lowest degree, then of lowest number,
which is at the tree's root. Looking at every node for every link would take quadratic time.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.jit import njit

MOST_GROUPS = 16
MOST_LEAVES = 1 << 22  # limit on the number of leaves in all trees together, which is about 100 MB
NOBODY = np.iinfo(np.int64).max


class Groups(NamedTuple):
    """Nodes grouped by the topics they want, and which nodes may be chosen.

    Node ``w`` is leaf ``width + w`` of the tree of its group, and tree element ``i`` has the children ``2 i`` and ``2 i
    + 1``. ``count`` is the number of nodes below that may be chosen, ``least`` the lowest ``degree * width + w`` of
    them, or ``NOBODY``. ``hidden[:num_hidden[0]]`` are the nodes that the choosing node must not choose: itself and its
    neighbours.
    """

    of_node: np.ndarray  # int64 (n)
    wants: np.ndarray  # which topics the nodes of a group want [bool (groups, topics)]
    width: int
    count: np.ndarray  # for each group, a tree whose elements count the nodes below them [int64 (groups, 2 width)]
    # for each group, a tree whose elements hold the lowest ``degree * width + w`` below them [int64 (groups, 2 width)]
    least: np.ndarray
    hidden: np.ndarray  # int64 (n)
    num_hidden: np.ndarray  # int64 (1)


def new_groups(node_indptr: np.ndarray, node_topics: np.ndarray, num_topics: int) -> Groups | None:
    """Group the nodes, none of which has links yet; returns None if there are too many groups for trees to pay off."""
    num_nodes = len(node_indptr) - 1
    numbers: dict[bytes, int] = {}
    of_node = np.empty(num_nodes, dtype=np.int64)
    bounds = node_indptr.tolist()
    for v in range(num_nodes):
        of_node[v] = numbers.setdefault(node_topics[bounds[v] : bounds[v + 1]].tobytes(), len(numbers))
        if len(numbers) > MOST_GROUPS or len(numbers) * num_nodes > MOST_LEAVES:
            return None
    wants = np.zeros((len(numbers), num_topics), dtype=np.bool_)
    for topics, group in numbers.items():
        wants[group, np.frombuffer(topics, dtype=node_topics.dtype)] = True
    width = 1 << max(0, num_nodes - 1).bit_length()
    count = np.zeros((len(numbers), 2 * width), dtype=np.int64)
    least = np.full((len(numbers), 2 * width), NOBODY, dtype=np.int64)
    nodes = np.arange(num_nodes)
    count[of_node, width + nodes] = 1
    least[of_node, width + nodes] = nodes
    level = width
    while level > 1:
        half = level // 2
        count[:, half:level] = count[:, level : 2 * level].reshape(-1, half, 2).sum(axis=2)
        least[:, half:level] = least[:, level : 2 * level].reshape(-1, half, 2).min(axis=2)
        level = half
    return Groups(of_node, wants, width, count, least, np.empty(num_nodes, np.int64), np.zeros(1, np.int64))


@njit
def set_leaf(groups, w, count, least):
    """Set the count and the least value of one node, and update the tree of its group."""
    group, at = groups.of_node[w], groups.width + w
    groups.count[group, at], groups.least[group, at] = count, least
    at >>= 1
    while at > 0:
        groups.count[group, at] = groups.count[group, 2 * at] + groups.count[group, 2 * at + 1]
        groups.least[group, at] = min(groups.least[group, 2 * at], groups.least[group, 2 * at + 1])
        at >>= 1


@njit
def hide(groups, w):
    """Exclude a node from being chosen until :func:`show_hidden`."""
    set_leaf(groups, w, 0, NOBODY)
    groups.hidden[groups.num_hidden[0]] = w
    groups.num_hidden[0] += 1


@njit
def show_hidden(groups, degrees, max_degree):
    """Allow the excluded nodes that may still take links to be chosen again."""
    for w in groups.hidden[: groups.num_hidden[0]]:
        if degrees[w] < max_degree:
            set_leaf(groups, w, 1, degrees[w] * groups.width + w)
    groups.num_hidden[0] = 0


@njit
def best_of_groups(groups, topics, covered, target):
    """Return the node with the most topics that are covered less often than the target; -1 if there is none.

    Ties go to the node of lowest degree, then of lowest number.
    """
    best, most = NOBODY, 1
    for group in range(len(groups.wants)):
        least = groups.least[group, 1]
        if least == NOBODY:
            continue
        count = 0
        for i in range(len(topics)):
            count += covered[i] < target and groups.wants[group, topics[i]]
        if count > most or (count == most and least < best):
            best, most = least, count
    return -1 if best == NOBODY else best % groups.width


@njit
def count_subscribers(groups, t, at):
    """Return how many subscribers of a topic may still be chosen below one element of the tree."""
    count = 0
    for group in range(len(groups.wants)):
        if groups.wants[group, t]:
            count += groups.count[group, at]
    return count


@njit
def find_subscriber(groups, t, skip):
    """Return the subscriber of a topic that comes after ``skip`` others, in number order, among those that may be
    chosen.
    """
    at = 1
    while at < groups.width:
        at *= 2
        left = count_subscribers(groups, t, at)
        if skip >= left:
            skip -= left
            at += 1
    return at - groups.width
