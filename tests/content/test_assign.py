"""Every method against its naive twin, and all of them against the contract."""

import subprocess
import sys

import numpy as np
import pytest

from tests import reference_content as twin
from tests.content.cases import dyadic, smooth
from topicweave.content import METHODS, Instance, assign, cost, evaluation_instance
from topicweave.content.migration import improve
from topicweave.content.steiner_mixing import tree_weights
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


def small(seed, most_users):
    """Two kinds, up to so many users, three brokers and three channels; capacity from ample to tight."""
    rng = np.random.default_rng(seed)
    users, brokers, channels = (int(rng.integers(*ends)) for ends in ((2, most_users + 1), (1, 4), (1, 4)))
    return (dyadic, smooth)[seed % 2](seed, users, brokers, channels, spare=(2.0, 1.5)[seed // 2 % 2])


def check_exact(instance):
    found = assign(instance, "exact")
    least, _ = twin.enumerated(twin.Plain(instance))
    assert found.cost.total == pytest.approx(least, abs=1e-9)
    assert found.gap == pytest.approx(0, abs=1e-6)
    assert np.all(found.cost.load <= instance.limit)


@pytest.mark.parametrize("seed", range(60))
def test_exact_equals_enumeration(seed):
    check_exact(small(seed, 5))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60, 460))
def test_exact_equals_enumeration_up_to_eight_users(seed):
    check_exact(small(seed, 8))


def excess_of_best(seeds, spare):
    """By how much ``best`` is above the optimum, as a share of it."""
    found = []
    for seed in seeds:
        instance = smooth(seed, 5 + seed % 4, 2 + seed % 2, 3, spare=spare)
        try:
            optimum = assign(instance, "exact").cost.total
        except InfeasibleError:  # proved: there is nothing to compare
            continue
        found.append(assign(instance, "best").cost.total / optimum - 1)
    assert len(found) > 0.9 * len(seeds)
    return np.array(found)


def test_best_is_within_three_percent_of_the_optimum_on_average():
    excess = excess_of_best(range(40), 2.0)
    assert excess.min() > -1e-9
    assert excess.mean() < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("spare", [2.0, 1.3])
def test_best_is_within_three_percent_of_the_optimum_on_hundreds(spare):
    excess = excess_of_best(range(40, 340), spare)
    assert excess.min() > -1e-9
    assert excess.mean() < 0.03


def test_exact_stops_with_a_bound():
    instance = smooth(1, 14, 4, 12)
    found = assign(instance, "exact", time_limit=0.5)
    assert 0 <= found.bound <= found.cost.total * (1 + 1e-9)
    assert np.all(found.cost.load <= instance.limit)


def test_exact_that_is_stopped_is_no_worse_than_what_takes_no_time():
    """The solver's first assignments may be worse than random ones."""
    instance = evaluation_instance(60, 4, seed=1)
    packed, _, _ = improve(instance, assign(instance, "greedy_packing").broker)
    found = assign(instance, "exact", time_limit=3)
    assert found.cost.total <= cost(instance, packed).total
    assert found.bound <= found.cost.total


INTERRUPTED = """
import os, signal, threading, time
from topicweave.content import assign, evaluation_instance
from topicweave.content.exact import SOLVER

def solving():
    return any(thread.name == SOLVER for thread in threading.enumerate())

def press():
    while not solving():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
try:
    assign(evaluation_instance(60, 4, seed=1), "exact", time_limit=60)
except KeyboardInterrupt:
    print("interrupted", solving(), flush=True)
os._exit(0)
"""


def test_exact_does_not_wait_for_the_solver_when_interrupted():
    """Ctrl-C is pressed as soon as the solver's thread is there, which still runs when the call has ended."""
    process = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True, timeout=240
    )
    assert process.stdout == "interrupted True\n"


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
        (["best"], {}, UnknownAlgorithmError, r"no method \['best'\]"),
        (None, {}, UnknownAlgorithmError, "no method None"),
        ("random", {"passes": 1}, ParameterError, "it has none"),
        ("migrate", {"pases": 1}, ParameterError, "start, passes"),
        ("migrate", {"passes": 0}, ParameterError, "1 or more"),
        ("migrate", {"passes": 1.5}, ParameterError, "whole"),
        ("best", {"seeds": True}, ParameterError, "number"),
        ("best", {"seed": -1}, ParameterError, "seed must be"),
    ],
)
def test_bad_parameters(method, parameters, error, says):
    with pytest.raises(error, match=says):
        assign(smooth(0), method, **parameters)
