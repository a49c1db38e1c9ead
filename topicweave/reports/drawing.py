"""Draws the overlay: positions of nodes, links, nodes sized by degree, and labels where there is room.

The layout is force-directed, at a cost that grows with the number of nodes, not of pairs. The layouts of the usual
graph libraries take from ten seconds to minutes for a few thousand nodes; this one takes well under a second, because a
node is pushed away only by the few nodes nearest to it, found with SciPy's k-d tree, and by the crowd in each cell of a
coarse grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.reports.page import render
from topicweave.wording import label_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup
    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay

MOST_NODES = 2000
LABELLED_WHEN_FEWER = 60
MOST_HUBS = 12
SIZE = 1000
# sizes of labels in the drawing: number of letters, width of a letter, height of a line
MOST_LETTERS, LETTER_WIDTH, LINE_HEIGHT = 28, 7.0, 13.0

STEPS = 50
NEAR = 12  # how many of its nearest nodes push a node away individually
CELLS = 10  # cells along each side of the grid; nodes that are farther away push together, one push per cell


@dataclass(frozen=True)
class Drawing:
    """The drawing as SVG, how many of the nodes it shows, and how many nodes have conspicuously many links."""

    svg: Markup
    num_shown: int
    num_nodes: int
    num_hubs: int


def draw(interest: Interest, overlay: Overlay, *, most_nodes: int = MOST_NODES, seed: int = 0) -> Drawing:
    """Draw the overlay; if it is too large to be readable, draw the part around the node with the most links."""
    shown = _neighbourhood(overlay, most_nodes)
    number = np.full(overlay.num_nodes, -1, dtype=np.int64)
    number[shown] = np.arange(len(shown))
    edges = number[overlay.edges].reshape(-1, 2)
    edges = edges[(edges >= 0).all(axis=1)]
    place = force_layout(edges, len(shown), seed=seed)
    place[:, 0] += (1 - place[:, 0].max(initial=0)) / 2  # centre the drawing if it is taller than wide
    place = place * (SIZE - 80) + 40
    topics = np.diff(interest.indptr)[shown]
    labels = [overlay.labels[node] for node in shown]
    degrees = overlay.degrees[shown]
    hubs = [node for node in np.argsort(-degrees, kind="stable")[:MOST_HUBS] if degrees[node] >= 2 * degrees.mean()]
    return Drawing(_svg(place, edges, labels, degrees, topics, hubs), len(shown), overlay.num_nodes, len(hubs))


def _neighbourhood(overlay: Overlay, most_nodes: int) -> NDArray[np.int64]:
    """All nodes if there are few; otherwise those nearest to the node with the most links, level by level."""
    if overlay.num_nodes <= most_nodes:
        return np.arange(overlay.num_nodes)
    graph = overlay.to_scipy()
    seen = np.zeros(overlay.num_nodes, dtype=bool)
    layer = np.array([int(np.argmax(overlay.degrees))])
    kept: list[NDArray[np.int64]] = []
    while len(layer) and sum(map(len, kept)) < most_nodes:
        seen[layer] = True
        kept.append(layer)
        around = np.unique(graph[layer].indices)
        layer = around[~seen[around]]
    reached = np.concatenate(kept)
    return np.sort(reached[:most_nodes]).astype(np.int64)


def _svg(
    place: NDArray[np.float64],
    edges: NDArray[np.int64],
    labels: Sequence[str],
    degrees: NDArray[np.int64],
    topics: NDArray[np.int64],
    hubs: Sequence[int],
) -> Markup:
    count = len(labels)
    share = degrees / max(int(degrees.max(initial=1)), 1)
    radius = float(np.clip(110 / np.sqrt(max(count, 1)), 3.2, 10.0)) * (0.6 + 1.2 * np.sqrt(share))
    busy = np.argsort(-degrees, kind="stable")
    shade = np.ceil(3 * share).astype(int)
    shade[list(hubs)] = 4
    return render(
        "overlay.svg",
        size=SIZE,
        height=place[:, 1].max(initial=0) + 40 if count else 100,
        lines="".join(
            f"M{place[u, 0]:.0f} {place[u, 1]:.0f}L{place[v, 0]:.0f} {place[v, 1]:.0f}" for u, v in edges.tolist()
        ),
        opacity=float(np.clip(900 / max(len(edges), 1), 0.12, 0.6)),
        dots=[
            {
                "shade": shade[i],
                "x": f"{place[i, 0]:.0f}",
                "y": f"{place[i, 1]:.0f}",
                "radius": f"{radius[i]:.1f}",
                "title": f"{label_in_words(labels[i], 80)}: {degrees[i]} links, {topics[i]} topics",
            }
            for i in busy[::-1].tolist()
        ],
        names=list(_names(place, radius, labels, busy.tolist() if count <= LABELLED_WHEN_FEWER else hubs)),
    )


def _names(
    place: NDArray[np.float64], radius: NDArray[np.float64], labels: Sequence[str], named: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """Place labels beside their nodes, on the side that has room; a label that would overlap an earlier one is left
    out.
    """
    taken: list[tuple[float, float, float]] = []
    for node in named:
        text = label_in_words(labels[node], MOST_LETTERS)
        away, width = radius[node] + 3, LETTER_WIDTH * len(text)
        is_left = place[node, 0] > 0.8 * SIZE
        begin = place[node, 0] - away - width if is_left else place[node, 0] + away
        y = place[node, 1] + 4
        if any(begin < end and start < begin + width and abs(y - at) < LINE_HEIGHT for start, end, at in taken):
            continue
        taken.append((begin, begin + width, y))
        x = begin + width if is_left else begin
        yield {"x": f"{x:.0f}", "y": f"{y:.0f}", "ends_here": is_left, "text": text}


def force_layout(edges: NDArray[np.int64], num_nodes: int, *, steps: int = STEPS, seed: int = 0) -> NDArray[np.float64]:
    """Compute positions in the unit square, shape (num_nodes, 2), by simulated forces (after Fruchterman and Reingold
    1991).

    Nodes repel each other with k²/d and are drawn to the mean position of their neighbours with d²/k, so that a node
    with many links is not pulled harder than one with few; everything is drawn gently to the middle, so that separate
    components stay on the page.
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
        # the last steps need only the forces of near nodes, because the coarse shape is already there
        if step < 0.7 * steps:
            push += ideal * ideal * _from_crowds(place, rng)
        push += 0.5 * ideal * (0.5 - place)
        length = np.maximum(np.hypot(*push.T), 1e-9)
        heat = 0.1 * (1 - step / steps) ** 2 + 0.1 * ideal
        place += push / length[:, None] * np.minimum(length, heat)[:, None]
    low, high = place.min(axis=0), place.max(axis=0)
    return np.asarray((place - low) / np.maximum((high - low).max(), 1e-9))


