"""The overlay as a picture: links, nodes sized by degree, labels where there is room."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from topicweave.pipeline.layout import force_layout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay

MOST_NODES = 2000
LABELLED_WHEN_FEWER = 60
LABELLED_HUBS = 12
SIZE = 1000


@dataclass(frozen=True)
class Drawing:
    """An SVG, and what it shows of the whole."""

    svg: str
    num_shown: int
    num_nodes: int


def draw(interest: Interest, overlay: Overlay, *, most_nodes: int = MOST_NODES, seed: int = 0) -> Drawing:
    """Draw the overlay, or its neighbourhood of the node with most links when it is too large to be read."""
    shown = _neighbourhood(overlay, most_nodes)
    number = np.full(overlay.num_nodes, -1, dtype=np.int64)
    number[shown] = np.arange(len(shown))
    edges = number[overlay.edges].reshape(-1, 2)
    edges = edges[(edges >= 0).all(axis=1)]
    place = force_layout(edges, len(shown), seed=seed) * (SIZE - 80) + 40
    topics = np.diff(interest.indptr)[shown]
    labels = [overlay.labels[node] for node in shown]
    svg = _svg(place, edges, labels, overlay.degrees[shown], topics)
    return Drawing(svg, len(shown), overlay.num_nodes)


def _neighbourhood(overlay: Overlay, most_nodes: int) -> NDArray[np.int64]:
    """All nodes, or those nearest to the one with most links, by levels, then the rest in order."""
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
) -> str:
    count = len(labels)
    base = float(np.clip(90 / np.sqrt(max(count, 1)), 2.0, 9.0))
    radius = base * (0.55 + 0.9 * np.sqrt(degrees / max(int(degrees.max(initial=1)), 1)))
    height = place[:, 1].max(initial=0) + 40 if count else 100
    lines = "".join(
        f"M{place[u, 0]:.0f} {place[u, 1]:.0f}L{place[v, 0]:.0f} {place[v, 1]:.0f}" for u, v in edges.tolist()
    )
    busy = np.argsort(-degrees, kind="stable")
    named = busy if count <= LABELLED_WHEN_FEWER else busy[:LABELLED_HUBS]
    shade = np.ceil(4 * degrees / max(int(degrees.max(initial=1)), 1)).astype(int)
    dots = "".join(
        f'<circle class="n{shade[i]}" cx="{place[i, 0]:.0f}" cy="{place[i, 1]:.0f}" r="{radius[i]:.1f}">'
        f"<title>{_text(labels[i])}: {degrees[i]} links, {topics[i]} topics</title></circle>"
        for i in busy[::-1].tolist()
    )
    names = "".join(
        f'<text x="{place[i, 0] + radius[i] + 3:.0f}" y="{place[i, 1] + 4:.0f}">{_text(labels[i], 28)}</text>'
        for i in named.tolist()
    )
    opacity = float(np.clip(900 / max(len(edges), 1), 0.12, 0.6))
    return (
        f'<svg class="overlay" viewBox="0 0 {SIZE} {height:.0f}" role="img" aria-label="The overlay">'
        f'<path d="{lines}" style="opacity:{opacity:.2f}"/>{dots}<g>{names}</g></svg>'
    )


def _text(label: str, width: int = 80) -> str:
    printable = "".join(letter if letter.isprintable() else "�" for letter in label)
    return escape(printable if len(printable) <= width else printable[: width - 1] + "…")
