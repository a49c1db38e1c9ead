"""The exact programme against enumeration, and how it ends."""

import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from tests.content.cases import broken, dyadic, smooth
from tests.reference_optimum import optimum
from topicweave.content import CORES, Instance, assign, cost, evaluation_instance, lower_bound
from topicweave.content.migration import improve_on_core
from topicweave.errors import InfeasibleError, ParameterError, TooLargeError


def small(seed, most_users):
    """Two kinds, up to so many users, three brokers and three channels; capacity from ample to tight."""
    rng = np.random.default_rng(seed)
    users, brokers, channels = (int(rng.integers(*ends)) for ends in ((2, most_users + 1), (1, 4), (1, 4)))
    return (dyadic, smooth)[seed % 2](seed, users, brokers, channels, spare=(2.0, 1.5)[seed // 2 % 2])


def check_exact(instance):
    found = assign(instance, "exact")
    assert found.cost.total == pytest.approx(optimum(instance, "steiner"), abs=1e-9)
    assert found.gap == pytest.approx(0, abs=1e-6)
    assert np.all(found.cost.load <= instance.limit)


def compare(instance, core, form):
    """The optimum is that of all placements and trees; or both find that nothing fits."""
    least = optimum(instance, core)
    if np.isinf(least):
        with pytest.raises(InfeasibleError):
            assign(instance, "exact", core=core, form=form)
        return
    found = assign(instance, "exact", core=core, form=form, time_limit=600)
    assert found.notes == (f"The optimum, proved, for {core} trees.",)
    assert found.cost.total == pytest.approx(least, rel=1e-7, abs=1e-12)
    assert np.all(found.cost.load <= instance.limit)
    assert lower_bound(instance, core).total <= least * (1 + 1e-9)
    for other in CORES:  # under no reading does anything beat the optimum with relays
        assert core != "steiner" or least <= cost(instance, found.broker, other).total * (1 + 1e-9)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(30))
def test_exact_equals_every_placement_and_tree(seed, core):
    """Odd seeds: with missing core links, and users who reach some brokers only."""
    compare(broken(seed, 6), core, "auto")


@pytest.mark.slow
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(1000, 1300))
def test_exact_equals_every_placement_and_tree_of_300_instances(seed, core):
    compare(broken(seed), core, "auto")


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(15))
def test_the_linear_form_has_the_same_optimum(seed, core):
    compare(broken(seed, 6), core, "flows")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1100))
def test_the_linear_form_has_the_same_optimum_on_100_instances(seed):
    compare(broken(seed), "steiner", "flows")


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_nothing_beats_what_is_called_an_optimum(seed):
    """No method, under any core, nor a placement drawn at random; and with relays, no evaluator at all."""
    instance = broken(seed, 5, 4, 2)
    try:
        proved = {core: assign(instance, "exact", core=core) for core in CORES}
    except InfeasibleError:
        reject()
    assert [found.notes[0] for found in proved.values()] == [
        f"The optimum, proved, for {core} trees." for core in CORES
    ]
    placed = [found.broker for found in proved.values()]
    for method in ("random", "greedy_packing", "clustering", "steiner_mixing", "best"):
        with suppress(InfeasibleError):
            placed += [assign(instance, method, core=core, seed=seed % 7).broker for core in CORES]
    rng = np.random.default_rng(seed)
    for _ in range(20):
        drawn = np.array([rng.choice(np.flatnonzero(row)) for row in np.isfinite(instance.access_price)])
        if (np.bincount(drawn, instance.need, instance.num_brokers) <= instance.limit).all():
            placed.append(drawn)
    for core in CORES:
        least = min(cost(instance, broker, core).total for broker in placed)
        assert proved[core].cost.total <= least * (1 + 1e-7)
        assert proved["steiner"].cost.total <= least * (1 + 1e-7)


def test_there_are_no_sets_for_one_tree():
    with pytest.raises(ParameterError, match="form cannot be 'sets' with core='tree'"):
        assign(broken(1), "exact", core="tree", form="sets")


