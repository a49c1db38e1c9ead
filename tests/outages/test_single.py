"""What the failure of each single node breaks, against networkx and against removing every node in turn."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

import topicweave as tw
from tests.reference_outages import broken_by
from tests.trees.conftest import instances
from topicweave.errors import ParameterError
from topicweave.outages import SingleOutage, single_outages


def spread(num_nodes=150, num_topics=30, seed=3):
    """A random interest and some links of its design, so that some topics are connected and others are not."""
    interest = tw.workloads.synthetic(num_nodes, num_topics, subscriptions=8, seed=seed)
    overlay = tw.design(interest, "low").overlay
    keep = np.random.default_rng(seed).random(overlay.num_edges) < 0.95
    return interest, tw.Overlay(interest.nodes, overlay.edges[keep])


@given(instances())
@settings(max_examples=80, deadline=None)
def test_every_node_breaks_what_removing_it_breaks(instance):
    """Removing each node in turn, by sets, gives the same topics and the same numbers as the one search."""
    interest, overlay = instance
    found = single_outages(interest, overlay)
    breakers = dict.fromkeys(interest.topics, 0)
    for v, node in enumerate(interest.nodes):
        expected = broken_by(interest, overlay, [node])
        assert (found.broken[v], found.cut_off[v]) == (len(expected), sum(each[2] for each in expected.values()))
        for topic in expected:
            breakers[topic] += 1
    assert dict(zip(interest.topics, found.breakers.tolist(), strict=True)) == breakers


def test_the_nodes_that_break_a_topic_are_its_articulation_points():
    """On a larger overlay with connected and disconnected topics, networkx names the same number for every topic."""
    interest, overlay = spread()
    found = single_outages(interest, overlay)
    graph = overlay.to_networkx()
    expected = [len(set(nx.articulation_points(graph.subgraph(interest.subscribers_of(t))))) for t in interest.topics]
    assert found.breakers.tolist() == expected
    assert sum(expected) == found.broken.sum() > 20


def test_the_worst_failure_comes_first():
    """In a chain of five, the middle cuts off two, its neighbours one each, and the ends nobody."""
    interest = tw.Interest.from_pairs([(node, "news") for node in "abcde"])
    chain = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    found = single_outages(interest, chain)
    assert found.worst() == [SingleOutage("c", 1, 2), SingleOutage("b", 1, 1), SingleOutage("d", 1, 1)]
    assert found.worst(1) == found.worst()[:1]
    assert found.figures() == {"harmful_nodes": 3, "fragile_topics": 1, "most_cut_off": 2}
    with pytest.raises(ParameterError, match="count"):
        found.worst(-1)


def test_a_ring_has_no_harmful_node():
    """Nor has an overlay of two nodes, or of none."""
    interest = tw.Interest.from_pairs([(node, "news") for node in "abcd"])
    ring = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    assert single_outages(interest, ring).figures() == {"harmful_nodes": 0, "fragile_topics": 0, "most_cut_off": 0}
    nothing = tw.Interest.from_pairs([])
    assert single_outages(nothing, tw.Overlay.empty(())).worst() == []


def test_a_long_chain_needs_no_recursion():
    """A topic of 20,000 subscribers in a row is searched without running out of stack."""
    interest = tw.Interest.from_matrix(np.ones((20_000, 1)))
    row = np.arange(19_999)
    found = single_outages(interest, tw.Overlay(interest.nodes, np.stack((row, row + 1), axis=1)))
    assert (found.num_harmful, found.worst(1)[0].cut_off) == (19_998, 9_999)
