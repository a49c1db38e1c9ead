"""Exchanging users where capacity binds."""

import numpy as np
import pytest

from tests.content.cases import smooth
from topicweave.content import Instance, assign, cost
from topicweave.content.core import core_pricing
from topicweave.content.exchange import exchange_users
from topicweave.content.migration import improve
from topicweave.content.opening import open_brokers


def test_users_are_exchanged_where_there_is_no_room():
    """Each is where the other should be, and there is room for one at each broker."""
    instance = Instance([[1], [1]], [[1], [1]], access_price=[[5, 1], [1, 5]], core_price=[[0, 1], [1, 0]], capacity=2)
    assert len(improve(instance, np.array([0, 1]), core_pricing(instance, "steiner"))[1]) == 0
    found, moves = exchange_users(instance, np.array([0, 1]), core_pricing(instance, "steiner"), seed=0)
    assert found.tolist() == [1, 0] and moves.saved.sum() == pytest.approx(16)
    assert assign(instance, "best").broker.tolist() == [1, 0]


def test_a_third_broker_may_take_the_one_who_leaves():
    """User 0 should be at broker 1, where user 1 is, who can go to broker 2 but is expensive at broker 0."""
    instance = Instance(
        [[1], [1]],
        [[1], [1]],
        access_price=[[9, 1, 9], [9, 1, 1]],
        core_price=np.ones((3, 3)) - np.eye(3),
        capacity=2,
    )
    found, _ = exchange_users(instance, np.array([0, 1]), core_pricing(instance, "steiner"), seed=0)
    assert found.tolist() == [1, 2]


@pytest.mark.parametrize("step", [open_brokers, exchange_users])
@pytest.mark.parametrize("seed", range(15))
def test_steps_keep_within_capacity_and_say_what_they_saved(step, seed):
    core = ("steiner", "multicast")[seed % 2]
    instance = smooth(seed, 30, 5, 6, spare=1.3)
    start = assign(instance, "random", seed=seed).broker
    pricing = core_pricing(instance, core)
    found, moves = step(instance, start, pricing, seed=seed)
    assert np.all(np.bincount(found, instance.need, 5) <= instance.limit)
    before, after = cost(instance, start, core).total, cost(instance, found, core).total
    assert after <= before
    assert before - moves.saved.sum() == pytest.approx(after)
    assert found.tolist() == step(instance, start, pricing, seed=seed)[0].tolist()
