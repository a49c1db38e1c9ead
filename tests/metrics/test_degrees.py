"""Degree distribution."""

from hypothesis import given, settings

from tests.metrics.plain import cases, neighbours
from topicweave.metrics import degree_distribution
from topicweave.model import Overlay


def test_path_by_hand(path):
    """Two ends, four in the middle, and the unlinked 7."""
    assert degree_distribution(path[1]) == {0: 1, 1: 2, 2: 4}


def test_rising_degrees_and_no_nodes():
    star = Overlay.from_pairs([("a", other) for other in "bcdef"])
    assert list(degree_distribution(star).items()) == [(1, 5), (5, 1)]
    assert degree_distribution(Overlay.empty([])) == {}


@given(case=cases())
@settings(deadline=None)
def test_agrees_with_counting(case):
    """How many nodes have how many links, counted from the neighbours of each."""
    _, overlay = case
    degrees = [len(near) for near in neighbours(overlay.pairs(), overlay.labels).values()]
    assert degree_distribution(overlay) == {degree: degrees.count(degree) for degree in set(degrees)}
