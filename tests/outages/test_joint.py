"""What breaks if several nodes fail together, against sets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicweave as tw
from tests.reference_outages import broken_by
from tests.trees.conftest import instances
from topicweave.errors import InputError
from topicweave.outages import BrokenTopic, outage, region_outages, single_outages


@given(instances(), st.data())
@settings(max_examples=80, deadline=None)
def test_any_nodes_break_what_removing_them_breaks(instance, data):
    """Topics, pieces and numbers are those found by sets, and the nodes cut off are outside the pieces that go on."""
    interest, overlay = instance
    nodes = data.draw(st.sets(st.sampled_from(interest.nodes), min_size=1))
    found = outage(interest, overlay, nodes)
    assert {each.topic: (each.subscribers, each.pieces, each.cut_off) for each in found.broken} == broken_by(
        interest, overlay, nodes
    )
    assert found.nodes == tuple(sorted(nodes))
    assert found.num_topics == len({topic for node in nodes for topic in interest.topics_of(node)})
    assert [each.cut_off for each in found.broken] == sorted((each.cut_off for each in found.broken), reverse=True)
    others = {node for each in found.broken for node in interest.subscribers_of(each.topic)} - nodes
    assert set(found.cut_off_nodes) <= others
    assert bool(found.cut_off_nodes) == bool(found.broken)


@given(instances())
@settings(max_examples=40, deadline=None)
def test_one_node_breaks_what_the_search_of_all_single_failures_says(instance):
    """The two kernels, which search in different ways, agree on every node."""
    interest, overlay = instance
    single = single_outages(interest, overlay)
    for v, node in enumerate(interest.nodes):
        found = outage(interest, overlay, [node])
        assert (len(found.broken), found.cut_off) == (single.broken[v], single.cut_off[v])


def test_regions_are_ranked_by_what_their_failure_cuts_off():
    """Without eu the chain falls in two; us and asia are its ends, so that nobody is cut off without them."""
    interest = tw.Interest.from_pairs([(node, "news") for node in "abcdef"])
    chain = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f")])
    regions = {"a": "us", "b": "us", "c": "eu", "d": "eu", "e": "asia", "f": "asia", "z": "moon"}
    found = region_outages(interest, chain, regions)
    assert [(name, each.nodes, each.cut_off) for name, each in found] == [
        ("eu", ("c", "d"), 2), ("asia", ("e", "f"), 0), ("us", ("a", "b"), 0),
    ]  # fmt: skip
    assert found[0][1].broken == (BrokenTopic("news", 4, 2, 2),)
    assert found[0][1].to_dict()["cut_off_nodes"] in (("a", "b"), ("e", "f"))


def test_unknown_nodes_and_no_nodes_cannot_fail():
    """Each is refused in one sentence."""
    interest = tw.Interest.from_pairs([(node, "news") for node in "ab"])
    link = tw.Overlay.from_pairs([("a", "b")])
    with pytest.raises(InputError, match="no node 'z'"):
        outage(interest, link, ["z"])
    with pytest.raises(InputError, match="name at least one"):
        outage(interest, link, [])
    with pytest.raises(InputError, match="put it in a list"):
        outage(interest, link, "a")
