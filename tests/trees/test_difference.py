"""What changes between trees, and the directions of links."""

from hypothesis import given, settings

import topicweave as tw
from tests import reference_trees as plain
from tests.trees.conftest import instances
from topicweave.trees.difference import carried


def test_a_leaf_that_only_publishes_sends_and_never_receives():
    interest = tw.Interest.from_pairs([("a", "x"), ("b", "x")], publishers=[("c", "x"), ("b", "x")])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]))
    assert carried(found) == {("x", ("a", "b")): "both", ("x", ("b", "c")): "backward"}


def test_changes_list_what_ceases_before_what_begins():
    before = {("x", ("a", "b")): "both", ("x", ("b", "c")): "both"}
    after = {("x", ("a", "b")): "both", ("x", ("a", "c")): "forward"}
    changes = tw.deploy.tree_changes(before, after)
    assert changes == (
        tw.deploy.TreeChange("x", ("b", "c"), "both", False),
        tw.deploy.TreeChange("x", ("a", "c"), "forward", True),
    )


@given(instances())
@settings(max_examples=150, deadline=None)
def test_messages_pass_a_link_only_towards_those_who_receive_them(instance):
    """With each link taken out of its tree, both sides are looked at: who receives there?"""
    interest, overlay = instance
    found = tw.deploy.trees(interest, overlay)
    expected = {}
    for topic in interest.topics:
        receivers, edges = plain.receivers_of(interest, topic), {tuple(sorted(pair)) for pair in found.edges(topic)}
        for link in edges:
            wanted = [bool(receivers & reached_from(end, edges - {link})) for end in link]
            if any(wanted):
                expected[topic, link] = "both" if all(wanted) else "forward" if wanted[1] else "backward"
    assert carried(found) == expected


def reached_from(start, edges):
    seen, waiting = set(), [start]
    while waiting:
        node = waiting.pop()
        seen.add(node)
        waiting += [other for link in edges if node in link for other in link if other not in seen]
    return seen


def test_a_topic_that_nobody_subscribes_to_is_not_carried_until_somebody_does():
    """Publishers alone send to nobody; the first subscriber gets their messages, and then nobody is told twice."""
    interest = tw.Interest.from_pairs([("a", "x")], publishers=[("b", "z"), ("c", "z"), ("d", "z")])
    chain = tw.Overlay.from_pairs([("b", "c"), ("c", "d")], interest.nodes)
    found = tw.deploy.trees(interest, chain)
    assert carried(found) == {}
    assert found.relays == []
    maintainer = tw.churn.Shadow(interest, chain, seed=0)
    maintainer.follow_trees(found)
    change = maintainer.apply([tw.churn.Event("subscribe", "d", {"z"})])
    assert {(each.link, each.direction, each.is_added) for each in change.trees} == {
        (("b", "c"), "forward", True), (("c", "d"), "forward", True),
    }  # fmt: skip
    assert maintainer.trees.relays == [("c", "z")]
    change = maintainer.apply([tw.churn.Event("unsubscribe", "d", {"z"}), tw.churn.Event("subscribe", "d", {"y"}),
                               tw.churn.Event("subscribe", "d", {"z"}, role="publish")])  # fmt: skip
    assert not any(each.is_added for each in change.trees)
    assert carried(maintainer.trees) == {}
