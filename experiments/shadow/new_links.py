"""Algorithm 2 in plain NumPy, with degrees as SHADOW §III defines them: only the new links count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

if TYPE_CHECKING:
    from numpy.typing import NDArray


def connect_by_new_degrees(
    wants: NDArray[np.bool_],
    links: NDArray[np.int64],
    pairs: NDArray[np.int64],
    topics: NDArray[np.int64],
    k: float,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """The links that Low-ODA adds from ``pairs`` until no pair can connect any topic further; ties are broken at
    random.

    Parameters
    ----------
    wants
        (nodes, topics): the subscriptions.
    links
        The existing overlay; its links connect topics, but do not count towards degrees.
    pairs, topics
        The pairs that may be linked, and the topics to connect.
    k
        The parameter of Low-ODA, which the paper calls ρ.
    rng
        Random generator for ties.
    """
    label = np.stack([_components(wants[:, topic], links) for topic in topics])
    shared = wants[pairs[:, 0]][:, topics] & wants[pairs[:, 1]][:, topics]
    degree = np.zeros(len(wants), dtype=np.int64)
    made = []
    while True:
        gain = (shared & (label[:, pairs[:, 0]] != label[:, pairs[:, 1]]).T).sum(axis=1)
        if not gain.any():
            return np.array(made, dtype=np.int64).reshape(-1, 2)
        rise = np.maximum(0, degree[pairs].max(axis=1) + 1 - degree.max())
        spares = (gain > 0) & (rise == rise[gain > 0].min())
        best = gain.max() if gain.max() > k * gain[spares].max() else gain[spares].max()
        allowed = gain == best if best > gain[spares].max() else spares & (gain == best)
        u, v = pairs[int(rng.choice(np.flatnonzero(allowed)))].tolist()
        made.append((u, v))
        degree[[u, v]] += 1
        for row in np.flatnonzero(wants[u, topics] & wants[v, topics]):
            label[row][label[row] == label[row, v]] = label[row, u]


def _components(subscribes: NDArray[np.bool_], links: NDArray[np.int64]) -> NDArray[np.int64]:
    """The component of each node among the subscribers of one topic."""
    inside = links[subscribes[links].all(axis=1)]
    size = len(subscribes)
    graph = coo_array((np.ones(len(inside)), (inside[:, 0], inside[:, 1])), shape=(size, size))
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
