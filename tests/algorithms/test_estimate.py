"""Estimates of what a design will cost."""

import pytest

from topicweave.algorithms import design
from topicweave.algorithms.estimate import PYTHON_ITSELF, SECONDS_TO_BEGIN, estimate, interest_bytes
from topicweave.errors import TooLargeError
from topicweave.model import Interest
from topicweave.reports.profile import profile
from topicweave.workloads import synthetic


def even(num_nodes):
    return synthetic(num_nodes=num_nodes, num_topics=100, popularity="uniform", subscriptions=10, seed=0)


def work(found):
    """The time that depends on the interest, whatever the number of cores."""
    return found.seconds - SECONDS_TO_BEGIN


def test_it_grows_with_the_pairs():
    """Twice the nodes, four times the pairs; nodes that no link can help cost nothing."""
    small, large = (estimate(even(nodes)) for nodes in (10_000, 20_000))
    empty = estimate(Interest.from_pairs([(f"n{i}", f"t{i}") for i in range(1000)]))
    assert (small.candidates, large.candidates, large.num_candidates) == ("all", "all", None)
    assert 3 < (large.memory - empty.memory) / (small.memory - empty.memory) < 4.5
    assert 3 < work(large) / work(small) < 4.5
    assert 2e8 < small.memory < 5e8
    assert empty.seconds < 0.1


def test_beyond_the_bound_of_auto_it_grows_with_the_candidates(monkeypatch):
    """The estimate is that of what ``auto`` takes: near candidates, linear in the nodes, and the profile says so."""
    monkeypatch.setattr("topicweave.algorithms.options.AUTO_NODES", 999)
    small, large = (estimate(even(nodes)) for nodes in (2_000, 4_000))
    assert (small.candidates, small.num_candidates) == ("near", 16)
    assert 1.8 < work(large) / work(small) < 2.2
    assert estimate(even(900)).candidates == "all"
    told = profile(even(2_000))
    assert told.to_dict()["estimated_candidates"] == "near"
    assert "near candidates, 16 for each node" in told.summary()
    assert "all pairs" in profile(even(900)).summary()


@pytest.mark.parametrize("auto_nodes", [99, 100])
def test_memory_is_what_a_limit_is_held_against(monkeypatch, auto_nodes):
    """With one byte less than the arrays take, design() refuses; with as much, it does not."""
    monkeypatch.setattr("topicweave.algorithms.options.AUTO_NODES", auto_nodes)
    interest = even(100)
    arrays = estimate(interest).memory - PYTHON_ITSELF - interest_bytes(interest)
    assert design(interest, "gm", memory_limit=arrays).support == 1
    with pytest.raises(TooLargeError):
        design(interest, "gm", memory_limit=arrays - 1)


def test_a_tiny_design_takes_little_memory_of_its_own():
    """The memory of Python itself is reported separately, because it would hide what five subscriptions add."""
    tiny = Interest.from_pairs([("a", "x"), ("b", "x"), ("c", "x"), ("c", "y"), ("d", "y")])
    found = profile(tiny)
    assert interest_bytes(tiny) < found.to_dict()["estimated_added_memory_bytes"] < (32 << 20) + 10_000
    assert found.cost.memory == found.cost.added_memory + PYTHON_ITSELF
    assert "34 MB at most, beside the 157 MB of Python and its libraries, 0." in found.summary()
