"""An overlay to which links can be added and removed, and the subscriptions by which its topics are judged."""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.jit import njit


class Members(NamedTuple):
    """The subscriptions, numbered topic by topic.

    Attributes
    ----------
    indptr, topics
        CSR by node: int64, int32, topics ascending in each row.
    spot
        int64: the number of each of these subscriptions.
    first, nodes
        CSR by topic: int64 (topics + 1), and the node of each subscription, int32.
    """

    indptr: np.ndarray
    topics: np.ndarray
    spot: np.ndarray
    first: np.ndarray
    nodes: np.ndarray


class Links(NamedTuple):
    """The links, as a list of arcs for each node; both arcs of a link are next to each other.

    Attributes
    ----------
    head
        int32 (nodes): the first arc of each node, or -1.
    following, to
        int32 (arcs): the next arc of the same node, or -1; the node at the other end.
    degree
        int32 (nodes).
    free, num_free
        int32 (links) and int64 (1): the numbers that no link uses, and how many there are.
    """

    head: np.ndarray
    following: np.ndarray
    to: np.ndarray
    degree: np.ndarray
    free: np.ndarray
    num_free: np.ndarray


def no_links(num_nodes: int, most: int) -> Links:
    """An overlay without links, with space for ``most`` of them."""
    return Links(
        np.full(num_nodes, -1, dtype=np.int32),
        np.empty(2 * most, dtype=np.int32),
        np.empty(2 * most, dtype=np.int32),
        np.zeros(num_nodes, dtype=np.int32),
        np.arange(most, dtype=np.int32)[::-1].copy(),
        np.array([most], dtype=np.int64),
    )


@njit
def are_linked(links, u, v):
    """Whether two nodes are linked."""
    if links.degree[v] < links.degree[u]:
        u, v = v, u
    arc = links.head[u]
    while arc >= 0:
        if links.to[arc] == v:
            return True
        arc = links.following[arc]
    return False


@njit
def add_link(links, u, v):
    """Link two nodes that are not linked."""
    links.num_free[0] -= 1
    arc = 2 * links.free[links.num_free[0]]
    links.to[arc], links.following[arc] = v, links.head[u]
    links.to[arc + 1], links.following[arc + 1] = u, links.head[v]
    links.head[u], links.head[v] = arc, arc + 1
    links.degree[u] += 1
    links.degree[v] += 1


@njit
def remove_link(links, u, v):
    """Remove the link between two nodes that are linked."""
    arc = links.head[u]
    while links.to[arc] != v:
        arc = links.following[arc]
    _unchain(links, u, arc)
    _unchain(links, v, arc ^ 1)
    links.free[links.num_free[0]] = arc >> 1
    links.num_free[0] += 1


@njit
def _unchain(links, u, arc):
    if links.head[u] == arc:
        links.head[u] = links.following[arc]
    else:
        before = links.head[u]
        while links.following[before] != arc:
            before = links.following[before]
        links.following[before] = links.following[arc]
    links.degree[u] -= 1


@njit
def add_links(links, pairs):
    """Add the links of an array (m, 2)."""
    for i in range(len(pairs)):
        add_link(links, pairs[i, 0], pairs[i, 1])
