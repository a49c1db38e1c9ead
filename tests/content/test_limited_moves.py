"""Migration with a limit on how many users move: against all assignments of tiny instances."""

from itertools import product

import numpy as np
import pytest

from tests.content.cases import broken, smooth
from topicweave.content import CORES, cost, sparse_instance
from topicweave.content.limited_moves import has_moved, improve_freely, improve_within
from topicweave.content.seating import seat
from topicweave.errors import InfeasibleError


def every_assignment(instance, home, core):
    """The least cost of all assignments within capacity, by the number of users that they move."""
    least = {}
    near = [np.flatnonzero(np.isfinite(prices)) for prices in instance.access_price]
    for chosen in product(*near):
        broker = np.array(chosen)
        if (np.bincount(broker, weights=instance.need, minlength=instance.num_brokers) <= instance.limit).all():
            moved = int(sum(h >= 0 and h != b for h, b in zip(home, chosen, strict=True)))
            least[moved] = min(least.get(moved, np.inf), cost(instance, broker, core).total)
    return least


def drawn(seed):
    return (
        smooth(seed, 6, 3, 4, spare=1.5),
        broken(seed, 6, 3, 3),
        sparse_instance(6, 3, 3, price_ratio=0.2, seed=seed, spare=1.5),
    )[seed % 3]


@pytest.mark.parametrize("core", CORES)
def test_few_moves_are_nearly_as_good_as_the_best_few(core):
    """Never below the optimum with as many moves, which is found by trying all; at it for most, and near on average."""
    found = []
    for seed in range(24):
        instance = drawn(seed)
        home = np.random.default_rng(seed).integers(-1, instance.num_brokers, instance.num_users)
        home[np.isinf(instance.access_price[np.arange(instance.num_users), home])] = -1
        try:
            start = seat(instance, home)
        except InfeasibleError:
            continue
        least = every_assignment(instance, home.tolist(), core)
        for max_moves in range(int(has_moved(home, start).sum()), 4):
            broker = improve_within(instance, home, start, core, max_moves, seed=0)
            assert has_moved(home, broker).sum() <= max_moves
            assert (np.bincount(broker, weights=instance.need) <= instance.limit[: broker.max() + 1]).all()
            total = cost(instance, broker, core).total
            optimum = min(value for moved, value in least.items() if moved <= max_moves)
            assert optimum - 1e-9 <= total <= cost(instance, start, core).total + 1e-9
            found.append(1.0 if optimum == 0 else total / optimum)
    assert len(found) > 50
    assert np.mean(np.array(found) < 1 + 1e-9) > 0.6
    assert np.mean(found) < 1.12


@pytest.mark.parametrize("core", CORES)
def test_more_moves_than_needed_are_no_limit_that_is_felt(core):
    """If all users may move, the result is about as good as migration without a limit; if none may, nobody moves."""
    instance = sparse_instance(80, 5, price_ratio=0.5, seed=3)
    home = np.random.default_rng(0).integers(0, 5, 80)
    start = seat(instance, home)
    held = improve_within(instance, start, start, core, 0, seed=0)
    assert held.tolist() == start.tolist()
    free = cost(instance, improve_freely(instance, start, core, 0), core).total
    costs = [cost(instance, improve_within(instance, start, start, core, most, 0), core).total for most in (5, 20, 80)]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] <= 1.05 * free
