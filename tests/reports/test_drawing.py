"""The picture of an overlay."""

import xml.etree.ElementTree as ElementTree

import pytest

from topicweave.algorithms import design
from topicweave.model import Interest, Overlay
from topicweave.reports.drawing import draw
from topicweave.workloads import synthetic


def test_drawing_is_well_formed_and_names_every_node():
    """Labels that are markup are shown, not obeyed."""
    interest = Interest.from_sets({"<b>&": ["x"], "two\x07": ["x"], "three": ["y"]})
    drawing = draw(interest, Overlay.from_pairs([("<b>&", "two\x07")], interest.nodes))
    root = ElementTree.fromstring(drawing.svg)
    assert len(root.findall("circle")) == drawing.num_shown == 3
    assert {title.text.split(":")[0] for title in root.iter("title")} == {"<b>&", "two�", "three"}


def test_drawn_names_do_not_lie_on_each_other():
    """A ring of forty long names: as many are written as there is room for, and the picture stands in the middle."""
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
