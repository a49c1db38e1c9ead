"""Where to draw the nodes: a force-directed layout whose cost grows with the nodes, not with their pairs.

The layouts of the usual graph libraries take ten seconds to minutes for a few thousand nodes; this one takes well under
a second, because a node is pushed away by its few nearest neighbours, found with SciPy's k-d tree, and by the crowd in
each cell of a coarse grid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = 50
NEAR = 12  # the neighbours that push a node one by one
CELLS = 10  # the side of the grid; each of its cells pushes as a whole


def force_layout(edges: NDArray[np.int64], num_nodes: int, *, steps: int = STEPS, seed: int = 0) -> NDArray[np.float64]:
    """Positions in the unit square, shape (num_nodes, 2) (after Fruchterman and Reingold 1991).

    Nodes repel each other with k²/d and are drawn to the mean place of the nodes they are linked to with d²/k, so that
    a node of many links is not pulled harder than one of few; everything is drawn gently to the middle, so that
    separate pieces stay on the page.
    """
    from scipy.sparse import coo_array, diags_array

    if num_nodes == 0:
        return np.empty((0, 2))
    rng = np.random.default_rng(seed)
    ends = np.concatenate((edges, edges[:, ::-1]))
    links = coo_array((np.ones(len(ends)), ends.T), shape=(num_nodes, num_nodes)).tocsr()
    degrees: NDArray[np.float64] = np.asarray(links.sum(axis=1))
    mean_of_linked = diags_array(1 / np.maximum(degrees, 1)) @ links
    place = _spread_out(links, degrees, rng)
    ideal = 1.0 / np.sqrt(num_nodes)
    for step in range(steps):
        pull = np.where(degrees[:, None] > 0, mean_of_linked @ place - place, 0.0)
        push = pull * (np.hypot(*pull.T) / ideal)[:, None] + ideal * ideal * _from_nearest(place)
        if step < 0.7 * steps:  # the coarse shape stands by then
            push += ideal * ideal * _from_crowds(place, rng)
        push += 0.5 * ideal * (0.5 - place)
        length = np.maximum(np.hypot(*push.T), 1e-9)
        heat = 0.1 * (1 - step / steps) ** 2 + 0.1 * ideal
        place += push / length[:, None] * np.minimum(length, heat)[:, None]
    low, high = place.min(axis=0), place.max(axis=0)
    return np.asarray((place - low) / np.maximum((high - low).max(), 1e-9))


def _from_nearest(place: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of (x - y) / |x - y|² over the nodes y that are nearest to x."""
    from scipy.spatial import cKDTree

    count = len(place)
    near = cKDTree(place).query(place, k=min(NEAR + 1, count))[1].reshape(count, -1)[:, 1:]
    apart = place[:, None] - place[near]
    return np.asarray((apart / np.maximum((apart * apart).sum(axis=2, keepdims=True), 1e-9)).sum(axis=1))


def _from_crowds(place: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """A push from all nodes, each standing at the middle of its cell, that reaches a few cells far."""
    low, high = place.min(axis=0), place.max(axis=0)
    side = max(float((high - low).max()), 1e-9) / CELLS
    # The grid lies elsewhere each time, for its lines would show in the picture.
    grid = ((place - low) / side + rng.random(2)).astype(np.int64)
    _, cell, crowd = np.unique(grid[:, 0] * (CELLS + 2) + grid[:, 1], return_inverse=True, return_counts=True)
    middle = np.stack([np.bincount(cell, place[:, axis]) / crowd for axis in (0, 1)], axis=1)
    squares = (place * place).sum(axis=1)[:, None] + (middle * middle).sum(axis=1) - 2 * place @ middle.T
    # Falling faster than 1 / d, or a community would be blown to the edge of the page, a dot among others.
    strength = crowd * side * side / (np.maximum(squares, 0) + side * side) ** 2
    return np.asarray(place * strength.sum(axis=1)[:, None] - strength @ middle)


def _spread_out(links: Any, degrees: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """A start that already has the coarse shape: ranks in two eigenvectors of the links, or random places."""
    num_nodes = len(degrees)
    place = rng.random((num_nodes, 2))
    if num_nodes < 10 or not links.nnz:
        return place
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import ArpackError, eigsh

    scale = diags_array(1 / np.sqrt(np.maximum(degrees, 1)))
    try:
        vectors = eigsh(scale @ links @ scale, k=3, which="LA", v0=rng.random(num_nodes), tol=1e-2, maxiter=500)[1]
    except ArpackError:
        return place
    ranks = np.argsort(np.argsort(vectors[:, :2] + 1e-9 * place, axis=0), axis=0) / num_nodes
    return 0.9 * ranks + 0.1 * place
