"""Which interests are small enough for trying all overlays, and what is tried."""

import topicweave as tw
from tests.reference_requirements import lightest
from topicweave import Interest, Requirements
from topicweave.algorithms.requirements.few_nodes import has_few_pairs, try_all, useful_pairs

INTEREST = Interest.from_sets({"a": ["x"], "b": ["x", "y"], "c": ["x"], "d": ["y"], "e": ["x"]})


def test_only_permitted_pairs_that_share_a_topic_are_tried():
    """Required links are there in any case."""
    resolved = Requirements(required=[("a", "b")], forbidden=[("a", "c")]).resolve(INTEREST)
    names = ["".join(INTEREST.nodes[v] for v in pair) for pair in useful_pairs(INTEREST, resolved).tolist()]
    assert names == ["ae", "bc", "bd", "be", "ce"]


def test_the_lightest_overlay_is_returned():
    """As light as the lightest found by plain enumeration; None if there is none."""
    requirements = Requirements(required=[("a", "b")], connectivity=2, link_cost={n: (ord(n),) for n in "abcde"})
    resolved = requirements.resolve(INTEREST)
    links = try_all(INTEREST, resolved)
    topics_of = {node: set(INTEREST.topics_of(node)) for node in INTEREST.nodes}
    cost = {node: ord(node) for node in "abcde"}
    pairs = [tuple(INTEREST.nodes[v] for v in pair) for pair in [[0, 1], *useful_pairs(INTEREST, resolved).tolist()]]
    best = lightest(
        topics_of, pairs, lambda u, v: abs(cost[u] - cost[v]), dict.fromkeys("abcde", 4), [("a", "b")], 0, 2
    )
    assert resolved.costs(links).sum() == best[0]
    assert tw.verify(INTEREST, tw.Overlay(INTEREST.nodes, links), requirements).satisfied
    assert try_all(INTEREST, Requirements(max_degree=1).resolve(INTEREST)) is None


def test_larger_interests_are_left_to_the_search():
    """Two million overlays take seconds, more would take too long."""
    seven, eight = (Interest.from_sets({str(v): ["t"] for v in range(n)}) for n in (7, 8))
    assert has_few_pairs(seven, Requirements().resolve(seven))
    assert not has_few_pairs(eight, Requirements().resolve(eight))
