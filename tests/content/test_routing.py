"""Routing trees and broker links against the cost."""

import numpy as np
import pytest

from tests.content.cases import dyadic, smooth
from topicweave.content import Routing, broker_links, cost
from topicweave.errors import InputError, ParameterError


@pytest.mark.parametrize("core", ["multicast", "tree"])
@pytest.mark.parametrize("seed", range(15))
def test_routing_trees_add_up_to_the_cost(seed, core):
    instance = smooth(seed, 8, 5, 4)
    broker = np.random.default_rng(seed).integers(0, 5, 8)
    routing = Routing(instance, broker, core)
    total = 0.0
    for j, c in np.argwhere(routing.published > 0):
        links = routing.tree(int(j), int(c))
        total += routing.published[j, c] * instance.core_price[links[:, 0], links[:, 1]].sum()
        reached = {int(j)}
        for _ in links:
            reached |= {int(v) for link in links.tolist() if set(link) & reached for v in link}
        wanting = {int(b) for i, b in enumerate(broker) if instance.subscribe[i, c]}
        assert wanting <= reached
    assert total == pytest.approx(cost(instance, broker, core).core)
    labels = list(routing.trees())
    assert len(labels) == np.count_nonzero(routing.published)


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
