"""The dual ascent for Steiner trees against every set of brokers."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from topicweave.content.validation import metric_closure
from topicweave.kernels.content.steiner_bound import joining_bound, joining_bounds


def drawn(seed, most_brokers=5):
    """Prices of links between brokers, and of users at them: some users reach some brokers only."""
    rng = np.random.default_rng(seed)
    brokers, users = int(rng.integers(1, most_brokers + 1)), int(rng.integers(1, 7))
    core = np.triu(rng.random((brokers, brokers)), 1) * rng.choice([0.2, 1, 5])
    leaves = rng.random((users, brokers))
    leaves[rng.random(leaves.shape) < 0.3] = np.inf
    leaves[np.arange(users), rng.integers(0, brokers, users)] = rng.choice([0, 0.5], users)
    return metric_closure(core + core.T), leaves


def trees(price):
    """Every set of brokers, and the weight of the cheapest tree over exactly these."""
    for size in range(1, len(price) + 1):
        for chosen in combinations(range(len(price)), size):
            graph = nx.Graph()
            graph.add_nodes_from(chosen)
            graph.add_weighted_edges_from((a, b, price[a, b]) for a, b in combinations(chosen, 2))
            yield list(chosen), nx.minimum_spanning_tree(graph).size("weight")


def joined(price, leaves, needed=()):
    """The least that joins all users, and the brokers that are needed anyway."""
    sets = ((chosen, weight) for chosen, weight in trees(price) if set(needed) <= set(chosen))
    return min(weight + leaves[:, chosen].min(axis=1).sum() for chosen, weight in sets)


@pytest.mark.parametrize("num_rounds", [1, 3, 10])
@pytest.mark.parametrize("seed", range(40))
def test_no_tree_is_below_the_bound(seed, num_rounds):
    """Nor is a tree that has to reach one more broker below the bound and what that is said to add."""
    price, leaves = drawn(seed)
    given, further = (price.copy(), leaves.copy()), np.empty(len(price))
    found = joining_bound(price, leaves, num_rounds, further)
    np.testing.assert_array_equal(price, given[0])
    np.testing.assert_array_equal(leaves, given[1])
    assert 0 <= found <= joined(price, leaves) * (1 + 1e-9)
    for b in range(len(price)):
        assert found + further[b] <= joined(price, leaves, [b]) * (1 + 1e-9)


def test_the_bound_is_near_the_best_tree():
    """On the average within ten per cent, and exact where two users are joined by a path."""
    ratios = []
    for seed in range(100):
        price, leaves = drawn(seed)
        if len(leaves) > 1 and joined(price, leaves) > 0:
            found = joining_bound(price, leaves, 10, np.empty(len(price)))
            ratios.append(found / joined(price, leaves))
            assert len(leaves) > 2 or ratios[-1] == pytest.approx(1)
    assert len(ratios) > 60 and np.mean(ratios) > 0.9


@pytest.mark.parametrize("seed", range(30))
def test_no_message_costs_less_than_its_channel_says(seed):
    """Every publisher sends along the best tree from its own best broker, to the best brokers of the subscribers."""
    rng = np.random.default_rng([seed, 1])
    price, extra = drawn(seed, 4)
    users = len(extra)
    rate = rng.random((users, 3)) * (rng.random((users, 3)) < 0.6)
    subscribe = rng.random((users, 3)) < 0.5
    found = joining_bounds(price, extra, rate, subscribe, 10)
    for c in range(3):
        wanting = np.flatnonzero(subscribe[:, c])
        if not len(wanting):
            assert found[c] == 0
            continue
        least = 0.0
        for i in np.flatnonzero(rate[:, c]):  # a user that wants the channel itself is one of those joined
            least += rate[i, c] * joined(price, extra[sorted({i, *wanting})])
        assert found[c] <= least * (1 + 1e-9)
