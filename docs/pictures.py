"""Draw the pictures of the README and the docs into ``docs/_static``.

    python docs/pictures.py              writes the SVG files
    python docs/pictures.py --png DIR    writes PNG files into DIR instead, to look at

The same input gives the same file, byte for byte, with the same version of matplotlib.
"""

from __future__ import annotations

import argparse
import csv
import math
from pathlib import Path
from typing import Any

from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Curve

import topicweave as tw

DOCS = Path(__file__).resolve().parent
EXAMPLE = DOCS.parent / "examples" / "brokers.csv"
SITES = ("ams", "mad", "mil", "sto", "waw")
PANELS = (
    ("ring", {}, "a ring per topic"),
    ("gm", {}, "gm: fewest links"),
    ("low", {"k": 3}, "low, k=3: few links, even load"),
)
COLOURS = {"ams": "#3b6ea8", "mad": "#c8553d", "mil": "#3f8f6b", "sto": "#8a5a9e", "waw": "#b8862b"}
INK, PAPER, LINK = "#22303c", "#fbfaf7", "#5b6b78"


def sixty_brokers() -> tw.Interest:
    """The brokers of five sites of the example."""
    with EXAMPLE.open(newline="", encoding="utf-8") as file:
        pairs = [(row["node"], row["topic"]) for row in csv.DictReader(file)]
    return tw.Interest.from_pairs((node, topic) for node, topic in pairs if node[:3] in SITES)


def positions(nodes: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """The position of each broker, the same in every panel: the sites lie on a circle, and the brokers of a site around
    the first of them.
    """
    places = {}
    for i, site in enumerate(SITES):
        angle = math.pi / 2 - 2 * math.pi * i / len(SITES)
        x, y = 2.05 * math.cos(angle), 2.05 * math.sin(angle)
        here = [node for node in nodes if node.startswith(site)]
        places[here[0]] = (x, y)  # the broker that gathers for the site
        for j, node in enumerate(here[1:]):
            turn = angle + 2 * math.pi * j / (len(here) - 1)
            places[node] = (x + 0.92 * math.cos(turn), y + 0.92 * math.sin(turn))
    return places


def caption(overlay: tw.Overlay) -> str:
    """The number of links, and that of the busiest broker, in words."""
    return f"{overlay.num_edges} links, busiest broker {overlay.maximum_degree}"


def draw_panel(axes: Any, overlay: tw.Overlay, places: dict[str, tuple[float, float]], title: str) -> None:
    """Draw one overlay: links, brokers sized by degree, the names of sites, and a caption below."""
    for u, v in overlay.pairs():
        (x0, y0), (x1, y1) = places[u], places[v]
        # Bent a little towards the middle, so that links side by side can be told apart.
        bend = (0.88 * (x0 + x1) / 2, 0.88 * (y0 + y1) / 2)
        curve = Curve([(x0, y0), bend, (x1, y1)], [Curve.MOVETO, Curve.CURVE3, Curve.CURVE3])
        axes.add_patch(PathPatch(curve, fill=False, ec=LINK, lw=0.8, alpha=0.6, zorder=1))
    for number, node in enumerate(overlay.labels):
        degree = int(overlay.degrees[number])
        axes.scatter(*places[node], s=12 + 9 * degree, color=COLOURS[node[:3]], ec=PAPER, lw=0.8, zorder=2)
    for i, site in enumerate(SITES):
        angle = math.pi / 2 - 2 * math.pi * i / len(SITES)
        axes.text(3.45 * math.cos(angle), 3.25 * math.sin(angle), site, color=COLOURS[site], ha="center", va="center",
                  fontsize=10, fontweight="bold")  # fmt: skip
    axes.set_title(title, fontsize=13, color=INK, pad=8)
    axes.text(0, -3.3, caption(overlay), ha="center", va="top", fontsize=11.5, color=INK)
    axes.set(xlim=(-3.7, 3.7), ylim=(-3.85, 3.55), aspect="equal")
    axes.axis("off")


def overlays_picture() -> Figure:
    """The same sixty brokers under three algorithms."""
    interest = sixty_brokers()
    places = positions(tuple(interest.nodes))
    figure = Figure(figsize=(12.6, 4.8), facecolor=PAPER)
    for axes, (name, parameters, title) in zip(figure.subplots(1, 3), PANELS, strict=True):
        draw_panel(axes, tw.design(interest, name, **parameters).overlay, places, title)
    figure.suptitle(f"{interest.num_nodes} brokers, {interest.num_topics} topics: every topic's subscribers connected",
                    fontsize=12, color=LINK, y=0.985)  # fmt: skip
    figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.86, wspace=0.02)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description="Draw the pictures of the README and the docs.")
    parser.add_argument("--png", type=Path, metavar="DIR", help="write PNG files into DIR instead of SVG into the docs")
    options = parser.parse_args()
    # Letters stay text, ids do not depend on chance, and no date is written.
    rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "topicweave", "font.family": "sans-serif"})
    folder, kind = (options.png, "png") if options.png else (DOCS / "_static", "svg")
    folder.mkdir(parents=True, exist_ok=True)
    metadata = {"Date": None} if kind == "svg" else None
    overlays_picture().savefig(folder / f"overlays.{kind}", facecolor=PAPER, dpi=110, metadata=metadata)


if __name__ == "__main__":
    main()
