"""Interests with few nodes: if the search finds nothing, all overlays are tried."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from topicweave.kernels.requirements.exhaustive import lightest_overlay

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest, Resolved

MOST_PAIRS = 21  # seven nodes have this many pairs, hence two million overlays, which can be tried in a few seconds


def useful_pairs(interest: Interest, resolved: Resolved) -> NDArray[np.int64]:
    """The permitted pairs that share a topic and are not required."""
    n = interest.num_nodes
    if n > 64:
        return np.empty((0, 2), dtype=np.int64)
    shared = interest.to_scipy().astype(np.int64)
    together = (shared @ shared.T).toarray()
    required = set(map(tuple, resolved.required.tolist()))
    pairs = [(u, v) for u, v in combinations(range(n), 2) if together[u, v] and (u, v) not in required]
    found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return found[resolved.permits(found)]


def has_few_pairs(interest: Interest, resolved: Resolved) -> bool:
    """Whether there are few enough pairs to try all overlays."""
    return interest.num_nodes <= 12 and len(useful_pairs(interest, resolved)) <= MOST_PAIRS


def try_all(interest: Interest, resolved: Resolved) -> NDArray[np.int64] | None:
    """The links of the lightest overlay that meets the requirements; None if no overlay does."""
    pairs = useful_pairs(interest, resolved)
    rows = np.zeros(interest.num_nodes, dtype=np.int64)
    for u, v in resolved.required.tolist():
        rows[u] |= 1 << v
        rows[v] |= 1 << u
    starts, nodes = interest.subscribers
    topics = np.array(
        [int((1 << nodes[starts[t] : starts[t + 1]].astype(np.int64)).sum()) for t in range(interest.num_topics)],
        dtype=np.int64,
    )[interest.topic_sizes >= 2]
    degree = np.bincount(resolved.required.ravel(), minlength=interest.num_nodes).astype(np.int64)
    choice = lightest_overlay(
        pairs, resolved.weights(pairs), resolved.caps, topics, resolved.max_hops, resolved.connectivity, degree, rows
    )
    if choice < 0:
        return None
    chosen = pairs[(int(choice) >> np.arange(len(pairs))) & 1 == 1]
    return np.concatenate((resolved.required, chosen))
