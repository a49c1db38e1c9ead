"""Weighted draws without replacement: both ways draw from the one distribution, whatever the chunking."""

import numpy as np
import pytest

from topicweave.workloads import sampling, topic_probabilities
from topicweave.workloads.sampling import draw_distinct

NUM_TOPICS, NUM_ROWS = 40, 40_000


@pytest.fixture(params=["race only", "rounds first"])
def way(request, monkeypatch):
    """Force one way or the other, whatever the sizes."""
    monkeypatch.setattr(sampling, "SPARSE", 0 if request.param == "rounds first" else 10**9)
    return request.param


def generator(seed=5):
    return np.random.Generator(np.random.PCG64(seed))


@pytest.mark.parametrize("alpha", [0.0, 0.5, 3.0])
def test_pairs_come_as_often_as_sequential_draws_would_have_them(way, alpha):
    """P({i, j}) = p_i p_j / (1 − p_i) + p_j p_i / (1 − p_j); every pair within five standard deviations.

    With alpha = 3 the first topic holds 83 % of the mass: rounds leave rows that a race completes.
    """
    p = topic_probabilities(NUM_TOPICS, "zipf", alpha=alpha)
    codes = draw_distinct(generator(), p, np.full(NUM_ROWS, 2))
    first, second = (codes % NUM_TOPICS).reshape(-1, 2).T
    seen = np.zeros((NUM_TOPICS, NUM_TOPICS))
    np.add.at(seen, (first, second), 1)
    joint = np.outer(p / (1 - p), p)
    expected = np.triu(joint + joint.T, 1) * NUM_ROWS
    assert expected.sum() == pytest.approx(NUM_ROWS)
    assert (np.abs(seen - expected) <= 5 * np.sqrt(expected) + 5).all()


def test_rounds_leave_rows_to_the_race(monkeypatch):
    """The case above really goes both ways: under a steep law the rounds end with rows not full."""
    monkeypatch.setattr(sampling, "SPARSE", 0)
    calls = []
    race = sampling._race
    monkeypatch.setattr(
        sampling, "_race", lambda rng, p, sizes, taken: calls.append((sizes, taken)) or race(rng, p, sizes, taken)
    )
    draw_distinct(generator(), topic_probabilities(NUM_TOPICS, alpha=3.0), np.full(1000, 2))
    (sizes, taken), *_ = calls
    assert 0 < np.count_nonzero(sizes) < 1000
    assert len(taken) + sizes.sum() == 2000


@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_rows_are_distinct_rising_and_of_the_size_asked_for(way, alpha):
    sizes = generator(1).integers(1, NUM_TOPICS + 1, size=500)
    codes = draw_distinct(generator(2), topic_probabilities(NUM_TOPICS, alpha=alpha), sizes)
    assert (np.diff(codes) > 0).all()
    np.testing.assert_array_equal(np.bincount(codes // NUM_TOPICS, minlength=500), sizes)


def test_race_does_not_depend_on_the_chunk(monkeypatch):
    sizes = generator(1).integers(1, NUM_TOPICS + 1, size=300)
    p = topic_probabilities(NUM_TOPICS, alpha=2.0)
    at_once = draw_distinct(generator(), p, sizes)
    monkeypatch.setattr(sampling, "RACE_KEYS", 3 * NUM_TOPICS + 1)
    np.testing.assert_array_equal(draw_distinct(generator(), p, sizes), at_once)


def test_steepest_allowed_law_neither_overflows_nor_ties():
    """Ratios of 1e300: all topics can be drawn, three are always the first three, and the last left is a rare one."""
    p = topic_probabilities(1000, "zipf", alpha=100.0)
    codes = draw_distinct(generator(), p, np.array([1000, 999, 3]))
    assert codes[:1000].tolist() == list(range(1000))
    (left_out,) = set(range(1000, 2000)) - set(codes[1000:1999].tolist())
    assert left_out > 1900
    assert codes[1999:].tolist() == [2000, 2001, 2002]
