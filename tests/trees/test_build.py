"""trees(): one spanning tree for each topic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse import csgraph

import topicweave as tw
from tests import reference_trees as plain
from tests.trees.conftest import instances, spread_overlay
from topicweave.errors import InfeasibleError, InputError


def edges_of(found):
    return {topic: found.edges(topic) for topic in found.interest.topics}


@given(instances(), st.sampled_from(["depth", "latency", "load"]), st.integers(0, 99))
@settings(max_examples=150, deadline=None)
def test_every_objective_spans_exactly_the_members(instance, objective, seed):
    interest, overlay = instance
    latency = np.random.default_rng(seed).random(overlay.num_edges) if objective == "latency" else None
    found = tw.deploy.trees(interest, overlay, objective, latency=latency)
    assert tw.deploy.check_trees(interest, overlay, edges_of(found)) == []


@given(instances())
@settings(max_examples=150, deadline=None)
def test_depth_is_at_most_one_more_than_the_radius(instance):
    """The radius is that through members who may relay: found by trying every root."""
    interest, overlay = instance
    found = tw.deploy.trees(interest, overlay)
    relays = set(found.relays)
    for topic in interest.topics:
        members = plain.members_of(interest, topic)
        receivers = plain.receivers_of(interest, topic) or members
        inner = receivers | {node for node, t in relays if t == topic}
        near = plain.neighbours(overlay, members)
        assert found.depth(topic) <= plain.radius(near, members, inner) + 1


@given(instances(with_publishers=False), st.integers(0, 99))
@settings(max_examples=80, deadline=None)
def test_latency_is_within_a_hundredth_of_the_best_root(instance, seed):
    interest, overlay = instance
    latency = np.random.default_rng(seed).random(overlay.num_edges) + 0.01
    weight = {frozenset(pair): latency[e] for e, pair in enumerate(overlay.pairs())}
    found = tw.deploy.trees(interest, overlay, "latency", latency=latency)
    for topic in interest.topics:
        far = {found.root(topic): 0.0}
        for parent, child in found.edges(topic):
            far[child] = far[parent] + weight[frozenset((parent, child))]
        members = plain.members_of(interest, topic)
        near = plain.neighbours(overlay, members)
        assert max(far.values()) <= 1.0101 * plain.radius(near, members, members, weight) + 1e-9


@given(instances())
@settings(max_examples=150, deadline=None)
def test_who_only_publishes_is_a_leaf_unless_it_cannot_be(instance):
    """None relays where none has to; and each that does is needed, as long as the other relays stay."""
    interest, overlay = instance
    found = tw.deploy.trees(interest, overlay)
    for topic in interest.topics:
        members, receivers = plain.members_of(interest, topic), plain.receivers_of(interest, topic)
        relays = {node for node, t in found.relays if t == topic}
        if not receivers:
            continue
        if plain.fewest_relays(interest, overlay, topic) == 0:
            assert not relays
        near = plain.neighbours(overlay, members)
        for node in relays:
            assert not plain.connects(near, members, (receivers | relays) - {node})


def test_load_is_spread_where_depth_would_pile_it_up():
    """On a wheel the hub carries everything by depth, and a fair share by load."""
    nodes = [f"n{v:02}" for v in range(12)]
    topics = [f"t{t}" for t in range(20)]
    interest = tw.Interest.from_pairs([(node, topic) for node in nodes for topic in topics])
    wheel = [(nodes[0], node) for node in nodes[1:]] + [(nodes[i], nodes[i % 11 + 1]) for i in range(1, 12)]
    overlay = tw.Overlay.from_pairs(wheel, interest.nodes)
    children = [
        np.bincount([interest.node_numbers[a] for t in topics for a, _ in found.edges(t)], minlength=12).max()
        for found in (tw.deploy.trees(interest, overlay, each) for each in ("depth", "load"))
    ]
    assert children[0] == 220
    assert children[1] <= 40


@given(instances(), instances())
@settings(max_examples=150, deadline=None)
def test_preferred_trees_keep_every_link_that_is_still_there(one, other):
    """What changes is the least there is: earlier links that are gone, and as many as join the pieces left."""
    earlier = tw.deploy.trees(*one)
    interest, overlay = other
    found = tw.deploy.trees(interest, overlay, prefer=earlier)
    assert tw.deploy.check_trees(interest, overlay, edges_of(found)) == []
    links = {frozenset(pair) for pair in overlay.pairs()}
    for topic in set(interest.topics) & set(earlier.interest.topics):
        members = plain.members_of(interest, topic)
        left = {frozenset(pair) for pair in earlier.edges(topic) if set(pair) <= members} & links
        assert left <= {frozenset(pair) for pair in found.edges(topic)}


def test_preferred_trees_of_the_same_plan_are_the_same():
    interest = tw.workloads.synthetic(num_nodes=60, num_topics=30, subscriptions=8, seed=1)
    overlay = tw.design(interest, "low").overlay
    earlier = tw.deploy.trees(interest, overlay)
    again = tw.deploy.trees(interest, overlay, prefer=earlier)
    for topic in interest.topics:
        assert {frozenset(p) for p in earlier.edges(topic)} == {frozenset(p) for p in again.edges(topic)}


def test_filters_that_overlap_share_one_tree():
    interest = tw.Interest.from_pairs([("a", "x/#"), ("b", "x/#"), ("b", "x/1"), ("c", "x/1"), ("c", "y"), ("a", "y")])
    overlay = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("a", "c")])
    found = tw.deploy.trees(interest, overlay)
    assert found.edges("x/#") == found.edges("x/1")
    assert tw.deploy.check_trees(interest, overlay, edges_of(found)) == []


def test_filters_that_overlap_but_are_not_connected_are_refused_by_name():
    interest = tw.Interest.from_pairs([("a", "x/#"), ("b", "x/#"), ("c", "x/1"), ("d", "x/1")])
    overlay = tw.Overlay.from_pairs([("a", "b"), ("c", "d")])
    with pytest.raises(InfeasibleError, match="filters that overlap with 'x/#'"):
        tw.deploy.trees(interest, overlay)


def test_a_topic_in_pieces_is_refused_by_name():
    interest = tw.Interest.from_pairs([("a", "x"), ("b", "x"), ("c", "x")])
    with pytest.raises(InfeasibleError, match="topic 'x'"):
        tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b")], interest.nodes))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"objective": "deep"}, "There is no objective 'deep'"),
        ({"objective": "latency"}, "needs latency"),
        ({"latency": [1.0]}, "is for objective 'latency'"),
        ({"objective": "latency", "latency": {}}, "no number for the link 'a' - 'b'"),
        ({"objective": "latency", "latency": [-1.0]}, "0 or more"),
        ({"prefer": "earlier"}, "prefer needs Trees"),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(arguments, message):
    interest = tw.Interest.from_pairs([("a", "x"), ("b", "x")])
    with pytest.raises(InputError, match=message):
        tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b")]), **arguments)


@pytest.mark.compiled
def test_large_topics_stay_within_twice_the_radius():
    """2,100 members, more than all of which are tried, on a long ladder: SciPy gives radius and diameter."""
    rungs = 1050
    names = [f"n{v:05}" for v in range(2 * rungs)]
    steps = [(v, v + 2) for v in range(2 * rungs - 2)] + [(v, v + 1) for v in range(0, 2 * rungs, 2)]
    interest = tw.Interest.from_pairs([(name, "t") for name in names])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([(names[u], names[v]) for u, v in steps], names))
    number = interest.node_numbers
    tree = [(number[a], number[b]) for a, b in found.edges("t")]
    assert found.depth("t") <= 2 * farthest(steps).min()
    assert found.hops("t") == farthest(tree).max()


def farthest(links):
    """How far the farthest node is from each."""
    ends = np.array(links)
    size = ends.max() + 1
    graph = sparse.coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), (size, size)).tocsr()
    return csgraph.shortest_path(graph, directed=False, unweighted=True).max(axis=1)


def test_threads_do_not_change_the_trees(monkeypatch):
    import random

    import numba

    interest = tw.workloads.synthetic(num_nodes=80, num_topics=300, subscriptions=20, seed=2)
    overlay = spread_overlay(interest, random.Random(0))
    several = tw.deploy.trees(interest, overlay)
    monkeypatch.setattr(numba, "get_num_threads", lambda: 1)
    one = tw.deploy.trees(interest, overlay)
    for a, b in zip(several.arrays, one.arrays, strict=True):
        assert np.array_equal(a, b)
