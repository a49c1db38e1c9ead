"""lower_bound(): never above the optimum, proved by its certificate, the same on any number of threads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import topicweave as tw
from tests import reference, reference_optimise
from topicweave.errors import InputError, ParameterError, TooLargeError
from topicweave.optimise import bound as module


def test_bound_is_never_above_the_optimum_and_checks(small_interests):
    """500 small instances, each solved by trying all sets of links."""
    num_tight = 0
    for interest in small_interests:
        found = tw.lower_bound(interest, rounds=4)
        best = reference_optimise.fewest_links(reference.topics_by_number(interest))
        assert found.check() <= best + 1e-9 and found.links <= best
        num_tight += found.links == best
    assert num_tight > 400  # a bound of 0 would not be above the optimum either


def test_bounds_under_a_cap_and_on_the_degree_hold(small_interests):
    """The capped bound is below the capped optimum, the degree's below the least maximum degree."""
    for interest in small_interests[:60]:
        topics_of = reference.topics_by_number(interest)
        least = reference_optimise.least_degree(topics_of)
        degree = tw.lower_bound(interest, objective="degree", rounds=8)
        assert degree.check() <= least + 1e-9
        if least:
            capped = tw.lower_bound(interest, max_degree=least, rounds=8)
            assert capped.check() <= reference_optimise.fewest_links(topics_of, least) + 1e-9


@pytest.mark.compiled
def test_a_cap_raises_the_bound():
    """A star's centre may not have all links, so some topics need a detour: the cap costs links."""
    leaves = {f"leaf{i}": [f"t{i}", f"t{(i + 1) % 6}"] for i in range(6)}
    interest = tw.Interest.from_sets({"hub": [f"t{i}" for i in range(6)], **leaves})
    free, capped = (tw.lower_bound(interest, max_degree=cap, rounds=60) for cap in (None, 3))
    assert free.value <= 6 + 1e-6
    assert capped.check() > free.value + 0.3


@pytest.mark.compiled
def test_more_rounds_prove_more():
    """Sixty rounds prove more than one, and put Greedy Merge at less than 20 % above the optimum."""
    interest = tw.workloads.synthetic(num_nodes=100, num_topics=100, subscriptions=10, seed=5)
    few, many = (tw.lower_bound(interest, rounds=rounds) for rounds in (1, 60))
    assert few.check() < many.check() <= tw.design(interest, "gm").overlay.num_edges
    assert many.gap(tw.design(interest, "gm").overlay.num_edges) < 0.2


def test_same_bound_on_any_number_of_threads():
    """Prices are whole numbers: two processes with other thread counts agree to the last digit."""
    program = (
        "import topicweave as tw\n"
        "import topicweave.optimise.tables as tables\n"
        "tables.ENTRIES_PER_THREAD = 1\n"
        "interest = tw.workloads.synthetic(num_nodes=60, num_topics=30, subscriptions=6, seed=2)\n"
        "found = tw.lower_bound(interest, rounds=5)\n"
        "print(found.value.hex(), [int(table.sum()) for table in found.certificate.prices])"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "NUMBA_NUM_THREADS": threads},
            capture_output=True, text=True, check=True,
        ).stdout
        for threads in ("1", "3")
    ]  # fmt: skip
    assert said[0] == said[1]


def test_ctrl_c_returns_the_best_so_far(monkeypatch):
    """Interrupted at the third step, the bound of the first two is returned, and it checks."""
    interest = tw.workloads.synthetic(num_nodes=30, num_topics=10, subscriptions=4, seed=1)
    steps = iter(range(100))
    original = module.Ascent.step

    def step(ascent):
        if next(steps) == 2:
            raise KeyboardInterrupt
        return original(ascent)

    monkeypatch.setattr(module.Ascent, "step", step)
    found = tw.lower_bound(interest, seconds=60)
    assert found.check() == pytest.approx(found.value) and found.value > 0


def test_a_real_ctrl_c_ends_the_search():
    """A signal soon after the first steps, wherever it arrives: what was proved until then is returned."""
    interest = tw.workloads.synthetic(num_nodes=1_500, num_topics=100, subscriptions=8, seed=1)
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))

    def begin(_):
        if timer.ident is None:
            timer.start()

    found = tw.lower_bound(interest, seconds=300, progress=begin)
    timer.join()
    assert found.check() >= found.value - 1e-6 > 0


@pytest.mark.parametrize(("num_subscribers", "sentence"), [(1_000_000, "GB allowed; ask for"), (70_000, "; ")])
def test_what_is_too_large_is_refused_before_any_work(num_subscribers, sentence, monkeypatch):
    """A bound on some pairs would prove nothing; the refusal comes before Greedy Merge runs."""
    monkeypatch.setattr(module, "_known", lambda *_: pytest.fail("a design was made"))
    labels = [f"n{v:07}" for v in range(num_subscribers)]
    indptr = np.arange(num_subscribers + 1)
    interest = tw.Interest.from_csr(labels, ["t"], indptr, np.zeros(num_subscribers, dtype=np.int64))
    with pytest.raises(TooLargeError, match=sentence) as told:
        tw.lower_bound(interest)
    assert str(told.value).count(". ") == 0


def test_nothing_to_connect_needs_no_link():
    """An empty interest, and topics with one subscriber."""
    assert tw.lower_bound(tw.Interest.from_pairs([])).links == 0
    assert tw.lower_bound(tw.Interest.from_pairs([("a", "x"), ("b", "y")])).check() == 0


def test_progress_is_told():
    """A callback hears of the bound."""
    told = []
    interest = tw.workloads.synthetic(num_nodes=200, num_topics=50, subscriptions=8, seed=1)
    tw.lower_bound(interest, seconds=1.5, progress=told.append)
    assert told and told[-1].phase.startswith("bound ")


@pytest.mark.parametrize(
    "given",
    [
        {"objective": "hops"},
        {"seconds": -1},
        {"rounds": 1.5},
        {"max_degree": 0},
        {"objective": "degree", "max_degree": 3},
    ],
)
def test_bad_parameters_are_refused(four_brokers, given):
    """A bound is not searched for with what cannot be."""
    with pytest.raises(ParameterError):
        tw.lower_bound(four_brokers, **given)


def test_other_things_than_an_interest_are_refused():
    with pytest.raises(InputError, match="needs an Interest"):
        tw.lower_bound([("a", "b")])