def _from_nearest(place: NDArray[np.float64]) -> NDArray[np.float64]:
    """The force from the nearest nodes: the sum of (x - y) / |x - y|² over the nodes y nearest to x."""
    from scipy.spatial import cKDTree

    count = len(place)
    near = cKDTree(place).query(place, k=min(NEAR + 1, count))[1].reshape(count, -1)[:, 1:]
    apart = place[:, None] - place[near]
    return np.asarray((apart / np.maximum((apart * apart).sum(axis=2, keepdims=True), 1e-9)).sum(axis=1))


def _from_crowds(place: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """The force from all other nodes up to a few cells away, as if each node were in the middle of its grid cell."""
    low, high = place.min(axis=0), place.max(axis=0)
    side = max(float((high - low).max()), 1e-9) / CELLS
    # The grid is shifted each time; otherwise its lines would show in the picture.
    grid = ((place - low) / side + rng.random(2)).astype(np.int64)
    _, cell, crowd = np.unique(grid[:, 0] * (CELLS + 2) + grid[:, 1], return_inverse=True, return_counts=True)
    middle = np.stack([np.bincount(cell, place[:, axis]) / crowd for axis in (0, 1)], axis=1)
    squares = (place * place).sum(axis=1)[:, None] + (middle * middle).sum(axis=1) - 2 * place @ middle.T
    # This force decreases faster than 1 / d, because otherwise a group of nodes would be pushed to the edge of the
    # page.
    strength = crowd * side * side / (np.maximum(squares, 0) + side * side) ** 2
    return np.asarray(place * strength.sum(axis=1)[:, None] - strength @ middle)


def _spread_out(links: Any, degrees: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Positions to start from that already show the coarse shape: from two eigenvectors of the links, or random."""
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
