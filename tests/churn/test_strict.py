"""Requirements under churn: met after every event, or reported as impossible; and no failure interrupts a topic."""

import random

import networkx
import numpy as np
import pytest

import topicweave as tw
from topicweave.churn import Event, Strict, load, save
from topicweave.errors import InputError, ParameterError

TOPICS = [f"t{t:02}" for t in range(12)]


def events(rng, present, count, joins=0.5):
    """Joins, leaves and changes of topics of nodes that are called n000, n001, ..."""
    present, newest = dict(present), len(present)
    for _ in range(count):
        dice = rng.random()
        if dice < joins or len(present) < 8:
            node, newest = f"n{newest:03}", newest + 1
            present[node] = set(rng.sample(TOPICS, rng.randint(1, 4)))
            yield Event("join", node, present[node])
        elif dice < joins + 0.35:
            node = rng.choice(sorted(present))
            del present[node]
            yield Event("leave", node)
        else:
            node = rng.choice(sorted(present))
            present[node] = set(rng.sample(TOPICS, rng.randint(1, 4)))
            yield Event("resubscribe", node, present[node])


def some_interest(rng, num_nodes=24):
    """Nodes of up to four topics each."""
    return tw.Interest.from_sets({f"n{v:03}": rng.sample(TOPICS, rng.randint(1, 4)) for v in range(num_nodes)})


def interrupted(interest, overlay, node):
    """The topics whose remaining subscribers no longer reach each other when a node dies, by networkx."""
    graph = overlay.to_networkx()
    graph.remove_node(node)
    parts = ((t, graph.subgraph(interest.subscribers_of(t) - {node})) for t in interest.topics_of(node))
    return [topic for topic, part in parts if len(part) and not networkx.is_connected(part)]


REGIONS = {f"n{v:03}": "eu" if v % 3 else "us" for v in range(0, 400)}
CASES = {
    "connectivity": tw.Requirements(connectivity=2),
    "hops": tw.Requirements(max_hops=4),
    "three": tw.Requirements(connectivity=3, max_hops=3),
    "limits": tw.Requirements(max_degree=9, forbidden=[("n000", "n001")], required=[("n002", "n003")]),
    "regions": tw.Requirements(forbidden=[("n001", "us")], regions=REGIONS, max_degree={"n005": 5}, connectivity=2),
    "costs": tw.Requirements(link_cost={n: (float(v % 7), float(v % 5)) for v, n in enumerate(REGIONS)}, max_hops=6),
}


@pytest.mark.parametrize("case", CASES)
def test_requirements_are_true_after_every_event_or_said_to_be_violated(case):
    """The independent verifier agrees with every change: it finds nothing, or just what the change says."""
    rng = random.Random(case)
    requirements = CASES[case]
    interest = some_interest(rng)
    # the requirements on regions cannot be met at the beginning, by whatever overlay
    overlay = tw.design(interest, "gm").overlay if case == "regions" else None
    strict = Strict(interest, overlay, requirements=requirements, seed=1)
    links = set(strict.overlay.pairs())
    num_violated = 0
    for event in events(rng, interest.to_sets(), 60):
        change = strict.apply([event])
        links = (links - set(change.removed)) | set(change.added)
        assert links == set(strict.overlay.pairs())
        report = tw.verify(strict.interest, strict.overlay, requirements)
        assert report.topic_connected
        assert report.violations == change.violations
        num_violated += bool(change.violations)
    assert num_violated <= (60 if case == "regions" else 6)


def test_no_death_interrupts_a_topic():
    """With connectivity 2, the overlay is examined after every leave but before its repair: the others still reach each
    other.
    """
    num_leaves = deaths_without_interruption(random.Random(5), 24, 150)
    assert num_leaves > 30


@pytest.mark.slow
def test_no_death_interrupts_a_topic_in_ten_thousand_events():
    """The same over ten thousand events, with sixty nodes."""
    assert deaths_without_interruption(random.Random(6), 60, 10_000, joins=0.4) > 3000


