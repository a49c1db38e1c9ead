"""Trees: what the result says about itself, held against networkx."""

import networkx as nx
import pytest
from hypothesis import given, settings

import topicweave as tw
from tests.trees.conftest import instances
from topicweave.errors import InputError


@given(instances())
@settings(max_examples=60, deadline=None)
def test_figures_are_those_of_the_edges(instance):
    interest, overlay = instance
    found = tw.deploy.trees(interest, overlay)
    relayed, per_link = dict.fromkeys(interest.nodes, 0), {}
    for number, topic in enumerate(interest.topics):
        tree = nx.Graph()
        tree.add_nodes_from(interest.subscribers_of(topic))
        tree.add_edges_from(found.edges(topic))
        assert found.hops(topic) == nx.diameter(tree)
        assert found.depth(topic) == found.depths[number] == nx.eccentricity(tree, found.root(topic))
        if len(tree) > 1:
            assert found.mean_hops[number] == pytest.approx(nx.average_shortest_path_length(tree))
        for node, degree in tree.degree:
            relayed[node] += degree >= 2
        for pair in tree.edges:
            per_link[frozenset(pair)] = per_link.get(frozenset(pair), 0) + 1
    assert found.relayed.tolist() == [relayed[node] for node in interest.nodes]
    assert found.topics_per_link.tolist() == [per_link.get(frozenset(pair), 0) for pair in overlay.pairs()]
    assert found.unused == [pair for pair in overlay.pairs() if frozenset(pair) not in per_link]


@given(instances())
@settings(max_examples=40, deadline=None)
def test_paths_are_those_of_the_tree(instance):
    interest, overlay = instance
    found = tw.deploy.trees(interest, overlay)
    for topic in interest.topics:
        tree = nx.Graph(found.edges(topic))
        tree.add_nodes_from(interest.subscribers_of(topic))
        one, other = min(tree), max(tree)
        assert found.path(topic, one, other) == nx.shortest_path(tree, one, other)


def test_a_path_needs_two_members():
    interest = tw.Interest.from_pairs([("a", "x"), ("b", "x"), ("c", "y")])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b")], interest.nodes))
    with pytest.raises(InputError, match="'c' is not a member of topic 'x'"):
        found.path("x", "a", "c")


def test_the_table_holds_a_row_for_each_link_of_each_tree():
    interest = tw.Interest.from_pairs([("a", "x"), ("b", "x"), ("c", "x"), ("c", "y")])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]))
    rows = found.to_arrow().to_pylist()
    assert rows == [
        {"topic": "x", "parent": "b", "child": "a", "depth": 1},
        {"topic": "x", "parent": "b", "child": "c", "depth": 1},
    ]
    assert found.figures()["links_used"] == 2
    assert repr(found) == "Trees(2 topics over 2 of 2 links)"
