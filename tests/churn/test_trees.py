"""Trees that follow an overlay under churn."""

import random
from collections import defaultdict

import pytest

import topicweave as tw
from tests import reference_trees as plain
from tests.deploy.conftest import example
from topicweave.churn import Event
from topicweave.churn.roles import Membership
from topicweave.errors import InputError, OverlayError
from topicweave.trees.difference import carried


def random_role_event(rng, maintainer, names, topics):
    """A valid event: a node joins, leaves, or starts or stops subscribing to or publishing topics."""
    node, some = rng.choice(names), rng.sample(topics, rng.randint(1, 3))
    role = rng.choice(["subscribe", "publish", "both"])
    if maintainer.topics_of(node) is None:
        return Event("join", node, some, role=role)
    return Event(rng.choice(["leave", "subscribe", "unsubscribe", "resubscribe", "subscribe"]), node, some, role=role)


def edges_of(found):
    return {topic: found.edges(topic) for topic in found.interest.topics}


def links_by_topic(found):
    return {topic: {frozenset(pair) for pair in found.edges(topic)} for topic in found.interest.topics}


def random_event(maintainer, rng, sets):
    """(what happened, the change, the topics whose members changed)."""
    here = maintainer.interest.nodes
    kind = rng.choice(["join", "leave", "subscribe"])
    if kind == "subscribe":
        node, topic = rng.choice(here), rng.choice(maintainer.interest.topics)
        had = maintainer.topics_of(node)
        wanted = had ^ {topic} or had
        return kind, maintainer.resubscribe(node, wanted), had ^ wanted
    if len(here) > 56 and (kind == "leave" or len(here) > 64):
        node = rng.choice(here)
        touched = maintainer.topics_of(node)
        return "leave", maintainer.leave(node), touched
    node = rng.choice(sorted(sets.keys() - set(here)))
    return "join", maintainer.join(node, sets[node]), sets[node]


def replay(num_events, judge_every, *, seed=5, trim=True):
    """Files that change per event, by kind: those of the brokers that are there afterwards."""
    rng = random.Random(seed)
    sets = example(308).to_sets()
    interest = tw.Interest.from_sets({node: sets[node] for node in rng.sample(sorted(sets), 60)})
    maintainer = tw.churn.Shadow(interest, seed=0, trim=trim)
    maintainer.follow_trees()
    files = defaultdict(list)
    before = links_by_topic(maintainer.trees)
    for number in range(num_events):
        kind, change, touched = random_event(maintainer, rng, sets)
        there = set(maintainer.interest.nodes)
        files[kind].append(len({max(each.link) for each in change.trees} & there))
        if number % judge_every == 0:
            found = maintainer.trees
            assert tw.deploy.check_trees(maintainer.interest, maintainer.overlay, edges_of(found)) == []
        if judge_every == 1:
            after = links_by_topic(found)
            gone = {frozenset(pair) for pair in change.removed}
            for topic, links in before.items():
                if topic not in touched and not links & gone:
                    assert after[topic] == links, "the tree of a topic that the event does not touch has changed"
            told = {(each.topic, frozenset(each.link), each.is_added) for each in change.trees}
            expected = {(t, link, True) for t in after for link in after[t] - before.get(t, set())}
            expected |= {(t, link, False) for t in before for link in before[t] - after.get(t, set())}
            assert told == expected
            before = after
    return files


@pytest.mark.parametrize("trim", [False, True])
def test_trees_change_only_where_they_must_and_every_change_says_how(trim):
    """Trees of topics that keep their members and links stay as they are, and changes list what differs."""
    replay(60, judge_every=1, trim=trim)


def test_few_files_change_per_event():
    """60 brokers with trim, three traces of 1,000 events: on average at most 4 files for a leave, else 3."""
    files = defaultdict(list)
    for seed in (5, 6, 7):
        for kind, numbers in replay(1000, judge_every=100, seed=seed).items():
            files[kind] += numbers
    mean = {kind: sum(numbers) / len(numbers) for kind, numbers in files.items()}
    assert mean["leave"] <= 4, mean
    assert mean["join"] <= 3, mean
    assert mean["subscribe"] <= 3, mean


