"""Synthetic interests."""

import hashlib
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicweave.errors import ParameterError, TooLargeError
from topicweave.workloads import POPULARITIES, synthetic, topic_probabilities
from topicweave.workloads.synthetic import _num_bytes


@given(
    num_nodes=st.integers(1, 30),
    num_topics=st.integers(1, 30),
    popularity=st.sampled_from(sorted(POPULARITIES)),
    alpha=st.floats(0, 4),
    seed=st.integers(0, 2**70),
    data=st.data(),
)
@settings(deadline=None)
def test_sizes_lie_in_range_and_topics_are_distinct(num_nodes, num_topics, popularity, alpha, seed, data):
    smallest = data.draw(st.integers(1, num_topics))
    largest = data.draw(st.integers(smallest, num_topics))
    interest = synthetic(
        num_nodes, num_topics, popularity=popularity, alpha=alpha, subscriptions=(smallest, largest), seed=seed
    )
    sizes = [len(topics) for topics in interest.to_sets().values()]
    assert sum(sizes) == interest.num_subscriptions
    assert all(smallest <= size <= largest for size in sizes)
    assert (interest.num_nodes, interest.num_topics) == (num_nodes, num_topics)


def test_labels_sort_as_numbers():
    """Numbers in labels have leading zeros, so that their order is that of the numbers."""
    interest = synthetic(1001, 100, seed=3)
    assert interest.nodes[42] == "node-0042"
    assert interest.topics[7] == "topic-07"
    assert list(interest.nodes) == sorted(interest.nodes)
    assert list(interest.topics) == sorted(interest.topics)


def test_same_seed_same_interest_other_seed_another():
    assert synthetic(50, 40, seed=9) == synthetic(50, 40, seed=9)
    assert synthetic(50, 40, seed=9) != synthetic(50, 40, seed=10)


@pytest.mark.parametrize(
    ("arguments", "digest"),
    [
        ({"num_nodes": 300, "num_topics": 100}, "2c163934048a5abb"),
        ({"num_nodes": 300, "num_topics": 1000, "popularity": "exponential"}, "5472234cbd64bb3f"),
        ({"num_nodes": 200, "num_topics": 1000, "alpha": 2.0, "subscriptions": (20, 600)}, "0c8b7912fc6853e1"),
        ({"num_nodes": 200, "num_topics": 1000, "popularity": "uniform", "seed": 7}, "4f8f236067d0a2b3"),
    ],
)
def test_workloads_stay_what_they_were(arguments, digest):
    """Published figures name a seed; the interest behind it must not change from machine to machine or version."""
    interest = synthetic(**arguments)
    content = interest.indptr.astype("<i8").tobytes() + interest.indices.astype("<i4").tobytes()
    assert hashlib.sha256(content).hexdigest()[:16] == digest


@pytest.mark.parametrize(
    ("law", "weight"),
    [
        ({}, lambda s: s**-2.0),
        ({"size_exponent": 4}, lambda s: s**-4.0),
        ({"size_exponent": 0}, lambda s: s**0.0),
        ({"size_law": "shifted_power"}, lambda s: (s - 9) ** -2.0),
        ({"size_law": "shifted_power", "size_exponent": 0.5}, lambda s: (s - 9) ** -0.5),
    ],
)
def test_sizes_follow_their_law(law, weight):
    """Every size of 10-60 is as frequent as its law says, and the mean is as computed."""
    interest = synthetic(40_000, 100, popularity="uniform", subscriptions=(10, 60), seed=2, **law)
    sizes = np.diff(interest.indptr)
    mass = weight(np.arange(10, 61).astype(float))
    mass /= mass.sum()
    seen = np.bincount(sizes, minlength=61)[10:] / len(sizes)
    assert np.abs(seen - mass).max() < 5 * np.sqrt(mass.max() / len(sizes))
    assert sizes.mean() == pytest.approx((mass * np.arange(10, 61)).sum(), rel=0.01)


@pytest.mark.parametrize("popularity", POPULARITIES)
def test_single_subscriptions_follow_the_popularity(popularity):
    """With one topic per node the counts are multinomial: each within five standard deviations."""
    p = topic_probabilities(50, popularity, alpha=1.0)
    interest = synthetic(50_000, 50, popularity=popularity, alpha=1.0, subscriptions=1, seed=4)
    counts = np.bincount(interest.indices, minlength=50)
    assert (np.abs(counts - 50_000 * p) < 5 * np.sqrt(50_000 * p * (1 - p)) + 1).all()


