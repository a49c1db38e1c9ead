"""No assignment is below the lower bound."""

from itertools import combinations

import numpy as np
import pytest
from scipy.sparse.csgraph import minimum_spanning_tree

from tests.content.cases import broken, dyadic, smooth
from tests.reference_optimum import optimum
from topicweave.content import CORES, Instance, assign, cost, lower_bound
from topicweave.content.bound import _cluster_shares
from topicweave.kernels.content.bound import serving_bound


@pytest.mark.parametrize("seed", range(30))
def test_no_assignment_is_below_the_lower_bound(seed):
    instance = smooth(seed, 12, 4, 4, spare=1.2)
    bound = lower_bound(instance)
    rng = np.random.default_rng(seed)
    for _ in range(30):
        found = cost(instance, rng.integers(0, 4, 12))
        assert found.access >= bound.access * (1 - 1e-12)
        if (found.load <= instance.limit).all():
            assert found.total >= bound.total * (1 - 1e-12)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(60))
def test_the_optimum_is_not_below_the_lower_bound(seed, core):
    """Whatever trees carry the core, links missing or not."""
    instance = broken(seed) if seed % 2 else (dyadic, smooth)[seed // 2 % 2](seed, 3 + seed % 3, 4, 1 + seed % 4)
    assert lower_bound(instance, core).total <= optimum(instance, core) * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_bids_are_below_every_set_of_open_brokers(seed):
    """The dual ascent against all sets of facilities."""
    rng = np.random.default_rng(seed)
    num_users, num_brokers = 7, 4
    opening, weight = rng.random(num_brokers), rng.random(num_users)
    access = np.round(rng.random((num_users, num_brokers)), 1)
    by_price = np.argsort(access, axis=1, kind="stable")
    price = np.take_along_axis(access, by_price, axis=1)
    found = serving_bound(price, by_price, weight, np.arange(num_users), opening)
    sets = [[b for b in range(num_brokers) if chosen >> b & 1] for chosen in range(1, 2**num_brokers)]
    dearer = [access[:, chosen].min(axis=1) - access.min(axis=1) for chosen in sets]
    least = min(opening[chosen].sum() + weight @ more for chosen, more in zip(sets, dearer, strict=True))
    assert 0 < found <= least * (1 + 1e-12)
    assert found > 0.7 * least


def test_the_bound_counts_the_brokers_a_channel_needs():
    """Two subscribers that do not fit one broker: the cheapest link of all is the least that can be."""
    instance = Instance([[4], [0], [0]], [[0], [1], [1]], np.ones((3, 3)), [[0, 3, 5], [3, 0, 4], [5, 4, 0]], 7)
    assert lower_bound(instance).core == 4 * 3


def test_the_bound_sees_that_users_sit_apart():
    """No user can reach another broker for less than a link costs, although one broker has room for all."""
    access = np.full((6, 3), 100.0)
    access[np.arange(6), np.arange(6) % 3] = 1
    instance = Instance(np.ones((6, 1)), np.ones((6, 1)), access, 2 * (np.ones((3, 3)) - np.eye(3)), 999)
    assert lower_bound(instance).core == pytest.approx(6 * 2 * 2)
    assert assign(instance, "exact").cost.core == pytest.approx(6 * 2 * 2)


@pytest.mark.parametrize("seed", range(20))
def test_shares_of_clusters_are_below_every_steiner_tree(seed):
    """Over every set of brokers, by a search over all relays; over all brokers they are the spanning tree itself."""
    instance = broken(seed, most_brokers=6)
    count = instance.num_brokers
    opening, constant = _cluster_shares(instance.path_price) if count > 1 else (np.zeros(1), 0.0)
    spanning = {
        chosen: float(minimum_spanning_tree(instance.path_price[np.ix_(chosen, chosen)] + 1e-300).sum())
        for size in range(1, count + 1)
        for chosen in combinations(range(count), size)
    }
    for chosen in spanning:
        tree = min(weight for larger, weight in spanning.items() if set(chosen) <= set(larger))
        assert opening[list(chosen)].sum() - constant <= tree * (1 + 1e-9) + 1e-12
    assert opening.sum() - constant == pytest.approx(spanning[tuple(range(count))])
