"""What a plan saves."""

from topicweave.algorithms import design
from topicweave.model import Interest
from topicweave.reports.comparison import comparisons


def test_comparisons_by_hand():
    """Four nodes, two topics of three: rings have three links each, one of them shared."""
    interest = Interest.from_sets({"a": ["x", "y"], "b": ["x", "y"], "c": ["x"], "d": ["y"]})
    plan, ring, mesh = comparisons(interest, design(interest, "gm").overlay)
    assert (plan.links, ring.links, mesh.links) == (3, 5, 6)
    assert mesh.maximum_degree == 3
