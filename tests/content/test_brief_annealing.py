"""Brief annealing: what it says it saves is what the cost says, nothing is overloaded, and it is never worse."""

import numpy as np
import pytest

from topicweave.content import CORES, Instance, assign, evaluation_instance, sparse_instance
from topicweave.content.brief_annealing import MOST_PAIRS, anneal_briefly
from topicweave.content.core import core_pricing
from topicweave.content.cost import total_cost
from topicweave.content.migration import pricing_for
from topicweave.kernels.content import anneal_changes as kernel

SPARSE = sparse_instance(60, 5, price_ratio=0.1, seed=1)
PRICE = np.array(SPARSE.access_price)
PRICE[::3, 1] = np.inf
MARKETS = {
    "sparse": SPARSE,
    "dense": evaluation_instance(40, 4, price_ratio=0.3, seed=2),
    "tight": SPARSE.replace(capacity=1.1 * SPARSE.need.sum() / 5 + SPARSE.need.max()),
    "not all in reach": SPARSE.replace(access_price=PRICE),
}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("market", MARKETS)
def test_it_saves_what_it_says(market, core, monkeypatch):
    """The kernel adds up differences; the cost of its result is computed from nothing."""
    instance = MARKETS[market]
    start = assign(instance, "random", core=core, seed=3).broker
    pricing = pricing_for(instance, start, core)
    total, anneal, seen = total_cost(instance, start, pricing), kernel.anneal_changes, []

    def spy(*arguments):
        saved = anneal(*arguments)
        seen.append((saved, arguments[11].copy()))
        return saved

    monkeypatch.setattr(kernel, "anneal_changes", spy)
    changed, moves = anneal_briefly(instance, start, pricing, seed=0)
    ((saved, broker),) = seen
    assert saved > 0.1 * total
    assert total_cost(instance, broker, pricing) == pytest.approx(total - saved)
    for found in (broker, changed):
        assert (np.bincount(found, instance.need, instance.num_brokers) <= instance.limit).all()
        assert np.isfinite(instance.access_price[np.arange(instance.num_users), found]).all()
    reached = total_cost(instance, changed, pricing)
    assert reached <= total - saved + 1e-9 and total - moves.saved.sum() == pytest.approx(reached)
    assert changed.tolist() == anneal_briefly(instance, start, pricing, seed=0)[0].tolist()


def test_users_are_exchanged_where_there_is_no_room():
    """Each is where the other ought to be, and there is room for one at each broker."""
    instance = Instance([[1], [1]], [[1], [1]], access_price=[[5, 1], [1, 5]], core_price=[[0, 1], [1, 0]], capacity=2)
    found, moves = anneal_briefly(instance, np.array([0, 1]), core_pricing(instance, "steiner"), seed=0)
    assert found.tolist() == [1, 0] and moves.saved.sum() == pytest.approx(16)


def test_a_third_broker_may_take_the_one_who_leaves():
    """User 0 ought to be at 1, where user 1 is, who can go to 2 but is dear at 0."""
    instance = Instance(
        [[1], [1]],
        [[1], [1]],
        access_price=[[9, 1, 9], [9, 1, 1]],
        core_price=np.ones((3, 3)) - np.eye(3),
        capacity=2,
    )
    found, _ = anneal_briefly(instance, np.array([0, 1]), core_pricing(instance, "steiner"), seed=0)
    assert found.tolist() == [1, 2]


def test_large_instances_are_left_alone():
    instance = sparse_instance(MOST_PAIRS // 10 + 1, 10)
    start = assign(instance, "random").broker
    found, moves = anneal_briefly(instance, start, core_pricing(instance, "steiner"), seed=0)
    assert found is start and not len(moves)
