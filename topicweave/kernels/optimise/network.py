"""An overlay whose links can be removed and added: neighbours of each node, subscriptions as bits and as lists."""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.intrinsics import popcount
from topicweave.kernels.jit import njit

ONE = np.uint64(1)


class SearchNetwork(NamedTuple):
    """The interest, and the current links.

    Attributes
    ----------
    indptr, topics, topic_indptr, members
        The subscriptions as CSR by node and by topic.
    rows
        uint64 (nodes, words): the same subscriptions as bits.
    start, neighbours, degree
        The neighbours of node v are ``neighbours[start[v] : start[v] + degree[v]]``.
    most
        int32 (nodes): the most links a node may have; there is space for that many.
    """

    indptr: np.ndarray
    topics: np.ndarray
    topic_indptr: np.ndarray
    members: np.ndarray
    rows: np.ndarray
    start: np.ndarray
    neighbours: np.ndarray
    degree: np.ndarray
    most: np.ndarray


@njit
def set_bits(indptr, topics, num_topics):
    """The subscriptions as bits, one row per node, as used by :class:`SearchNetwork`."""
    rows = np.zeros((len(indptr) - 1, max(1, (num_topics + 63) >> 6)), np.uint64)
    for v in range(len(indptr) - 1):
        for s in range(indptr[v], indptr[v + 1]):
            rows[v, topics[s] >> 6] |= ONE << np.uint64(topics[s] & 63)
    return rows


@njit
def subscribes(net, v, t):
    """Whether node v subscribes to topic t."""
    return (net.rows[v, t >> 6] >> np.uint64(t & 63)) & ONE != 0


@njit
def num_common(net, u, v):
    """The number of topics that two nodes have in common."""
    count = 0
    for w in range(net.rows.shape[1]):
        count += popcount(net.rows[u, w] & net.rows[v, w])
    return count


@njit
def is_linked(net, u, v):
    """Whether two nodes have a link."""
    if net.degree[u] > net.degree[v]:
        u, v = v, u
    for i in range(net.start[u], net.start[u] + net.degree[u]):
        if net.neighbours[i] == v:
            return True
    return False


@njit
def link(net, u, v):
    """Add a link; there must be room for it in the arrays."""
    net.neighbours[net.start[u] + net.degree[u]] = v
    net.neighbours[net.start[v] + net.degree[v]] = u
    net.degree[u] += 1
    net.degree[v] += 1


@njit
def forget(net, v, w):
    """Remove w from the neighbours of v; the last neighbour takes its place."""
    i = net.start[v]
    while net.neighbours[i] != w:
        i += 1
    net.degree[v] -= 1
    net.neighbours[i] = net.neighbours[net.start[v] + net.degree[v]]


@njit
def unlink(net, u, v):
    """Remove a link."""
    forget(net, u, v)
    forget(net, v, u)


@njit
def link_all(net, links):
    """Add these links, given as an array (m, 2)."""
    for e in range(len(links)):
        link(net, links[e, 0], links[e, 1])


@njit
def list_links(net):
    """All links, as an array (m, 2) of int64 with u < v, in ascending order of u."""
    found = np.empty((net.degree.sum() // 2, 2), np.int64)
    count = 0
    for u in range(len(net.degree)):
        for i in range(net.start[u], net.start[u] + net.degree[u]):
            if net.neighbours[i] > u:
                found[count, 0], found[count, 1] = u, net.neighbours[i]
                count += 1
    return found
