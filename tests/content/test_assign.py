"""Every method against its naive twin, and all of them against the contract."""

import numpy as np
import pytest

from tests import reference_content as twin
from tests.content.cases import dyadic, smooth
from topicweave.content import METHODS, Instance, assign, cost
from topicweave.content.migration import improve
from topicweave.content.steiner import tree_weights
from topicweave.errors import InfeasibleError, ParameterError, TooLargeError, UnknownAlgorithmError

SMALL = [dyadic(seed, 3 + seed % 6, 1 + seed % 4, 1 + seed % 5) for seed in range(60)]


@pytest.mark.parametrize("instance", SMALL)
def test_packing_is_algorithm_1(instance):
    assert assign(instance, "greedy_packing").broker.tolist() == twin.packing(twin.Plain(instance))


@pytest.mark.parametrize("instance", SMALL + [smooth(seed, 12, 3, 6) for seed in range(20)])
def test_clustering_is_algorithm_2(instance):
    assert assign(instance, "clustering").broker.tolist() == twin.clustering(twin.Plain(instance))


@pytest.mark.parametrize("instance", SMALL + [smooth(seed, 15, 4, 5) for seed in range(30)])
def test_steiner_trees_are_algorithm_3(instance):
    np.testing.assert_allclose(tree_weights(instance), twin.steiner_weights(twin.Plain(instance)), atol=1e-12)


@pytest.mark.parametrize("instance", SMALL)
def test_mixing_draws_within_capacity(instance):
    chance = np.random.default_rng(5).random(instance.num_users).tolist()
    plain = twin.Plain(instance)
    assert assign(instance, "steiner_mixing", seed=5).broker.tolist() == twin.draw(
        plain, twin.steiner_weights(plain), chance
    )


@pytest.mark.parametrize("seed", range(40))
def test_migrate_is_the_papers_rule(seed):
    """Sparse subscriptions, so that brokers often gain or lose a channel's first or last subscriber."""
    instance = smooth(seed, 9, 4, 4)
    start = assign(instance, "random", seed=seed).broker
    found = assign(instance, "migrate", start=start)
    expected, moves = twin.migrate(twin.Plain(instance), start.tolist())
    assert found.broker.tolist() == expected
    assert list(zip(found.moves.user, found.moves.origin, found.moves.target, strict=True)) == [m[:3] for m in moves]
    assert found.moves.saved == pytest.approx([m[3] for m in moves])


@pytest.mark.parametrize("seed", range(20))
def test_what_each_move_saved_adds_up(seed):
    instance = smooth(seed, 60, 8, 10)
    start = assign(instance, "random", seed=seed).broker
    before = cost(instance, start).total
    found = assign(instance, "migrate", start=start)
    assert before - found.moves.saved.sum() == pytest.approx(found.cost.total)
    again = assign(instance, "migrate", start=found)
    assert len(again.moves) == 0 and again.broker.tolist() == found.broker.tolist()


@pytest.mark.parametrize("seed", range(150))
def test_exact_equals_enumeration(seed):
    rng = np.random.default_rng(seed)
    kind = (dyadic, smooth)[seed % 2]
    instance = kind(seed, int(rng.integers(2, 7)), int(rng.integers(1, 4)), int(rng.integers(1, 4)))
    found = assign(instance, "exact")
    least, _ = twin.enumerated(twin.Plain(instance))
    assert found.cost.total == pytest.approx(least, abs=1e-9)
    assert found.gap == pytest.approx(0, abs=1e-6)
    assert np.all(found.cost.load <= instance.limit)


def test_best_is_within_three_percent_of_the_optimum_on_average():
    excess = []
    for seed in range(60):
        instance = smooth(seed, 5 + seed % 4, 2 + seed % 2, 3)
        optimum = assign(instance, "exact").cost.total
        excess.append(assign(instance, "best").cost.total / optimum - 1)
    assert min(excess) > -1e-9
    assert np.mean(excess) < 0.03


