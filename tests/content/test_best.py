"""The steps of ``best``: closing and opening brokers, exchanging users; and the bound it is measured against."""

import numpy as np
import pytest

from tests import reference_content as twin
from tests.content.cases import dyadic, smooth
from topicweave.content import Instance, assign, cost, evaluation_instance, lower_bound
from topicweave.content.exchange import exchange_users
from topicweave.content.migration import improve
from topicweave.content.opening import close_brokers, nearby, open_brokers
from topicweave.errors import InfeasibleError
from topicweave.kernels.content import anneal as content_anneal
from topicweave.kernels.content import bound as content_bound
from topicweave.kernels.content import trees as content_trees

THREE = ("greedy_packing", "clustering", "steiner_mixing")


def far_group(price):
    """Four brokers in a row at the prices 1, 10, 1, two users at each; broker 0's publish, everybody subscribes."""
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
    assert len(improve(instance, apart)[1]) == 0
    alone, _ = close_brokers(instance, apart)
    together, moves = open_brokers(instance, apart, seed=0)
    assert cost(instance, alone).total == cost(instance, apart).total
    assert cost(instance, together).total == pytest.approx(twin.enumerated(twin.Plain(instance))[0])
    assert cost(instance, apart).total - moves.saved.sum() == pytest.approx(cost(instance, together).total)


def test_groups_follow_the_cheapest_links():
    assert nearby(far_group(1.0).core_price).tolist() == [[True, True, False, False], [False, False, True, True]]
    assert nearby(np.ones((2, 2))).shape == (0, 2)


def test_users_are_exchanged_where_there_is_no_room():
    """Each sits where the other ought to, and there is room for one at each broker."""
    instance = Instance([[1], [1]], [[1], [1]], access_price=[[5, 1], [1, 5]], core_price=[[0, 1], [1, 0]], capacity=2)
    assert len(improve(instance, np.array([0, 1]))[1]) == 0
    found, moves = exchange_users(instance, np.array([0, 1]), seed=0)
    assert found.tolist() == [1, 0] and moves.saved.sum() == pytest.approx(16)
    assert assign(instance, "best").broker.tolist() == [1, 0]


def test_a_third_broker_may_take_the_one_who_leaves():
    """User 0 ought to sit at 1, where user 1 is, who can go to 2 but is dear at 0."""
    instance = Instance(
        [[1], [1]],
        [[1], [1]],
        access_price=[[9, 1, 9], [9, 1, 1]],
        core_price=np.ones((3, 3)) - np.eye(3),
        capacity=2,
    )
    found, _ = exchange_users(instance, np.array([0, 1]), seed=0)
    assert found.tolist() == [1, 2]


@pytest.mark.parametrize("step", [open_brokers, exchange_users])
@pytest.mark.parametrize("seed", range(15))
def test_steps_keep_within_capacity_and_say_what_they_saved(step, seed):
    instance = smooth(seed, 30, 5, 6, spare=1.3)
    start = assign(instance, "random", seed=seed).broker
    found, moves = step(instance, start, seed=seed)
    assert np.all(np.bincount(found, instance.need, 5) <= instance.limit)
    before, after = cost(instance, start).total, cost(instance, found).total
    assert after <= before
    assert before - moves.saved.sum() == pytest.approx(after)
    assert found.tolist() == step(instance, start, seed=seed)[0].tolist()


@pytest.mark.parametrize("seed", range(10))
def test_annealing_counts_like_the_evaluator(seed):
    """The cost it keeps up to date, over many moves, is what the evaluator says."""
    rng = np.random.default_rng(seed)
    instance = (dyadic, smooth)[seed % 2](seed, 12, 4, 5)
    known = rng.integers(0, 4, 12)
    published, subscribers = content_trees.gather(instance.rate, instance.subscribe, known, 4)
    for _ in range(20):
        broker = np.where(rng.random(12) < 0.3, rng.integers(0, 4, 12), known)
        found = content_anneal.follow_cost(
            instance.access_price,
            instance.core_price,
            instance.need,
            instance.rate,
            instance.subscribe,
            broker,
            known,
            published,
            subscribers,
        )
        assert known.tolist() == broker.tolist()
        assert found == pytest.approx(cost(instance, broker).total)


@pytest.mark.parametrize("ratio", [0.1, 1, 10])
def test_best_is_never_above_the_three(ratio):
    instance = evaluation_instance(300, 8, 30, price_ratio=ratio, seed=2)
    best = assign(instance, "best")
    for method in THREE:
        assert best.cost.total <= assign(instance, method).cost.total
        assert assign(instance, method).reduction > 1
    assert best.cost.total >= lower_bound(instance).total


def test_best_takes_another_start_where_one_does_not_fit():
    """Packing in order of number leaves no room for the large last user; migrate's other starts find it."""
    instance = Instance(
        [[0], [0], [0], [3]], [[1], [1], [1], [0]], [[1, 9], [1, 9], [9, 1], [9, 1]], [[0, 1], [1, 0]], 6.0
    )
    with pytest.raises(InfeasibleError, match=r"No broker has room for user '3', who needs 3: the most room is"):
        assign(
            instance.replace(access_price=[[1, 9], [9, 1], [1, 1], [1, 1]], capacity=[6, 6]).replace(capacity=[5, 7]),
            "greedy_packing",
        )
    assert np.all(assign(instance, "best").cost.load <= instance.limit)


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
    stuck, moves, _ = improve(instance, apart)
    assert len(moves) == 0 and stuck.tolist() == apart.tolist()
    closed, _ = close_brokers(instance, apart)
    assert cost(instance, closed).core == 0


# ---- the bound --------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("seed", range(40))
def test_the_optimum_is_not_below_the_lower_bound(seed):
    instance = (dyadic, smooth)[seed % 2](seed, 3 + seed % 3, 2 + seed % 2, 1 + seed % 4)
    least, _ = twin.enumerated(twin.Plain(instance))
    assert lower_bound(instance).total <= least * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_bids_are_below_every_set_of_open_brokers(seed):
    """The dual ascent against all sets of facilities."""
    rng = np.random.default_rng(seed)
    num_users, num_brokers = 7, 4
    opening, weight = rng.random(num_brokers), rng.random(num_users)
    access = np.round(rng.random((num_users, num_brokers)), 1)
    by_price = np.argsort(access, axis=1, kind="stable")
    price = np.take_along_axis(access, by_price, axis=1)
    found = content_bound.serving_bound(price, by_price, weight, np.arange(num_users), opening)
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
    """Nobody is at a broker but its own for less than a link costs; there is room for all at one broker."""
    access = np.full((6, 3), 100.0)
    access[np.arange(6), np.arange(6) % 3] = 1
    instance = Instance(np.ones((6, 1)), np.ones((6, 1)), access, 2 * (np.ones((3, 3)) - np.eye(3)), 999)
    assert lower_bound(instance).core == pytest.approx(6 * 2 * 2)
    assert assign(instance, "exact").cost.core == pytest.approx(6 * 2 * 2)
