"""The overlay as a picture: links, nodes sized by degree, labels where there is room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.reports.layout import force_layout
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
MOST_LETTERS, LETTER_WIDTH, LINE_HEIGHT = 28, 7.0, 13.0  # of a label in the drawing


@dataclass(frozen=True)
class Drawing:
    """An SVG, what it shows of the whole, and how many nodes stand out by their links."""

    svg: Markup
    num_shown: int
    num_nodes: int
    num_hubs: int


def draw(interest: Interest, overlay: Overlay, *, most_nodes: int = MOST_NODES, seed: int = 0) -> Drawing:
    """Draw the overlay, or its neighbourhood of the node with most links when it is too large to be read."""
    shown = _neighbourhood(overlay, most_nodes)
    number = np.full(overlay.num_nodes, -1, dtype=np.int64)
    number[shown] = np.arange(len(shown))
    edges = number[overlay.edges].reshape(-1, 2)
    edges = edges[(edges >= 0).all(axis=1)]
    place = force_layout(edges, len(shown), seed=seed)
    place[:, 0] += (1 - place[:, 0].max(initial=0)) / 2  # in the middle, when it is higher than wide
    place = place * (SIZE - 80) + 40
    topics = np.diff(interest.indptr)[shown]
    labels = [overlay.labels[node] for node in shown]
    degrees = overlay.degrees[shown]
    hubs = [node for node in np.argsort(-degrees, kind="stable")[:MOST_HUBS] if degrees[node] >= 2 * degrees.mean()]
    return Drawing(_svg(place, edges, labels, degrees, topics, hubs), len(shown), overlay.num_nodes, len(hubs))


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
    """Labels beside their nodes, on the side where there is room; one that would lie on an earlier one is left out."""
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
