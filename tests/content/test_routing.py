"""Routing trees and broker links against the cost."""

import numpy as np
import pytest

from tests.content.cases import broken, dyadic, smooth
from topicweave.content import CORES, Routing, broker_links, cost
from topicweave.errors import InputError, ParameterError


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(20))
def test_routing_trees_are_trees_of_real_links_and_add_up_to_the_cost(seed, core):
    """From the broker to all brokers with a subscriber, and to no others without need."""
    instance = broken(seed, 8, 6, 4) if seed % 2 else smooth(seed, 8, 5, 4)
    rng = np.random.default_rng(seed)
    broker = np.array([rng.choice(np.flatnonzero(row)) for row in np.isfinite(instance.access_price)])
    routing = Routing(instance, broker, core)
    total = 0.0
    for j, c in np.argwhere(routing.published > 0).tolist():
        links = routing.tree(j, c)
        reached = {j}
        for parent, child in links.tolist():
            assert parent in reached and child not in reached
            assert np.isfinite(instance.core_price[parent, child]) and parent != child
            reached.add(child)
        total += routing.published[j, c] * instance.core_price[links[:, 0], links[:, 1]].sum()
        wanting = {int(b) for i, b in enumerate(broker) if instance.subscribe[i, c]}
        assert wanting <= reached
        assert {child for _, child in links.tolist()} - {parent for parent, _ in links.tolist()} <= wanting
    found = cost(instance, broker, core)
    if core == "multicast":  # paths that share a link are paid for apart, but cross it together
        assert total <= found.core * (1 + 1e-12)
    else:
        assert total == pytest.approx(found.core)
        price = np.where(np.isfinite(instance.core_price), instance.core_price, 0)
        assert (found.link_traffic * price).sum() / 2 == pytest.approx(total)
    labels = list(routing.trees())
    assert len(labels) == np.count_nonzero(routing.published)


@pytest.mark.parametrize("seed", range(5))
def test_what_approximate_trees_carry_costs_no_more_than_they_say(seed):
    """Paths of an approximate tree may share a link, which is paid for twice and crossed once."""
    instance = smooth(seed, 24, 30, 3)
    broker = np.arange(24) + seed
    routing = Routing(instance, broker)
    total = 0.0
    for j, c in np.argwhere(routing.published > 0).tolist():
        links = routing.tree(j, c)
        total += routing.published[j, c] * instance.core_price[links[:, 0], links[:, 1]].sum()
    found = cost(instance, broker)
    assert found.core_least < found.core  # some trees were approximated
    assert total <= found.core * (1 + 1e-12)


def test_links_are_an_overlay_with_the_busiest_first():
    instance = smooth(3, 8, 4, 4)
    found = cost(instance, np.arange(8) % 4)
    overlay = broker_links(instance, found)
    carried = [found.link_traffic[u, v] for u, v in overlay.edges.tolist()]
    assert carried == sorted(carried, reverse=True) and min(carried) > 0
    assert overlay.num_edges == np.count_nonzero(np.triu(found.link_traffic))
    assert overlay.labels == instance.brokers


def test_routing_names_what_is_not_there():
    with pytest.raises(InputError, match="no broker number 7"):
        Routing(dyadic(0), [0] * 6).tree(7, 0)
    with pytest.raises(InputError, match="no channel number 'x'"):
        Routing(dyadic(0), [0] * 6).tree(0, "x")
    with pytest.raises(ParameterError, match="no core"):
        Routing(dyadic(0), [0] * 6, "ring")


def test_links_are_those_of_a_cost():
    with pytest.raises(InputError, match="needs a Cost, but got a list"):
        broker_links(dyadic(0), [0] * 6)