def test_a_drain_changes_trees_with_its_second_step():
    interest = tw.Interest.from_pairs([(node, "x") for node in "abc"])
    maintainer = tw.churn.Shadow(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]), seed=0)
    maintainer.follow_trees()
    first, second = maintainer.drain("b")
    assert first.trees == ()
    assert [(each.link, each.is_added) for each in second.trees] == [
        (("a", "b"), False), (("b", "c"), False), (("a", "c"), True),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", [tw.churn.Shadow, tw.churn.Naive])
def test_trees_follow_publishers(kind, seed):
    """The reported changes add up to what is carried, including directions; a new publisher is a leaf if possible."""
    rng = random.Random(seed)
    names, topics = [f"n{v}" for v in range(9)], [f"t{t}" for t in range(4)]
    maintainer = kind(tw.Interest.from_sets({name: {rng.choice(topics)} for name in names[:5]}), seed=seed)
    maintainer.follow_trees()
    present = carried(maintainer.trees)
    for _ in range(60):
        event = random_role_event(rng, maintainer, names, topics)
        before = maintainer.trees
        change = maintainer.apply([event])
        for each in change.trees:
            if not each.is_added:
                assert present.pop((each.topic, each.link)) == each.direction
        present.update({(each.topic, each.link): each.direction for each in change.trees if each.is_added})
        found = maintainer.trees
        assert carried(found) == present
        assert tw.deploy.check_trees(maintainer.interest, maintainer.overlay, edges_of(found)) == []
        relayed_before = set(before.relays)
        for node, topic in set(found.relays) - relayed_before:
            receivers = plain.receivers_of(maintainer.interest, topic)
            near = plain.neighbours(maintainer.overlay, plain.members_of(maintainer.interest, topic))
            others = {n for n, t in found.relays if t == topic} - {node}
            kept = topic in before.interest.topics and node in plain.members_of(before.interest, topic)
            assert kept or not plain.connects(near, receivers | others | {node}, receivers | others)


def test_publishers_come_and_go_as_in_an_interest_made_of_the_same_pairs():
    interest = tw.Interest.from_pairs([("a", "x"), ("b", "x")], publishers=[("c", "x"), ("a", "x")])
    maintainer = tw.churn.Shadow(interest, seed=0)
    assert maintainer.interest == interest
    maintainer.join("d", {"x", "y"}, "publish")
    maintainer.apply([Event("unsubscribe", "a", {"x"})])
    maintainer.leave("c")
    assert maintainer.interest == tw.Interest.from_pairs([("b", "x")], publishers=[("a", "x"), ("d", "x"), ("d", "y")])
    assert maintainer.membership_of("a") == Membership(frozenset(), frozenset({"x"}))
    maintainer.apply([Event("unsubscribe", "a", {"x"}, role="publish"), Event("subscribe", "d", {"x", "y"})])
    maintainer.resubscribe("b", {"y"}, "both")
    assert maintainer.interest.publishers_of("y") == {"b", "d"}
    assert maintainer.interest.receives.tolist() == [True, True, True]


def test_nothing_is_said_unless_trees_are_followed():
    interest = tw.Interest.from_pairs([(node, "x") for node in "abc"])
    maintainer = tw.churn.Shadow(interest, seed=0)
    assert maintainer.join("d", {"x"}).trees == ()
    assert maintainer.trees is None


def test_trees_of_another_overlay_and_of_filters_are_refused():
    interest = tw.Interest.from_pairs([(node, "x") for node in "abc"])
    maintainer = tw.churn.Shadow(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]), seed=0)
    other = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("a", "c")]))
    with pytest.raises(OverlayError, match="not those of the present overlay"):
        maintainer.follow_trees(other)
    wild = tw.churn.Shadow(tw.Interest.from_pairs([("a", "x/#"), ("b", "x/#")]), seed=0)
    with pytest.raises(InputError, match="is a filter"):
        wild.follow_trees()
