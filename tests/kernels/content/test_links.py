"""The links of single messages against networkx and every set of relays."""

import networkx as nx
import numpy as np
import pytest

from tests.content.cases import broken
from tests.reference_optimum import tree_tables
from topicweave.content import CORES
from topicweave.content.core import core_pricing, spanning_tree
from topicweave.kernels.content.links import link_traffic, real_links


def drawn(seed, core):
    """An instance with up to five brokers, links missing in half of them, and its prices."""
    instance = broken(seed, most_brokers=5)
    tree = spanning_tree(instance) if core == "tree" else None
    return instance, core_pricing(instance, core, tree), tree


def links_of(instance, pricing, inside, source):
    one, other = np.empty((2, instance.num_brokers), dtype=np.int64)
    count = real_links(pricing, instance.core_price, instance.path_before, inside, source, one, other)
    return list(zip(one[:count].tolist(), other[:count].tolist(), strict=True))


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(30))
def test_a_message_takes_a_tree_of_real_links(seed, core):
    """From the source to all brokers inside and to no other leaf; as cheap as the core says, or cheaper where paths
    of a spanning tree share a link."""
    instance, pricing, tree = drawn(seed, core)
    price, count = instance.core_price, instance.num_brokers
    rng = np.random.default_rng(seed)
    table = tree_tables(price.tolist(), count, core)[0] if core != "tree" else None
    for source in range(count):
        inside = rng.random(count) < 0.5
        inside[rng.integers(count)] = True
        links = links_of(instance, pricing, inside, source)
        stops = {source, *np.flatnonzero(inside).tolist()}
        graph = nx.DiGraph(links)
        graph.add_node(source)
        assert nx.is_arborescence(graph) and graph.in_degree(source) == 0 and stops <= set(graph)
        assert {v for v in graph if graph.out_degree(v) == 0} <= stops
        paid = sum(price[a, b] for a, b in links)
        assert np.isfinite(paid)
        if core == "tree":
            kept = {frozenset(link) for link in tree.tolist()}
            assert {frozenset(link) for link in links} <= kept
        elif core == "steiner":
            assert paid == pytest.approx(table[sum(1 << v for v in stops)])
        else:
            assert paid <= table[sum(1 << v for v in stops)] * (1 + 1e-9)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(15))
def test_traffic_adds_up_the_links_of_all_messages(seed, core):
    """Brokers that are inside share a tree, so its links may be those of any of them: the price of all is compared."""
    instance, pricing, _ = drawn(seed, core)
    rng = np.random.default_rng(seed)
    count = instance.num_brokers
    published = rng.random((3, count)) * (rng.random((3, count)) < 0.7)
    subscribers = rng.integers(0, 2, (3, count)).astype(np.int32)
    found = link_traffic(pricing, instance.core_price, instance.path_before, published, subscribers)
    np.testing.assert_array_equal(found, found.T)
    price = np.where(np.isfinite(instance.core_price), instance.core_price, 0.0)
    assert not found[~np.isfinite(instance.core_price)].any()
    expected = sum(
        published[c, v] * sum(price[link] for link in links_of(instance, pricing, subscribers[c] > 0, v))
        for c in range(3) if subscribers[c].any() for v in range(count)
    )  # fmt: skip
    assert (found * price).sum() / 2 == pytest.approx(expected)
