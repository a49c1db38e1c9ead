"""The links inside each topic, against sets and loops."""

from itertools import combinations

import numpy as np
import pytest

import topicweave as tw
from topicweave.kernels.topic_links import members_of, neighbours_within, places_in_topics, topic_links


@pytest.fixture(scope="module", params=range(3))
def given(request):
    """A random interest, some of whose members only publish, and random links, with common topics or not."""
    rng = np.random.default_rng(request.param)
    pairs = [(f"n{v:02}", f"t{t}") for v in range(12) for t in range(6) if rng.random() < 0.4]
    subscribed, published = pairs[::2] + pairs[1::4], pairs[3::4]
    interest = tw.Interest.from_pairs(subscribed, publishers=published)
    everybody = list(combinations(range(interest.num_nodes), 2))
    edges = np.array(everybody, dtype=np.int64)[rng.permutation(len(everybody))[:30]]
    return interest, edges, set(published)


def members(interest):
    """The nodes of each topic, in ascending order, whatever their role."""
    return [sorted(interest.node_numbers[label] for label in interest.subscribers_of(t)) for t in interest.topics]


def test_a_place_is_the_position_among_the_members(given):
    """Subscription by subscription, in the order of the nodes."""
    interest, *_ = given
    place = places_in_topics(interest.indices, interest.num_topics)
    of = members(interest)
    expected = [
        of[t].index(v)
        for v in range(interest.num_nodes)
        for t in interest.indices[interest.indptr[v] : interest.indptr[v + 1]].tolist()
    ]
    assert place.tolist() == expected


def test_each_topic_has_the_links_between_its_members(given):
    """Both ends by place, and the number of the link, in the order of the links."""
    interest, edges, _ = given
    start, one, other, link = topic_links(interest.indptr, interest.indices, interest.num_topics, edges)
    for t, names in enumerate(members(interest)):
        span = slice(start[t], start[t + 1])
        found = list(zip(one[span].tolist(), other[span].tolist(), link[span].tolist(), strict=True))
        assert found == [
            (names.index(u), names.index(v), e)
            for e, (u, v) in enumerate(edges.tolist())
            if u in names and v in names
        ]  # fmt: skip


def test_members_are_listed_with_whether_they_receive(given):
    """Who only publishes is a member that does not receive."""
    interest, _, published = given
    start, nodes, receives = members_of(interest.indptr, interest.indices, interest.receives, interest.num_topics)
    for t, names in enumerate(members(interest)):
        span = slice(start[t], start[t + 1])
        assert nodes[span].tolist() == names
        assert receives[span].tolist() == [(interest.nodes[v], interest.topics[t]) not in published for v in names]


def test_neighbours_are_those_of_networkx(given):
    """Each link stands at both of its ends, with its number within the topic."""
    nx = pytest.importorskip("networkx")
    interest, edges, _ = given
    starts, one, other, _ = topic_links(interest.indptr, interest.indices, interest.num_topics, edges)
    for t, names in enumerate(members(interest)):
        ends = one[starts[t] : starts[t + 1]], other[starts[t] : starts[t + 1]]
        start, near, by = neighbours_within(*ends, len(names))
        graph = nx.Graph(zip(*map(np.ndarray.tolist, ends), strict=True))
        for v in range(len(names)):
            span = slice(start[v], start[v + 1])
            assert sorted(near[span].tolist()) == sorted(graph.adj.get(v, ()))
            assert all({ends[0][k], ends[1][k]} == {v, w} for w, k in zip(near[span], by[span], strict=True))
