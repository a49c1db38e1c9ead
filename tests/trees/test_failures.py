"""What to do when one broker fails."""

import json

import pytest
from hypothesis import given, settings

import topicweave as tw
from tests import reference_trees as plain
from tests.trees.conftest import instances
from topicweave.trees.failures import standby_facts


def test_a_ring_survives_each_failure_and_a_chain_is_cut():
    interest = tw.Interest.from_pairs([(node, "x") for node in "abcd"])
    ring = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    found = tw.deploy.trees(interest, ring)
    by_node = {failure.node: failure for failure in tw.deploy.failures(found)}
    assert all(not failure.cut_topics for failure in by_node.values())
    assert by_node["a"].changes == (tw.deploy.TreeChange("x", ("c", "d"), "both", True),)
    chain = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d")]))
    assert [failure.cut_topics for failure in tw.deploy.failures(chain, ["b", "d"])] == [("x",), ()]


@given(instances())
@settings(max_examples=60, deadline=None)
def test_after_each_failure_the_changed_trees_reach_everybody_that_is_still_connected(instance):
    """The changes are applied to the pairs by hand, and judged by the checker that knows only sets."""
    interest, overlay = instance
    found = tw.deploy.trees(interest, overlay)
    for failure in tw.deploy.failures(found):
        members = {t: plain.members_of(interest, t) - {failure.node} for t in interest.topics}
        near = {t: plain.neighbours(overlay, members[t]) for t in interest.topics}
        cut = {t for t in interest.topics if members[t] and not plain.connects(near[t], members[t], members[t])}
        assert {t for t in failure.cut_topics} == cut
        now = {t: {tuple(sorted(p)) for p in found.edges(t) if failure.node not in p} for t in interest.topics}
        for change in failure.changes:
            (now[change.topic].add if change.is_added else now[change.topic].discard)(change.link)
        # a topic to which nobody subscribes is not carried
        heard = {topic for topic in members if plain.receivers_of(interest, topic) - {failure.node}}
        for topic in heard - cut:
            assert {node for link in now[topic] for node in link} <= members[topic]
            assert now[topic] <= {tuple(sorted(pair)) for pair in overlay.pairs()}
            assert len(now[topic]) == max(len(members[topic]) - 1, 0)
            reached = {node: {n for link in now[topic] if node in link for n in link} for node in members[topic]}
            assert not members[topic] or plain.connects(reached, members[topic], members[topic])


def test_an_idle_link_stands_in_for_those_without_whom_it_is_needed():
    """On a ring of four the fourth link is used when either of the two between its ends is gone, and no other time."""
    interest = tw.Interest.from_pairs([(node, "x") for node in "abcd"] + [("a", "y"), ("b", "y")])
    ring = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    found = tw.deploy.trees(interest, ring)
    (idle,) = tw.deploy.standby(found)
    assert idle == tw.deploy.Standby(("c", "d"), ("a", "b"), ("x",), (("a", "b"), ("a", "d"), ("b", "c")))
    assert tw.deploy.standby(found, ["c"], []) == [tw.deploy.Standby(("c", "d"), (), ())]
    assert tw.deploy.standby(found, [], [("b", "a")]) == [tw.deploy.Standby(("c", "d"), (), ("x",), (("a", "b"),))]


def test_filters_that_share_a_tree_fail_together():
    """Without b the filters x/# and x/1 are connected each, but no more with each other."""
    interest = tw.Interest.from_pairs([("a", "x/#"), ("b", "x/#"), ("b", "x/1"), ("c", "x/1")])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]))
    (failure,) = tw.deploy.failures(found, ["b"])
    assert failure == tw.deploy.Failure("b", (), ("x/#",))
    with pytest.raises(tw.errors.InputError, match="no node 'z'"):
        next(tw.deploy.failures(found, ["z"]))


@given(instances())
@settings(max_examples=60, deadline=None)
def test_after_each_failure_of_a_link_the_changed_trees_reach_every_member_that_is_still_connected(instance):
    """As for nodes: applied by hand, and judged by sets; other links of the trees stay."""
    interest, overlay = instance
    found = tw.deploy.trees(interest, overlay)
    links = {tuple(sorted(pair)) for pair in overlay.pairs()}
    seen = []
    for failure in tw.deploy.link_failures(found):
        seen.append(failure.link)
        left = tw.Overlay.from_pairs(sorted(links - {failure.link}), interest.nodes)
        for topic in interest.topics:
            tree = {tuple(sorted(pair)) for pair in found.edges(topic)}
            changes = [change for change in failure.changes if change.topic == topic]
            members = plain.members_of(interest, topic)
            if failure.link not in tree:
                assert not changes and topic not in failure.cut_topics
                continue
            is_connected = plain.connects(plain.neighbours(left, members), members, members)
            assert (topic in failure.cut_topics) == (not is_connected)
            if is_connected and interest.receives.all():
                assert not any(not change.is_added for change in changes)
                now = (tree - {failure.link}) | {change.link for change in changes}
                assert len(now) == len(members) - 1 and now <= links
                reached = {node: {n for link in now if node in link for n in link} for node in members}
                assert plain.connects(reached, members, members)
    assert sorted(seen) == sorted(links - {tuple(sorted(pair)) for pair in found.unused})


def test_links_that_the_overlay_does_not_have_cannot_fail():
    """Nor can what is not a link."""
    interest = tw.Interest.from_pairs([(node, "x") for node in "abc"])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]))
    assert [each.cut_topics for each in tw.deploy.link_failures(found, [("c", "b")])] == [("x",)]
    with pytest.raises(tw.errors.InputError, match="has no link 'a' - 'c'"):
        next(tw.deploy.link_failures(found, [("a", "c")]))
    with pytest.raises(tw.errors.InputError, match="A link is a pair of two nodes"):
        next(tw.deploy.link_failures(found, ["ab"]))


def test_the_facts_for_a_file_say_what_standby_and_failures_say():
    """A ring: whatever fails, the idle link closes the gap; JSON keeps all of it."""
    interest = tw.Interest.from_pairs([(node, "x") for node in "abcd"])
    ring = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    found = tw.deploy.trees(interest, ring)
    (idle,) = found.unused
    facts = json.loads(json.dumps(standby_facts(found)))
    (spare,) = facts["links"]
    inner = sorted(node for node in "abcd" if node not in idle)
    used = sorted(tuple(sorted(pair)) for pair in found.edges("x"))
    assert (spare["link"], spare["topics"]) == (list(idle), ["x"])
    assert (spare["stands_in_for"], [tuple(link) for link in spare["stands_in_for_links"]]) == (inner, used)
    assert [each["node"] for each in facts["failures"] if "node" in each] == inner
    assert sorted(tuple(each["link"]) for each in facts["failures"] if "link" in each) == used
    assert all(
        each["changes"] == [{"topic": "x", "link": list(idle), "direction": "both", "is_added": True}]
        for each in facts["failures"]
    )
