"""Every requirement, violated and kept, on overlays small enough to see why."""

from itertools import pairwise

import pytest

import topicweave as tw
from topicweave import Interest, Overlay, Requirements, verify
from topicweave.errors import InputError

RING = Interest.from_sets({node: ["t"] for node in "abcdef"})


def chain(interest=RING):
    """All nodes in a row."""
    nodes = interest.nodes
    return Overlay.from_pairs(list(pairwise(nodes)), labels=nodes)


@pytest.mark.parametrize(
    ("requirements", "sentences"),
    [
        ({}, []),
        ({"max_hops": 5, "max_degree": 2, "forbidden": [("a", "c")], "required": [("a", "b")]}, []),
        ({"max_hops": 4}, ["topic 't' is 5 hops across, more than the 4 allowed"]),
        ({"connectivity": 2}, ["topic 't' is cut when 'b' fails"]),
        ({"max_degree": {"b": 1, "x": 0}}, ["node 'b' has 2 links, more than the 1 allowed"]),
        ({"forbidden": [("b", "a"), ("a", "c")]}, ["the link 'a' - 'b' is forbidden"]),
        ({"required": [("a", "f"), ("a", "gone")]}, ["the link 'a' - 'f' is missing"]),
        (
            {"allowed": [("eu", "eu"), ("d", "us"), ("e", "f")], "regions": dict.fromkeys("abc", "eu") | {"e": "us"}},
            ["the link 'c' - 'd' is not among those allowed"],
        ),
        ({"forbidden": [("eu", "us")], "regions": {"a": "eu", "b": "us"}}, ["the link 'a' - 'b' is forbidden"]),
    ],
    ids=str,
)
def test_a_chain_of_six(requirements, sentences):
    """Each violation is one sentence that names the topic, the nodes and the limit."""
    report = verify(RING, chain(), Requirements(**requirements))
    assert [str(violation) for violation in report.violations] == sentences
    assert report.satisfied == (not sentences) and report.topic_connected
    assert all(sentence in report.summary() for sentence in sentences)


def test_topics_in_pieces_violate_hops_and_connectivity():
    """The distance is infinite, and no failure is needed to cut the topic."""
    report = verify(RING, Overlay.empty(RING.nodes), Requirements(max_hops=2, connectivity=2))
    assert [str(violation) for violation in report.violations] == [
        "topic 't' is disconnected, more than the 2 allowed",
        "topic 't' is disconnected",
    ]
    assert not report.satisfied


def test_small_topics_need_every_link():
    """With connectivity 3, three subscribers are linked to each other."""
    three = Interest.from_sets({node: ["t"] for node in "abc"})
    report = verify(three, chain(three), Requirements(connectivity=3))
    assert [str(one) for one in report.violations] == ["topic 't' has so few subscribers that 'a' - 'c' must be linked"]


def test_costs_are_added_up():
    """Without costs there is no sum."""
    costs = Requirements(link_cost={node: (position,) for position, node in enumerate("abcdef")})
    report = verify(RING, chain(), costs)
    assert report.satisfied and report.cost == 5 and "link costs    5.0" in report.summary()
    assert verify(RING, chain()).cost is None


def test_other_objects_are_refused():
    """With an error that says what to give."""
    with pytest.raises(InputError, match="verify\\(\\) needs Requirements, but got a dict"):
        tw.verify(RING, chain(), {"max_hops": 3})
