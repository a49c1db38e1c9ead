"""Opening and closing brokers, which moves of single users cannot do."""

import numpy as np
import pytest

from tests.content.cases import dyadic, smooth
from tests.reference_optimum import optimum
from topicweave.content import Instance, cost
from topicweave.content.core import core_pricing
from topicweave.content.migration import improve
from topicweave.content.opening import close_brokers, nearby, open_brokers
from topicweave.kernels.content import anneal, reach, trees


def far_group(price):
    """Four brokers in a row at the prices 1, 10, 1, two users at each.

    Broker 0's users publish, all users subscribe.
    """
    place = np.array([0, 1, 11, 12])
    core = np.abs(place[:, None] - place) * price
    access = np.ones((8, 4)) + 3
    access[np.arange(8), np.arange(8) // 2] = 1
    publish = np.zeros((8, 1))
    publish[:2] = 1
    return Instance(publish, np.ones((8, 1)), access, core, 100)


def test_a_group_of_brokers_is_closed_together():
    """Closing one of the two far brokers leaves the long link; closing both saves it."""
    instance = far_group(1.0)
    apart = np.arange(8) // 2
    assert len(improve(instance, apart, core_pricing(instance, "steiner"))[1]) == 0
    alone, _ = close_brokers(instance, apart, core_pricing(instance, "steiner"))
    together, moves = open_brokers(instance, apart, core_pricing(instance, "steiner"), seed=0)
    assert cost(instance, alone).total == cost(instance, apart).total
    assert cost(instance, together).total == pytest.approx(optimum(instance, "steiner"))
    assert cost(instance, apart).total - moves.saved.sum() == pytest.approx(cost(instance, together).total)


def test_groups_follow_the_cheapest_links():
    assert nearby(far_group(1.0).core_price).tolist() == [[True, True, False, False], [False, False, True, True]]
    assert nearby(np.ones((2, 2))).shape == (0, 2)


@pytest.mark.parametrize("seed", range(10))
def test_annealing_counts_like_the_evaluator(seed):
    """The cost it keeps up to date, over many moves, is what the evaluator says."""
    rng = np.random.default_rng(seed)
    instance = (dyadic, smooth)[seed % 2](seed, 12, 4, 5)
    known = rng.integers(0, 4, 12)
    published, subscribers = trees.gather(instance.rate, instance.subscribe, known, 4)
    core = ("steiner", "multicast")[seed // 2 % 2]
    paid, is_stale, room = np.empty(5), np.ones(5, dtype=bool), reach.new_span(4)
    for _ in range(20):
        broker = np.where(rng.random(12) < 0.3, rng.integers(0, 4, 12), known)
        found = anneal.follow_cost(
            core_pricing(instance, core),
            instance.access_price,
            instance.need,
            instance.rate,
            instance.subscribe,
            broker,
            known,
            published,
            subscribers,
            paid,
            is_stale,
            room,
        )
        assert known.tolist() == broker.tolist()
        assert found == pytest.approx(cost(instance, broker, core).total)


def test_closing_brokers_finds_what_single_moves_do_not():
    """Two users at each of two brokers want the same: either alone gains nothing by moving, both together do."""
    instance = Instance(
        [[1], [0], [0], [0]],
        [[0], [1], [1], [1]],
        access_price=[[1, 1], [1, 1], [1.2, 1], [1.2, 1]],
        core_price=[[0, 2], [2, 0]],
        capacity=100,
    )
    apart = np.array([0, 0, 1, 1])
    stuck, moves, _ = improve(instance, apart, core_pricing(instance, "steiner"))
    assert len(moves) == 0 and stuck.tolist() == apart.tolist()
    closed, _ = close_brokers(instance, apart, core_pricing(instance, "steiner"))
    assert cost(instance, closed).core == 0
