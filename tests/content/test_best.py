"""``best`` against the optimum and against the methods it starts from."""

import numpy as np
import pytest

from tests.content.cases import smooth
from topicweave.content import Instance, assign, evaluation_instance, lower_bound
from topicweave.errors import InfeasibleError

THREE = ("greedy_packing", "clustering", "steiner_mixing")


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
