"""Resolved requirements: vectorised answers about pairs of node numbers."""

import numpy as np

from topicweave import Interest, Requirements
from topicweave.model import resolved

INTEREST = Interest.from_pairs([(f"n{i}", "t") for i in range(6)])


def test_pairs_may_come_in_either_direction():
    """Permission and cost are those of the link."""
    r = Requirements(forbidden=[("n1", "n4")], link_cost={f"n{i}": (i,) for i in range(6)}).resolve(INTEREST)
    pairs = np.array([[1, 4], [4, 1], [0, 4], [4, 0]])
    assert r.permits(pairs).tolist() == [False, False, True, True]
    assert r.costs(pairs).tolist() == [3, 3, 4, 4]


def test_the_mean_does_not_depend_on_the_size_of_blocks(monkeypatch):
    """It is computed in blocks of rows; forbidden pairs do not count."""
    r = Requirements(forbidden=[("n0", "n5")], link_cost={f"n{i}": (i, i) for i in range(6)})
    whole = r.resolve(INTEREST).mean_cost
    monkeypatch.setattr(resolved, "ROWS_AT_A_TIME", 2)
    expected = np.mean([(v - u) * 2**0.5 for u in range(6) for v in range(u + 1, 6) if (u, v) != (0, 5)])
    assert np.isclose(r.resolve(INTEREST).mean_cost, whole) and np.isclose(whole, expected)


def test_costs_that_are_all_zero_count_nothing():
    """The mean is taken as 1, so that nothing is divided by zero."""
    r = Requirements(link_cost=np.zeros((6, 6)), cost_weight=0.5).resolve(INTEREST)
    assert r.weights(np.array([[0, 1]])).tolist() == [0.5]