def test_exact_stops_with_a_bound():
    instance = smooth(1, 14, 4, 12)
    found = assign(instance, "exact", time_limit=0.5)
    assert 0 <= found.bound <= found.cost.total * (1 + 1e-9)
    assert np.all(found.cost.load <= instance.limit)


def test_exact_knows_its_limits():
    with pytest.raises(TooLargeError, match="use 'best'"):
        assign(smooth(1, 20, 20, 10), "exact")


def test_exact_proves_that_nothing_fits():
    """Three users of 2 and two brokers of 3: room for 6 in all, but nobody can be split."""
    tight = Instance([[2], [0], [0], [0]], [[0], [1], [1], [1]], np.ones((4, 2)), [[0, 1], [1, 0]], 6)
    assert assign(tight, "exact").cost.load.max() <= 6
    with pytest.raises(InfeasibleError, match="No assignment of the 3 users"):
        assign(Instance([[1], [1], [1]], np.zeros((3, 1)) + 1, np.ones((3, 2)), [[0, 1], [1, 0]], 5), "exact")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(6))
def test_contract(method, seed):
    """Within capacity, evaluated by the one evaluator, the same again for the same seed."""
    instance = smooth(seed, 8 if method == "exact" else 40, 3, 6, spare=1.6)
    found = assign(instance, method, seed=seed)
    assert np.all(found.cost.load <= instance.limit)
    assert found.cost.total == cost(instance, found.broker).total
    assert found.broker.tolist() == assign(instance, method, seed=seed).broker.tolist()
    assert found.reduction == pytest.approx(
        cost(instance, assign(instance, "random", seed=seed).broker).total / found.cost.total
    )
    assert method in found.summary()
    assert found.overlay.num_nodes == instance.num_brokers
    assert found.broker_of(instance.users[0]) == instance.brokers[found.broker[0]]


@pytest.mark.parametrize("ratio", [0.1, 1, 10])
def test_best_is_never_above_the_three(ratio):
    from topicweave.content import evaluation_instance

    instance = evaluation_instance(300, 8, 30, price_ratio=ratio, seed=2)
    best = assign(instance, "best")
    for method in ("greedy_packing", "clustering", "steiner_mixing"):
        assert best.cost.total <= assign(instance, method).cost.total
        assert assign(instance, method).reduction > 1


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
    assert cost(instance, assign(instance, "best").broker).core == 0


def test_start_may_be_named_and_must_fit():
    instance = smooth(4, 20, 3, 5)
    assert (
        assign(instance, "migrate", start="greedy_packing").cost.total <= assign(instance, "greedy_packing").cost.total
    )
    limited = assign(instance, "migrate", start="random", passes=1)
    assert "Stopped after 1 passes" in limited.notes[0]
    with pytest.raises(InfeasibleError, match="above its capacity"):
        assign(instance, "migrate", start=[0] * 20)
    with pytest.raises(ParameterError, match="no method to start from"):
        assign(instance, "migrate", start="exact")


@pytest.mark.parametrize(
    ("method", "parameters", "error", "says"),
    [
        ("greedy_paking", {}, UnknownAlgorithmError, "did you mean 'greedy_packing'"),
        ("zzz", {}, UnknownAlgorithmError, "choose one of"),
        ("random", {"passes": 1}, ParameterError, "it has none"),
        ("migrate", {"pases": 1}, ParameterError, "start, passes"),
        ("migrate", {"passes": 0}, ParameterError, "at least 1"),
        ("migrate", {"passes": 1.5}, ParameterError, "whole"),
        ("best", {"seeds": True}, ParameterError, "number"),
        ("best", {"seed": -1}, ParameterError, "seed must be"),
    ],
)
def test_bad_parameters(method, parameters, error, says):
    with pytest.raises(error, match=says):
        assign(smooth(0), method, **parameters)
