"""Finds the failures that cut a topic, by letting its subscribers fail one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from topicweave.model import Interest

Cut: TypeAlias = tuple[int, tuple[int, ...], bool]


def separating_nodes(interest: Interest, edges: NDArray[np.int64], connectivity: int) -> Iterator[Cut]:
    """For each topic that ``connectivity`` - 1 failures can cut: the topic, and the nodes whose failure cuts it.

    The nodes are none if the topic is disconnected anyway. If the topic has so few subscribers that everybody has to be
    linked to everybody else, they are the ends of a link that is missing, and the third value is True.
    """
    for topic, nodes, links in topic_graphs(interest, edges):
        size = len(nodes)
        if size <= connectivity:
            linked = set(map(tuple, links.tolist()))
            missing = next(((i, j) for i in range(size) for j in range(i + 1, size) if (i, j) not in linked), None)
            if missing is not None:
                yield topic, tuple(nodes[list(missing)].tolist()), True
            continue
        cut = _first_cut(size, links, connectivity)
        if cut is not None:
            yield topic, tuple(nodes[list(cut)].tolist()), False


def topic_graphs(
    interest: Interest, edges: NDArray[np.int64]
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
    """For each topic with at least two subscribers: its number, its nodes, and its links as pairs of positions among
    those nodes, ascending in each pair.
    """
    starts, subscribers = interest.subscribers
    ordered = np.sort(edges, axis=1)
    ends = np.concatenate((ordered, ordered[:, ::-1]))
    ends = ends[np.argsort(ends[:, 0], kind="stable")]
    first = np.searchsorted(ends[:, 0], np.arange(interest.num_nodes + 1))
    position = np.full(interest.num_nodes, -1, dtype=np.int64)
    for topic in np.flatnonzero(interest.topic_sizes >= 2).tolist():
        nodes = subscribers[starts[topic] : starts[topic + 1]].astype(np.int64)
        position[nodes] = np.arange(len(nodes))
        rows = np.concatenate([np.arange(first[v], first[v + 1]) for v in nodes.tolist()])
        links = position[ends[rows]].reshape(-1, 2)
        yield topic, nodes, links[(links >= 0).all(axis=1) & (links[:, 0] < links[:, 1])]
        position[nodes] = -1


def _first_cut(size: int, links: NDArray[np.int64], connectivity: int) -> tuple[int, ...] | None:
    """Nodes whose failure separates the others, at most ``connectivity`` - 1 of them; None if there are none."""
    if _is_cut(size, links, ()):
        return ()
    single = next(((v,) for v in range(size) if _is_cut(size, links, (v,))), None)
    if single is not None or connectivity == 2:
        return single
    import networkx

    graph = networkx.Graph(links.tolist())
    for v in range(size):
        rest = graph.subgraph(u for u in range(size) if u != v)
        other = next(networkx.articulation_points(rest), None)
        if other is not None:
            return min(v, other), max(v, other)
    return None


def _is_cut(size: int, links: NDArray[np.int64], failed: tuple[int, ...]) -> bool:
    """Whether the nodes that have not failed are separated."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    left = links[~np.isin(links, failed).any(axis=1)] if failed else links
    graph = sparse.coo_array((np.ones(len(left)), (left[:, 0], left[:, 1])), shape=(size, size))
    piece = connected_components(graph, directed=False)[1]
    return int(piece.max(initial=0)) > len(failed)
