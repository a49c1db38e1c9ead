"""Trees of publications: those of the plan, around brokers that are down."""

import numpy as np
import pytest

from topicweave.content import Instance
from topicweave.content.protocol.trees import DirectTrees, PlannedTrees
from topicweave.content.routing import Routing


def links(source, branches):
    """The links of a tree as pairs of names."""
    for child, further in branches:
        yield source, child
        yield from links(child, further)


def instance(seed, num_brokers=6):
    """A user at every broker; only the first publishes, and some subscribe."""
    rng = np.random.default_rng(seed)
    core = rng.integers(1, 20, (num_brokers, num_brokers)).astype(float)
    core = np.triu(core, 1) + np.triu(core, 1).T
    wanted = rng.random((num_brokers, 1)) < 0.6
    names = [f"b{number}" for number in range(num_brokers)]
    publish = np.zeros((num_brokers, 1))
    publish[0] = 1
    return Instance(publish, wanted, np.ones((num_brokers, num_brokers)), core, np.inf, brokers=names)


@pytest.mark.parametrize("core", ["steiner", "multicast", "tree"])
@pytest.mark.parametrize("seed", range(6))
def test_they_are_those_of_the_plan(core, seed):
    """Link by link, relays included."""
    market = instance(seed)
    routing = Routing(market, np.arange(market.num_brokers), core)
    planned = {(market.brokers[one], market.brokers[other]) for one, other in routing.tree(0, 0).tolist()}
    targets = frozenset(market.brokers[number] for number in np.flatnonzero(market.subscribe[:, 0]))
    trees = PlannedTrees(market.brokers, market.core_price, core, routing.links)
    assert set(links("b0", trees.branches("b0", targets))) == planned


def test_a_relay_that_is_down_is_avoided_and_a_target_that_is_down_has_a_link_of_its_own():
    """Three brokers at distance 2 from each other, and a fourth at distance 1 from each."""
    core = np.full((4, 4), 2.0)
    core[3] = core[:, 3] = 1
    trees = PlannedTrees("abcd", core)
    assert set(links("a", trees.branches("a", frozenset("bc")))) == {("a", "d"), ("d", "b"), ("d", "c")}
    around = trees.branches("a", frozenset("bc"), {"d"})
    assert len(list(links("a", around))) == 2 and "d" not in str(around)
    assert trees.branches("a", frozenset("bc"), {"b"}) == (("c", ()), ("b", ()))


def test_brokers_that_the_plan_does_not_know_are_sent_to_directly():
    """As are all brokers if the source is one of these, or if the others are not connected without those avoided."""
    trees = PlannedTrees("abc", [[0, 1, np.inf], [1, 0, 1], [np.inf, 1, 0]])
    assert set(links("a", trees.branches("a", frozenset("cz")))) == {("a", "b"), ("b", "c"), ("a", "z")}
    assert (
        trees.branches("z", frozenset("ab")) == DirectTrees().branches("z", frozenset("ab")) == (("a", ()), ("b", ()))
    )
    assert trees.branches("a", frozenset("c"), {"b"}) == (("c", ()),)
