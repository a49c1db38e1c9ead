"""Where to draw the nodes: a force-directed layout with repulsion among near nodes only.

The layouts of the usual graph libraries take ten seconds to minutes for a few thousand nodes; this one, with SciPy's
k-d tree for who is near, takes a second or two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Strength = Callable[[NDArray[np.float64]], NDArray[np.float64]]

STEPS = 120


def force_layout(edges: NDArray[np.int64], num_nodes: int, *, steps: int = STEPS, seed: int = 0) -> NDArray[np.float64]:
    """Positions in the unit square, shape (num_nodes, 2) (Fruchterman and Reingold 1991, grid variant).

    Linked nodes attract each other with d²/k, near ones repel with k²/d up to a distance of 3k, and everything is drawn
    gently to the middle, so that separate pieces stay on the page.
    """
    from scipy.spatial import cKDTree

    if num_nodes == 0:
        return np.empty((0, 2))
    rng = np.random.default_rng(seed)
    place = _spread_out(edges, num_nodes, rng)
    ideal = 1.0 / np.sqrt(num_nodes)
    for step in range(steps):
        push = np.zeros_like(place)
        near = cKDTree(place).query_pairs(3 * ideal, output_type="ndarray")
        _apply(push, place, near, lambda distance: ideal * ideal / distance / distance)
        _apply(push, place, edges, lambda distance: -distance / ideal)
        push += 0.5 * ideal * (0.5 - place)
        length = np.maximum(np.hypot(*push.T), 1e-9)
        heat = 0.1 * (1 - step / steps) ** 2 + 0.1 * ideal
        place += push / length[:, None] * np.minimum(length, heat)[:, None]
    low, high = place.min(axis=0), place.max(axis=0)
    return np.asarray((place - low) / np.maximum((high - low).max(), 1e-9))


def _apply(push: NDArray[np.float64], place: NDArray[np.float64], pairs: NDArray[np.int64], strength: Strength) -> None:
    """Add forces along pairs: ``strength`` is the force over the distance, positive apart."""
    if not len(pairs):
        return
    apart = place[pairs[:, 0]] - place[pairs[:, 1]]
    distance = np.maximum(np.hypot(*apart.T), 1e-6)
    force = apart * strength(distance)[:, None]
    for axis in (0, 1):
        push[:, axis] += np.bincount(pairs[:, 0], force[:, axis], len(push))
        push[:, axis] -= np.bincount(pairs[:, 1], force[:, axis], len(push))


def _spread_out(edges: NDArray[np.int64], num_nodes: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """A start that already has the coarse shape: ranks in two eigenvectors of the links, or random places."""
    place = rng.random((num_nodes, 2))
    if num_nodes < 10 or not len(edges):
        return place
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.linalg import ArpackError, eigsh

    ends = np.concatenate((edges, edges[:, ::-1]))
    links = coo_array((np.ones(len(ends)), ends.T), shape=(num_nodes, num_nodes)).tocsr()
    scale = diags_array(1 / np.sqrt(np.maximum(links.sum(axis=1), 1)))
    try:
        vectors = eigsh(scale @ links @ scale, k=3, which="LA", v0=rng.random(num_nodes), tol=1e-2, maxiter=500)[1]
    except ArpackError:
        return place
    ranks = np.argsort(np.argsort(vectors[:, :2] + 1e-9 * place, axis=0), axis=0) / num_nodes
    return 0.9 * ranks + 0.1 * place