def test_the_optimum_of_the_paper_is_not_the_optimum():
    """Its spanning trees cost 4.03 where one relay, which even a single tree for all brokers uses, makes it 3.03."""
    core = np.full((4, 4), 2.0)
    core[3], core[:, 3] = 1.0, 1.0
    prices = np.full((3, 4), 100.0)
    prices[[0, 1, 2], [0, 1, 2]] = 0.01
    star = Instance([[1], [0], [0]], [[0], [1], [1]], prices, core, 9)
    found = {core: assign(star, "exact", core=core).cost.total for core in CORES}
    assert found == pytest.approx({"steiner": 3.03, "multicast": 4.03, "tree": 3.03})


@pytest.mark.parametrize("scale", [1e-200, 3e-8, 1e12])
@pytest.mark.parametrize("seed", range(6))
def test_exact_is_right_at_any_scale(scale, seed):
    """HiGHS has absolute tolerances: at small rates brokers were overloaded and the optimum missed."""
    base = small(seed, 5)
    least = optimum(base, "steiner")
    rates = base.replace(publish=base.publish * scale, capacity=base.capacity * scale)
    prices = base.replace(access_price=base.access_price * scale, core_price=base.core_price * scale)
    for instance in (rates, prices):
        found = assign(instance, "exact")
        assert found.cost.total / scale == pytest.approx(least, abs=1e-9)
        assert np.all(found.cost.load <= instance.limit)
        assert found.notes == ("The optimum, proved, for steiner trees.",)


def test_a_price_above_all_others_hides_nothing():
    """A price of 1e15, which means "never", would push all others below the tolerances."""
    base = small(5, 5)
    access = base.access_price.copy()
    access[0, np.argmax(access[0])] = 1e15
    check_exact(base.replace(access_price=access))


def test_an_overload_within_the_solvers_tolerance_is_refused():
    """Two users exceed the cheap broker by a share of 1e-7, which HiGHS overlooks; one has to go elsewhere."""
    tight = Instance([[1], [1], [1]], np.ones((3, 1)), [[0, 1, 1]] * 3, 1 - np.eye(3), 6 * (1 - 1e-7))
    found = assign(tight, "exact")
    assert np.bincount(found.broker, minlength=3).tolist() == [1, 1, 1]
    assert found.notes == ("The optimum, proved, for steiner trees.",)


def test_a_wrong_answer_of_the_solver_is_not_called_proved(monkeypatch):
    """A solver that leaves the objective out calls any assignment optimal; the evaluator finds another cost."""
    import scipy.optimize

    solve = scipy.optimize.milp
    monkeypatch.setattr(scipy.optimize, "milp", lambda objective, **more: solve(0 * objective, **more))
    instance = small(3, 5)
    found = assign(instance, "exact")
    assert found.notes != ("The optimum, proved, for steiner trees.",)
    assert found.bound <= optimum(instance, "steiner")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60, 460))
def test_exact_equals_enumeration_up_to_eight_users(seed):
    check_exact(small(seed, 8))


def test_exact_stops_with_a_bound():
    instance = smooth(1, 14, 4, 12)
    found = assign(instance, "exact", time_limit=0.5)
    assert 0 <= found.bound <= found.cost.total * (1 + 1e-9)
    assert np.all(found.cost.load <= instance.limit)


def test_exact_that_is_stopped_is_no_worse_than_what_takes_no_time():
    """The solver's first assignments may be worse than random ones."""
    instance = evaluation_instance(60, 4, seed=1)
    packed, _, _ = improve_on_core(instance, assign(instance, "greedy_packing").broker, "steiner")
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
    """An instance that is too large is refused before it is begun, with the method to use instead."""
    with pytest.raises(TooLargeError, match="use 'best'"):
        assign(smooth(1, 20, 20, 10), "exact")


def test_exact_proves_that_nothing_fits():
    """Three users of 2 and two brokers of 3: room for 6 in total, but no user can be split."""
    tight = Instance([[2], [0], [0], [0]], [[0], [1], [1], [1]], np.ones((4, 2)), [[0, 1], [1, 0]], 6)
    assert assign(tight, "exact").cost.load.max() <= 6
    with pytest.raises(InfeasibleError, match="No assignment of the 3 users"):
        assign(Instance([[1], [1], [1]], np.zeros((3, 1)) + 1, np.ones((3, 2)), [[0, 1], [1, 0]], 5), "exact")
