"""The sub-overlays of all topics as one graph: a vertex per subscription, and an edge wherever a link joins two
subscribers of a topic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from topicweave.metrics.matching import matched_edges

if TYPE_CHECKING:
    from collections.abc import Iterator

    import scipy.sparse
    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay

CHUNK_ENTRIES = 1 << 20  # how many subscriptions, at the ends of links, are processed together
MOST_PENDING = 1 << 20  # how many edges are collected before they are merged into components


class TopicBlocks(NamedTuple):
    """Three numbers for the sub-overlay of each topic: how many subscribers, components and links it has."""

    subscribers: NDArray[np.int64]
    components: NDArray[np.int64]
    edges: NDArray[np.int64]


def topic_blocks(interest: Interest, overlay: Overlay) -> TopicBlocks:
    """Count the subscribers, connected components and links in each topic's sub-overlay.

    Takes time in proportion to the subscriptions at the ends of all links. Memory stays bounded however dense the
    overlay is, because block edges are merged into components whenever many have accumulated.
    """
    links = matched_edges(interest, overlay)
    component = np.arange(interest.num_subscriptions)
    edges = np.zeros(interest.num_topics, dtype=np.int64)
    pending: list[NDArray[np.int64]] = []
    num_pending = 0
    for pairs in _block_edges(interest, links):
        edges += np.bincount(interest.indices[pairs[0]], minlength=interest.num_topics)
        pending.append(pairs)
        num_pending += pairs.shape[1]
        if num_pending > max(MOST_PENDING, interest.num_subscriptions):
            component = _folded(component, pending)
            pending, num_pending = [], 0
    component = _folded(component, pending)
    topic_of_component = np.full(interest.num_subscriptions, -1, dtype=np.int64)
    topic_of_component[component] = interest.indices
    found = topic_of_component[topic_of_component >= 0]
    return TopicBlocks(
        subscribers=np.bincount(interest.indices, minlength=interest.num_topics).astype(np.int64),
        components=np.bincount(found, minlength=interest.num_topics).astype(np.int64),
        edges=edges,
    )


def _block_edges(interest: Interest, links: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """For all topics, the pairs of subscriptions that a link joins, as arrays (2, m) of subscription numbers."""
    if not len(links):
        return
    subscribed = interest.to_scipy().astype(np.int64)
    numbered = subscribed.copy()
    # Subscriptions are numbered from 1, because a stored 0 would disappear in a sparse product.
    numbered.data = np.arange(1, interest.num_subscriptions + 1)
    size = np.diff(interest.indptr)
    work = np.cumsum(size[links].sum(axis=1))
    cuts = np.searchsorted(work, np.arange(CHUNK_ENTRIES, work[-1], CHUNK_ENTRIES))
    for chunk in np.split(links, cuts):
        one, other = chunk[:, 0], chunk[:, 1]
        yield np.stack(
            (
                _common(numbered[one], subscribed[other]),
                _common(numbered[other], subscribed[one]),
            )
        )


def _common(numbered: scipy.sparse.csr_array, subscribed: scipy.sparse.csr_array) -> NDArray[np.int64]:
    """The numbers of the subscriptions that both rows contain, row by row, with topics in ascending order."""
    common = numbered.multiply(subscribed).tocsr()
    common.sort_indices()
    return np.asarray(common.data, dtype=np.int64) - 1


def _folded(component: NDArray[np.int64], pending: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Merge the components that the collected edges join."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    if not any(pairs.size for pairs in pending):
        return component
    one, other = component[np.concatenate(pending, axis=1)]
    size = (len(component), len(component))
    graph = sparse.coo_array((np.ones(len(one)), (one, other)), shape=size)
    _, merged = connected_components(graph, directed=False)
    return merged[component].astype(np.int64)
