"""Filtering cost: how many nodes must forward messages that they do not want (GM §9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.metrics.blocks import topic_blocks
from topicweave.metrics.matching import adjacency, check_nouns, matched_edges, topic_selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    import scipy.sparse
    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay


def filtering_cost(interest: Interest, overlay: Overlay, *, topics: Iterable[str] | None = None) -> NDArray[np.float64]:
    """For each topic, the number of non-subscribers on a Steiner tree of the overlay that connects its subscribers.

    The smallest such tree is NP-hard to find; this is the metric-closure approximation of Kou, Markowsky and Berman
    (1981): a minimum spanning tree of the subscribers under hop distances, with each edge replaced by a shortest path.
    It has less than twice the links of the smallest tree. It is computed as Mehlhorn (1988) describes: every node joins
    the region of its nearest subscriber, and only links between two regions are considered.

    The cost is 0 if the topic's sub-overlay is connected, and infinite if the overlay does not connect its subscribers
    at all.

    Parameters
    ----------
    interest, overlay
        The subscriptions, and the links among the same nodes.
    topics
        Labels of the topics to measure; None for all.
    """
    check_nouns(interest, overlay)
    selected = topic_selection(interest, topics)
    broken = topic_blocks(interest, overlay).components > 1
    graph = adjacency(interest, overlay)
    edges = matched_edges(interest, overlay)
    starts, subscribers = interest.subscribers
    cost = np.zeros(len(selected))
    for place, topic in enumerate(selected):
        if broken[topic]:
            terminals = subscribers[starts[topic] : starts[topic + 1]].astype(np.int64)
            cost[place] = _strangers_on_tree(graph, edges, terminals)
    return cost


def _strangers_on_tree(graph: scipy.sparse.csr_array, edges: NDArray[np.int64], terminals: NDArray[np.int64]) -> float:
    """How many other nodes an approximate Steiner tree over the terminals (the nodes to be connected) contains;
    infinite if there is no such tree.
    """
    from scipy import sparse
    from scipy.sparse.csgraph import dijkstra, minimum_spanning_tree

    distance, previous, nearest = dijkstra(
        graph, indices=terminals, unweighted=True, min_only=True, return_predecessors=True
    )
    ends, length, region = _bridges(edges, distance, nearest.astype(np.int64))
    closure = sparse.coo_array((length, (region[:, 0], region[:, 1])), shape=graph.shape).tocsr()
    tree = minimum_spanning_tree(closure).tocoo()
    if tree.nnz < len(terminals) - 1:
        return np.inf
    width = graph.shape[0]
    used = np.searchsorted(region[:, 0] * width + region[:, 1], tree.row.astype(np.int64) * width + tree.col)
    return float(_strangers_towards(previous.astype(np.int64), ends[used].ravel(), terminals))


def _bridges(
    edges: NDArray[np.int64], distance: NDArray[np.float64], nearest: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """For every two regions (a region is the nodes nearest to one terminal), find the link between them that lies on
    the shortest path; return its ends, the length of the path, and the two regions.
    """
    region = np.sort(nearest[edges], axis=1)
    crossing = (region[:, 0] != region[:, 1]) & np.isfinite(distance[edges[:, 0]])
    ends, region = edges[crossing], region[crossing]
    length = distance[ends].sum(axis=1) + 1
    order = np.lexsort((ends[:, 1], ends[:, 0], length, region[:, 1], region[:, 0]))
    ends, length, region = ends[order], length[order], region[order]
    best = np.ones(len(order), dtype=bool)
    best[1:] = (np.diff(region, axis=0) != 0).any(axis=1)
    return ends[best], length[best], region[best]


def _strangers_towards(previous: NDArray[np.int64], ends: NDArray[np.int64], terminals: NDArray[np.int64]) -> int:
    """Count the nodes that are not terminals on the paths from the ends of these links back to the nearest terminals,
    each node once.
    """
    is_terminal = np.zeros(len(previous), dtype=bool)
    is_terminal[terminals] = True
    on_tree = np.zeros(len(previous), dtype=bool)
    walkers = ends[~is_terminal[ends]]
    while len(walkers):
        on_tree[walkers] = True
        walkers = previous[walkers]
        walkers = walkers[~is_terminal[walkers] & ~on_tree[walkers]]
    return int(np.count_nonzero(on_tree))
