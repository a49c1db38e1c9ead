"""One tree for all brokers: its traffic and its exchanges against every spanning tree."""

from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest

from topicweave.content import Instance, cost, sparse_instance
from topicweave.content.core import choose_tree, core_pricing, spanning_tree
from topicweave.kernels.content.shared_tree import tree_reach
from topicweave.kernels.content.trees import gather


def drawn(seed, num_brokers, missing=0.0):
    """A sparse market with core prices that are no metric, and the broker of each user."""
    rng = np.random.default_rng(seed)
    base = sparse_instance(6 * num_brokers, num_brokers, 5, seed=seed)
    core = np.triu(rng.random((num_brokers, num_brokers)), 1)
    core += core.T
    gone = np.triu(rng.random(core.shape) < missing, 1)
    gone[np.arange(num_brokers - 1), np.arange(1, num_brokers)] = False
    core[gone | gone.T] = np.inf
    return base.replace(core_price=core), rng.integers(0, num_brokers, base.num_users)


def paid(instance, broker, links):
    """Every (publisher, channel) pays for the links between its broker and those of its receivers."""
    graph = nx.Graph(links)
    total = 0.0
    for i, c in np.argwhere(instance.rate > 0).tolist():
        used = set()
        for k in np.flatnonzero(instance.subscribe[:, c]).tolist():
            if k != i:
                path = nx.shortest_path(graph, int(broker[i]), int(broker[k]))
                used |= {frozenset(pair) for pair in pairwise(path)}
        total += instance.rate[i, c] * sum(instance.core_price[tuple(pair)] for pair in used)
    return total


@pytest.mark.parametrize("seed", range(12))
def test_the_chosen_tree_is_near_the_best_of_all_trees(seed):
    """Five brokers have at most 125 trees; the exchanges end at the best one or within two per cent of it."""
    instance, broker = drawn(seed, 5, missing=0.3 if seed % 2 else 0.0)
    links = [(a, b) for a, b in combinations(range(5), 2) if np.isfinite(instance.core_price[a, b])]
    trees = [chosen for chosen in combinations(links, 4) if nx.is_tree(nx.Graph(chosen)) and len(nx.Graph(chosen)) == 5]
    least = min(paid(instance, broker, chosen) for chosen in trees)
    found = cost(instance, broker, "tree")
    assert found.core == pytest.approx(paid(instance, broker, found.routing.links.tolist()))
    assert least * (1 - 1e-12) <= found.core <= least * 1.02


@pytest.mark.parametrize("seed", range(6))
def test_exchanges_end_in_a_tree_of_links_no_dearer_than_the_spanning_tree(seed):
    instance, broker = drawn(seed, 20, missing=0.5)
    published, subscribers = gather(instance.rate, instance.subscribe, broker, 20)
    links = choose_tree(instance, published, subscribers)
    assert nx.is_tree(nx.Graph(links.tolist())) and np.isfinite(instance.core_price[links[:, 0], links[:, 1]]).all()
    first = cost(instance, broker, "tree", tree=spanning_tree(instance)).core
    assert cost(instance, broker, "tree").core <= first
    assert cost(instance, broker, "tree", tree=links).core == pytest.approx(paid(instance, broker, links.tolist()))


@pytest.mark.parametrize("seed", range(20))
def test_reach_is_the_part_of_the_tree_between_brokers(seed):
    rng = np.random.default_rng(seed)
    instance, _ = drawn(seed, 9)
    pricing = core_pricing(instance, "tree", spanning_tree(instance))
    inside = rng.random(9) < 0.4
    inside[rng.integers(9)] = True
    reach = np.empty(9)
    total = tree_reach(pricing.order, pricing.up, pricing.weight, inside, reach)
    graph = nx.Graph(spanning_tree(instance).tolist())
    for v in range(9):
        stops = sorted({v, *np.flatnonzero(inside).tolist()})
        paths = [nx.shortest_path(graph, stops[0], stop) for stop in stops]
        used = {frozenset(pair) for path in paths for pair in pairwise(path)}
        assert reach[v] == pytest.approx(sum(instance.core_price[tuple(pair)] for pair in used))
        assert not inside[v] or reach[v] == pytest.approx(total)


def test_one_broker_needs_no_tree():
    alone = Instance([[1], [0]], [[0], [1]], [[1], [1]], [[0]], 9)
    assert cost(alone, [0, 0], "tree").core == 0 and len(cost(alone, [0, 0], "tree").routing.links) == 0
