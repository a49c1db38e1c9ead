"""Distances: how far messages travel on each topic."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from topicweave.metrics.hops import count_hops
from topicweave.metrics.matching import adjacency, topic_selection
from topicweave.parameters import check_seed, check_whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    import scipy.sparse
    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay


@dataclass(frozen=True, eq=False)
class TopicDistances:
    """The longest and the mean shortest path between the subscribers of each topic.

    Attributes
    ----------
    topics
        Labels, in the order of the two arrays.
    diameter
        Longest shortest path; infinite if some subscriber does not reach another; 0 for fewer than two subscribers.
    mean_hops
        Mean over ordered pairs of distinct subscribers; infinite and 0 likewise.
    """

    topics: tuple[str, ...]
    diameter: NDArray[np.float64] = field(repr=False)
    mean_hops: NDArray[np.float64] = field(repr=False)


def topic_distances(
    interest: Interest,
    overlay: Overlay,
    *,
    inside: bool = True,
    topics: Iterable[str] | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> TopicDistances:
    """Measure the shortest paths between the subscribers of each topic.

    Parameters
    ----------
    interest, overlay
        The subscriptions, and the links among the same nodes.
    inside
        True: paths stay inside the topic's sub-overlay, as in LOW. False: they may use the whole overlay, as in GM §9.
    topics
        Labels of the topics to measure; None for all.
    sample
        Search from at most this many random subscribers of each topic instead of all. The diameter is then a lower
        bound and the mean an estimate, but whether a topic is connected is still exact.
    seed
        Seed of the random numbers for ``sample``.
    """
    if sample is not None:
        check_whole("sample", sample, 1)
        check_seed(seed)
    graph = adjacency(interest, overlay)
    pieces = _pieces(graph)
    selected = topic_selection(interest, topics)
    starts, subscribers = interest.subscribers
    diameter, mean_hops = np.zeros(len(selected)), np.zeros(len(selected))
    for place, topic in enumerate(selected.tolist()):
        nodes = subscribers[starts[topic] : starts[topic + 1]].astype(np.int64)
        if len(nodes) < 2:
            continue
        part, members, piece = graph, nodes, pieces[nodes]
        if inside:
            part, members = graph[nodes][:, nodes], np.arange(len(nodes))
            piece = _pieces(part)
        if (piece != piece[0]).any():
            diameter[place] = mean_hops[place] = np.inf
            continue
        sources = members if sample is None else _drawn(members, sample, (seed, topic))
        hops = count_hops(part, sources, members)
        diameter[place] = hops.longest
        mean_hops[place] = hops.total / (len(sources) * (len(members) - 1))
    return TopicDistances(tuple(interest.topics[t] for t in selected.tolist()), diameter, mean_hops)


def _pieces(graph: scipy.sparse.csr_array) -> NDArray[np.int32]:
    """The connected component of each node."""
    from scipy.sparse.csgraph import connected_components

    return np.asarray(connected_components(graph, directed=False)[1]) if graph.shape[0] else np.empty(0, np.int32)


def _drawn(members: NDArray[np.int64], sample: int, entropy: tuple[int, int]) -> NDArray[np.int64]:
    """A random sample of the members; the topic is part of the seed, so that the samples of different topics are
    independent.
    """
    rng = np.random.Generator(np.random.PCG64(entropy))
    return np.sort(rng.choice(members, size=min(sample, len(members)), replace=False))


def topic_diameters(
    interest: Interest,
    overlay: Overlay,
    *,
    inside: bool = True,
    topics: Iterable[str] | None = None,
    sample: int | None = None,
    seed: int = 0,
) -> NDArray[np.float64]:
    """The diameter of each topic; this is the first half of :func:`topic_distances` and takes the same parameters."""
    return topic_distances(interest, overlay, inside=inside, topics=topics, sample=sample, seed=seed).diameter
