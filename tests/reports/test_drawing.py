"""The picture of an overlay."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from topicweave.algorithms import design
from topicweave.model import Interest, Overlay
from topicweave.reports.drawing import draw, force_layout
from topicweave.workloads import synthetic


def test_drawing_is_well_formed_and_names_every_node():
    """Labels that are markup are shown, not obeyed."""
    interest = Interest.from_sets({"<b>&": ["x"], "two\x07": ["x"], "three": ["y"]})
    drawing = draw(interest, Overlay.from_pairs([("<b>&", "two\x07")], interest.nodes))
    root = ElementTree.fromstring(drawing.svg)
    assert len(root.findall("circle")) == drawing.num_shown == 3
    assert {title.text.split(":")[0] for title in root.iter("title")} == {"<b>&", "two�", "three"}


def test_drawn_names_do_not_lie_on_each_other():
    """A ring of forty long names: as many are written as there is room for, and the picture is centred."""
    labels = [f"broker-{node:02d}.somewhere.far" for node in range(40)]
    interest = Interest.from_sets({label: ["x"] for label in labels})
    root = ElementTree.fromstring(draw(interest, design(interest, "ring").overlay).svg)
    boxes = []
    for text in root.iter("text"):
        width = 7 * len(text.text)
        x, y = float(text.get("x")), float(text.get("y"))
        boxes.append((x - width if text.get("text-anchor") == "end" else x, y, width))
    assert 5 < len(boxes) < 40
    for number, (x, y, width) in enumerate(boxes):
        assert all(abs(y - b) > 11 or x > a + w - 2 or a > x + width - 2 for a, b, w in boxes[:number])
    places = [float(circle.get("cx")) for circle in root.iter("circle")]
    assert min(places) + max(places) == pytest.approx(1000, abs=2)


def test_large_overlays_are_drawn_in_part():
    """Beyond the limit, the neighbourhood of the node with most links is shown, connected."""
    interest = synthetic(num_nodes=300, num_topics=20, popularity="zipf", alpha=0.5, subscriptions=3, seed=0)
    overlay = design(interest, "gm").overlay
    drawing = draw(interest, overlay, most_nodes=100)
    assert drawing.num_shown == 100 and drawing.num_nodes == 300
    assert f": {overlay.maximum_degree} links" in drawing.svg


def test_layout_keeps_neighbours_near_and_is_repeatable():
    """On a ring, linked nodes end nearer than others; the same seed gives the same places."""
    edges = np.array([(node, (node + 1) % 40) for node in range(40)])
    place = force_layout(edges, 40, seed=1)
    assert np.array_equal(place, force_layout(edges, 40, seed=1))
    assert place.min() >= 0 and place.max() <= 1
    linked = np.hypot(*(place[edges[:, 0]] - place[edges[:, 1]]).T)
    opposite = np.hypot(*(place - place[(np.arange(40) + 20) % 40]).T)
    assert linked.mean() < opposite.mean() / 3


def test_layout_shows_communities_and_keeps_nodes_apart():
    """Two crowds with a single link between them stand apart, and no two nodes lie on the same spot."""
    rng = np.random.default_rng(0)
    crowds = [np.unique(np.sort(rng.integers(0, 150, (600, 2)), axis=1), axis=0) + base for base in (0, 150)]
    edges = np.concatenate([*crowds, [(0, 150)]])
    place = force_layout(edges[edges[:, 0] != edges[:, 1]], 300)
    middles = place[:150].mean(axis=0), place[150:].mean(axis=0)
    spread = max(np.hypot(*(place[:150] - middles[0]).T).mean(), np.hypot(*(place[150:] - middles[1]).T).mean())
    assert np.hypot(*(middles[0] - middles[1])) > 1.5 * spread
    apart = np.hypot(*(place[:, None] - place[None]).transpose(2, 0, 1)) + np.eye(300)
    assert apart.min() > 0.1 / np.sqrt(300)


@pytest.mark.parametrize("size", [0, 1, 2, 12])
def test_layout_of_little(size):
    """Nothing, one node, and nodes without links have places too."""
    place = force_layout(np.empty((0, 2), dtype=np.int64), size)
    assert place.shape == (size, 2) and np.isfinite(place).all()
