"""Redundancy of topics."""

from itertools import combinations

import pytest
from hypothesis import given, settings

from tests.metrics.plain import cases, topic_pieces
from topicweave.metrics import redundancy
from topicweave.model import Interest, Overlay


def test_square_by_hand(square):
    """news: four links, three needed, four subscribers; sport has no link of its own."""
    assert redundancy(*square).tolist() == [0, 1 / 4, 0, 0]


def test_a_mesh_of_four():
    """Six links, three needed: 3/4 each."""
    interest = Interest.from_sets({node: ["x"] for node in "abcd"})
    overlay = Overlay.from_pairs(combinations("abcd", 2))
    assert redundancy(interest, overlay).tolist() == [3 / 4]


@given(case=cases())
@settings(deadline=None)
def test_agrees_with_counting(case):
    """Links inside a topic beyond those of a forest, per member, counted from the pairs."""
    interest, overlay = case
    found = redundancy(interest, overlay)
    for place, (topic, pieces) in enumerate(zip(interest.topics, topic_pieces(interest, overlay), strict=True)):
        members = interest.subscribers_of(topic)
        links = sum(1 for pair in overlay.pairs() if members.issuperset(pair))
        expected = (links - (len(members) - pieces)) / len(members) if members else 0
        assert found[place] == pytest.approx(expected)