def deaths_without_interruption(rng, num_nodes, count, joins=0.5):
    interest = some_interest(rng, num_nodes)
    strict = Strict(interest, requirements=tw.Requirements(connectivity=2))
    num_leaves = 0
    for event in events(rng, interest.to_sets(), count, joins):
        if event.action == "leave":
            num_leaves += 1
            assert interrupted(strict.interest, strict.overlay, event.node) == []
        change = strict.apply([event])
        assert change.violations == ()
    assert tw.verify(strict.interest, strict.overlay, strict.requirements).satisfied
    return num_leaves


def test_a_node_without_room_for_links_makes_it_impossible_until_it_leaves():
    """The change names it, and the proof; the topic stays connected; with the node the violation goes."""
    interest = tw.Interest.from_pairs([(node, "x") for node in "abc"])
    strict = Strict(interest, requirements=tw.Requirements(max_degree={"z": 0}, connectivity=2))
    change = strict.join("z", ["x"])
    assert {v.requirement for v in change.violations} == {"max_degree", "connectivity"}
    assert "The max_degree of node 'z' is 0" in change.proof
    assert tw.verify(strict.interest, strict.overlay).topic_connected
    assert strict.join("d", ["x"]).violations
    change = strict.leave("z")
    assert (change.violations, change.proof) == ((), "")
    assert strict.num_redesigns >= 1


def test_forbidden_links_are_used_only_to_keep_a_topic_connected():
    """Two regions that may not be linked share a topic once somebody joins; a third region between them ends it."""
    regions = {"a": "eu", "b": "us", "c": "asia"}
    requirements = tw.Requirements(forbidden=[("eu", "us")], regions=regions)
    strict = Strict(tw.Interest.from_sets({"a": ["x"], "b": ["y"]}), requirements=requirements)
    change = strict.resubscribe("b", ["x"])
    assert [v.nodes for v in change.violations] == [("a", "b")]
    change = strict.join("c", ["x"])
    assert (change.removed, set(change.added), change.violations) == ((("a", "b"),), {("a", "c"), ("b", "c")}, ())


def test_a_snapshot_keeps_requirements_and_what_is_violated(tmp_path):
    """A maintainer that was saved and loaded continues exactly like the original."""
    rng = random.Random(9)
    interest = some_interest(rng)
    strict = Strict(interest, tw.design(interest, "gm").overlay, requirements=CASES["regions"])
    trace = list(events(rng, interest.to_sets(), 40))
    for event in trace[:20]:
        strict.apply([event])
    save(strict, tmp_path / "snapshot")
    revived = load(tmp_path / "snapshot")
    assert revived.requirements == strict.requirements
    assert [revived.apply([event]) for event in trace[20:]] == [strict.apply([event]) for event in trace[20:]]
    costs = Strict(interest, requirements=CASES["costs"])
    save(costs, tmp_path / "costs")
    assert load(tmp_path / "costs").requirements == CASES["costs"]


def test_mistakes_are_refused_before_anything_changes():
    """A newcomer whose links have no cost, a trim that cannot handle requirements, and arguments of the wrong kind."""
    interest = tw.Interest.from_pairs([(node, "x") for node in "ab"])
    strict = Strict(interest, requirements=tw.Requirements(link_cost=np.array([[0.0, 1.0], [1.0, 0.0]])))
    assert strict.requirements.link_cost.names == ("a", "b")
    with pytest.raises(InputError, match="no cost for node 'z'"):
        strict.join("z", ["x"])
    assert strict.num_nodes == 2
    with pytest.raises(ParameterError, match="trim"):
        Strict(interest, requirements=tw.Requirements(max_hops=2), trim=True)
    with pytest.raises(InputError, match="requirements= needs"):
        Strict(interest, requirements={"max_hops": 2})


def test_an_overlay_that_violates_requirements_is_put_right_by_the_first_event_that_can():
    """A chain that should survive failures: the first join closes it to a ring."""
    interest = tw.Interest.from_pairs([(node, "x") for node in "abcd"])
    chain = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d")], interest.nodes)
    strict = Strict(interest, chain, requirements=tw.Requirements(connectivity=2))
    assert strict.violations()
    assert strict.join("e", ["x"]).violations == ()
