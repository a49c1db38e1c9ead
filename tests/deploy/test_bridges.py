"""Which topics pass which bridges."""

import pytest

import topicweave as tw
from tests.deploy.conftest import inventory_of, random_plan
from topicweave.deploy.bridges import Bridge, Deployment, Route, deployment, retiring
from topicweave.errors import InputError


def chain(*topics):
    interest = tw.Interest.from_pairs([(node, topic) for node in "abc" for topic in topics])
    return tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]))


@pytest.mark.parametrize("seed", range(30))
def test_every_link_of_every_tree_is_written_once(seed):
    found = random_plan(seed)
    bridges = deployment(found, inventory_of(found.interest.nodes), prefixes=False).bridges
    written = {(route.pattern, link) for link, bridge in bridges.items() for route in bridge.routes}
    expected = {(t, tuple(sorted(pair))) for t in found.interest.topics for pair in found.edges(t)}
    assert written == expected
    assert all(bridge.owner == max(link) for link, bridge in bridges.items())


def test_topics_below_a_prefix_with_one_tree_are_one_filter():
    bridges = deployment(chain("plant/7/a", "plant/7/b", "other"), inventory_of("abc")).bridges
    assert [route.pattern for route in bridges["a", "b"].routes] == ["other", "plant/7/#"]


def test_a_prefix_is_never_written_where_two_trees_would_overlap():
    """``p/x`` and ``p/y`` have different trees, so neither may be ``p/#``."""
    interest = tw.Interest.from_pairs([(n, "p/x") for n in "abc"] + [(n, "p/y") for n in "ab"])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]))
    patterns = {r.pattern for b in deployment(found, inventory_of("abc")).bridges.values() for r in b.routes}
    assert patterns == {"p/x", "p/y"}
    crossed = {
        r.pattern
        for b in deployment(chain("p/x", "p/y", "+/x"), inventory_of("abc")).bridges.values()
        for r in b.routes
    }
    assert crossed == {"+/x", "p/#"}  # they overlap, on one and the same tree


def test_who_only_publishes_sends_and_never_receives():
    interest = tw.Interest.from_pairs([("a", "x"), ("b", "x")], publishers=[("c", "x")])
    found = deployment(tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")])), inventory_of("abc"))
    assert found.bridges["b", "c"] == Bridge("c", "b", (Route("x", "out"),))
    assert found.local["c"] == (Route("x", "in"),)
    nobody = tw.Interest.from_pairs([("a", "x")], publishers=[("b", "z"), ("c", "z")])
    unheard = tw.deploy.trees(nobody, tw.Overlay.from_pairs([("b", "c")], nobody.nodes))
    assert deployment(unheard, inventory_of("abc")) == Deployment({}, {})
    assert found.local["a"] == (Route("x", "both"),)


@pytest.mark.parametrize("topic", ["a/#/b", "a#", "with blank", "$SYS/x"])
def test_topics_that_cannot_be_bridged_are_refused_by_name(topic):
    with pytest.raises(InputError, match="cannot be bridged"):
        deployment(chain(topic), inventory_of("abc"))


def test_sessions_are_told_what_they_must_forget():
    before = Deployment(
        {("a", "b"): Bridge("b", "a", (Route("x"), Route("y"))), ("a", "c"): Bridge("c", "a", (Route("x"),))},
        {"a": (), "b": (), "c": ()},
    )
    after = Deployment({("a", "b"): Bridge("b", "a", (Route("y"),))}, {"a": (), "b": (), "c": ()})
    found = retiring(before, after).bridges
    assert found["a", "b"] == Bridge("b", "a", (Route("y"),), ("x",))
    assert found["a", "c"] == Bridge("c", "a", (), ("x",))
