"""A pass of migration under spanning trees, and its table of larger trees, against plain evaluations."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from tests.content.cases import smooth
from tests.kernels.content.passes import by_definition, by_kernel, check_same
from topicweave.content.validation import metric_closure
from topicweave.kernels.content.moves import migrate_pass, pair_weights
from topicweave.kernels.content.trees import grow_tree


def spanning_weight(price, nodes):
    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_weighted_edges_from((a, b, price[a, b]) for a, b in combinations(sorted(nodes), 2))
    return nx.minimum_spanning_tree(graph).size("weight")


@pytest.mark.parametrize("seed", range(20))
def test_the_table_holds_the_trees_with_two_more_brokers(seed):
    """For every two brokers outside, which may be the same one; also where the tree is empty."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 9))
    drawn = np.triu(rng.random((size, size)), 1)
    price = metric_closure(drawn + drawn.T)
    mixed = rng.permutation(size)
    count = int(rng.integers(0, size))
    members, outside = mixed[:count], mixed[count:]
    order, up, weight = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64), np.empty(size)
    grow_tree(price, members, count, order, up, weight)
    table = np.empty((len(outside), len(outside)))
    pair_weights(price, order, up, weight, count, outside, len(outside), table)
    for s, t in np.ndindex(*table.shape):
        assert table[s, t] == pytest.approx(spanning_weight(price, {*members.tolist(), outside[s], outside[t]}))


@pytest.mark.parametrize("seed", range(20))
def test_a_pass_makes_the_best_move_of_every_user(seed):
    """Capacity binds in half of them; channels gain and lose their first subscriber on a broker."""
    instance = smooth(seed, 9, 4, 4, spare=1.3 if seed % 2 else 4.0)
    start = np.argsort(np.random.default_rng(seed).random(9)) % 4
    found = by_kernel(migrate_pass, instance.path_price, instance, start)
    check_same(found, by_definition(instance, start.tolist(), "multicast"))