def test_a_steeper_exponential_law_is_passed_on():
    """With one topic per node, the top tenth is drawn as often as top_tenth says: within five standard deviations."""
    interest = synthetic(50_000, 50, popularity="exponential", top_tenth=0.841, subscriptions=1, seed=4)
    assert abs((interest.indices < 5).mean() - 0.841) < 5 * np.sqrt(0.841 * 0.159 / 50_000)


def test_all_topics_of_a_node_is_legal():
    assert synthetic(3, 5, subscriptions=5).num_subscriptions == 15


def test_numpy_integers_are_numbers_too():
    assert synthetic(
        np.int64(5), np.int32(20), subscriptions=(np.int64(2), np.int64(4)), seed=np.int64(1)
    ) == synthetic(5, 20, subscriptions=(2, 4), seed=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"num_nodes": 0}, "num_nodes must be a whole number, 1 or more, but is 0"),
        ({"num_nodes": -3}, "num_nodes must be a whole number, 1 or more, but is -3"),
        ({"num_topics": 0}, "num_topics must be a whole number, 1 or more"),
        ({"num_topics": "many"}, "num_topics must be a whole number, 1 or more, but is 'many'"),
        ({"popularity": "flat"}, "There is no popularity 'flat'"),
        ({"alpha": -1}, "alpha must be a finite number, 0 or more, but is -1"),
        ({"subscriptions": 0}, "subscriptions must be a whole number, 1 or more, but is 0"),
        ({"subscriptions": (0, 5)}, "subscriptions must be a whole number, 1 or more, but is 0"),
        ({"subscriptions": 2.5}, "subscriptions must be a whole number, 1 or more, but is 2.5"),
        ({"subscriptions": (5, 3)}, "subscriptions=(5, 3) runs from more to less"),
        ({"subscriptions": (1, 2, 3)}, "subscriptions must be a number or (smallest, largest), but is (1, 2, 3)"),
        ({"subscriptions": 21}, "A node cannot draw 21 distinct topics of 20"),
        ({"subscriptions": (2, 21)}, "A node cannot draw 21 distinct topics of 20"),
        ({"size_law": "zipf"}, "There is no law of sizes called 'zipf'; choose one of: power, shifted_power."),
        ({"size_exponent": -1}, "size_exponent must be a number from 0 to 32, but is -1"),
        ({"size_exponent": 33}, "size_exponent must be a number from 0 to 32, but is 33"),
        ({"top_tenth": 1}, "top_tenth must be a number from 0.1 to 0.999, but is 1"),
        ({"seed": -1}, "seed must be a whole number, 0 or more, but is -1"),
        ({"seed": None}, "seed must be a whole number, 0 or more, but is None"),
    ],
)
def test_bad_parameters_are_named(arguments, words):
    """Each wrong value is refused in a sentence that names it."""
    with pytest.raises(ParameterError) as caught:
        synthetic(**{"num_nodes": 10, "num_topics": 20, **arguments})
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: synthetic(10**12, 100), "1,000,000,000,000 nodes and 100 topics would take about 510000.00 GB"),
        (lambda: synthetic(10, 10**12), "10 nodes and 1,000,000,000,000 topics would take about 100000.00 GB"),
        (lambda: synthetic(10**7, 10**6, subscriptions=(1, 10**6)), "ask for fewer nodes, topics or subscriptions"),
        (lambda: synthetic(10**40, 100), "GB allowed"),
        (lambda: topic_probabilities(10**12), "The probabilities of 1,000,000,000,000 topics"),
    ],
)
def test_too_large_is_refused_before_allocating(monkeypatch, call, words):
    """With an estimate and what to do, whatever the machine has."""
    monkeypatch.setattr("topicweave.parameters.default_limit", lambda: 4 * 10**9)
    with pytest.raises(TooLargeError) as caught:
        call()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("num_nodes", "num_topics", "bounds", "law"),
    [
        (20_000, 100, (10, 10), {}),
        (20_000, 200, (10, 60), {}),
        (20_000, 200, (10, 60), {"size_law": "shifted_power", "size_exponent": 4}),
        (5000, 200, (20, 200), {"size_exponent": 0}),
        (5000, 200, (100, 100), {}),
        (10, 100_000, (1, 5), {}),
    ],
)
def test_the_estimate_is_about_what_is_taken(num_nodes, num_topics, bounds, law):
    """So that little is refused that would fit, and little let through that would not."""
    tracemalloc.start()
    synthetic(num_nodes, num_topics, subscriptions=bounds, **law)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.5 * taken < _num_bytes(num_nodes, num_topics, *bounds, **law) < 2 * taken
