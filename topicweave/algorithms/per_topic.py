"""One structure per topic: a ring, a chain or a star of its subscribers; the overlay is the union of all.

These are baselines that make no use of common topics. Each gives a topic-connected overlay in time linear in the number
of subscriptions, apart from one sort; a link that several topics ask for is made once, where the first of them asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest


def ring(interest: Interest, *, seed: int = 0) -> NDArray[np.int64]:
    """Link the subscribers of each topic in a ring, in node order (RingPT, GM §8).

    A topic with two subscribers gets one link, a topic with one gets none. Topics come in number order; for each, first
    the links from node to node, then the one that closes the ring. There is at most one link per subscription, which
    means two link ends.

    Parameters
    ----------
    interest
        The subscriptions.
    seed
        Not used: the result is not random.

    Returns
    -------
    Edges (m, 2), ``u < v``, in the order added.
    """
    starts, nodes = interest.subscribers
    lows, highs = _subsequent(starts, nodes)
    sizes = np.diff(starts)
    first, last = starts[:-1][sizes >= 3], starts[1:][sizes >= 3] - 1
    # For each topic, the position at which the link that closes its ring belongs: after the topic's other links.
    along_before = np.cumsum(np.maximum(sizes - 1, 0))[sizes >= 3]
    lows = np.insert(lows, along_before, nodes[first])
    highs = np.insert(highs, along_before, nodes[last])
    return _once_each(lows, highs, interest.num_nodes)


def chain(interest: Interest, *, seed: int = 0) -> NDArray[np.int64]:
    """Link the subscribers of each topic in a chain, in node order: :func:`ring` without the closing links."""
    return _once_each(*_subsequent(*interest.subscribers), interest.num_nodes)


def star(interest: Interest, *, seed: int = 0) -> NDArray[np.int64]:
    """Link the subscribers of each topic to the one among them that has the most topics.

    If several nodes have most topics, the one of lowest number is the centre. Topics come in number order, and the
    links of a topic in the order of the other end's number. Every topic has diameter at most 2. Parameters and return
    value as in :func:`ring`.
    """
    starts, nodes = interest.subscribers
    sizes = np.diff(starts)
    used = starts[:-1][sizes > 0]
    if not len(used):
        return np.empty((0, 2), dtype=np.int64)
    num_topics_of = np.diff(interest.indptr)[nodes]
    most = np.repeat(np.maximum.reduceat(num_topics_of, used), sizes[sizes > 0])
    candidates = np.where(num_topics_of == most, nodes, np.iinfo(nodes.dtype).max)
    centres = np.repeat(np.minimum.reduceat(candidates, used), sizes[sizes > 0])
    rim = nodes != centres
    lows, highs = np.minimum(nodes, centres)[rim], np.maximum(nodes, centres)[rim]
    return _once_each(lows, highs, interest.num_nodes)


def _subsequent(starts: NDArray[np.int64], nodes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the two ends of each link between a subscriber and the next subscriber of the same topic."""
    same_topic = np.ones(max(len(nodes) - 1, 0), dtype=bool)
    borders = starts[1:-1]
    same_topic[borders[(borders > 0) & (borders < len(nodes))] - 1] = False
    return nodes[:-1][same_topic], nodes[1:][same_topic]


def _once_each(lows: NDArray[np.int32], highs: NDArray[np.int32], num_nodes: int) -> NDArray[np.int64]:
    """Return the links as rows without repetition, each at the place of its first occurrence."""
    codes = lows.astype(np.int64) * num_nodes + highs
    order = np.argsort(codes, kind="stable")
    ranked = codes[order]
    is_first = np.ones(len(codes), dtype=bool)
    is_first[1:] = ranked[1:] != ranked[:-1]
    kept = np.zeros(len(codes), dtype=bool)
    kept[order[is_first]] = True
    return np.stack((lows[kept], highs[kept]), axis=1).astype(np.int64)
