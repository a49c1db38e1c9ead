"""What every form of the exact programme has in common: users at one broker each, in reach and within capacity."""

from itertools import product

import numpy as np
import pytest

from tests.content.cases import broken, dyadic
from topicweave.content.programme import MOST_VARIABLES, Programme
from topicweave.errors import TooLargeError


def cheapest_access(instance):
    """The least access cost of any placement within capacity; infinite if there is none."""
    best = np.inf
    for chosen in product(range(instance.num_brokers), repeat=instance.num_users):
        load = np.bincount(chosen, weights=instance.need, minlength=instance.num_brokers)
        prices = instance.access_price[np.arange(instance.num_users), chosen]
        if (load <= instance.limit).all() and np.isfinite(prices).all():
            best = min(best, float(instance.need @ prices))
    return best


@pytest.mark.parametrize("seed", range(25))
def test_without_a_core_the_cheapest_placement_is_found(seed):
    """Against all placements; where none fits, the solver says that there is none."""
    instance = broken(seed, most_users=5)
    model = Programme(instance)
    found = model.solve(60, np.inf)
    least = cheapest_access(instance)
    if np.isinf(least):
        assert found.status == 2
        return
    broker = model.brokers(found.x)
    assert not model.overloaded(broker) and model.tree(found.x) is None
    paid = float(instance.need @ instance.access_price[np.arange(instance.num_users), broker])
    assert paid == pytest.approx(least, abs=1e-9) and found.mip_dual_bound <= least + 1e-9


def test_channels_with_the_same_subscribers_are_one():
    """What a user publishes on them is added up, and nothing is lost."""
    instance = dyadic(3, 6, 3, 5)
    doubled = instance.replace(
        publish=np.hstack((instance.publish, instance.publish)),
        subscribe=np.hstack((instance.subscribe, instance.subscribe)),
        channels=None,
    )
    single, double = Programme(instance), Programme(doubled)
    np.testing.assert_array_equal(single.wanted, double.wanted)
    np.testing.assert_array_equal(2 * single.rate, double.rate)
    assert len({tuple(column) for column in single.wanted.T.tolist()}) == single.wanted.shape[1]
    np.testing.assert_allclose(single.rate.sum(axis=1), instance.outflow)


def test_overloaded_brokers_are_named_with_their_users():
    instance = dyadic(1, 4, 2, 2)
    tight = instance.replace(capacity=[float(instance.need.sum()), float(instance.need.max())])
    assert instance.need[[1, 2]].sum() > instance.need.max()
    assert Programme(tight).overloaded(np.array([0, 1, 1, 0])) == [(1, [1, 2])]
    assert Programme(tight).overloaded(np.zeros(4, dtype=np.int64)) == []


def test_rows_and_variables_make_a_matrix_and_too_many_are_refused():
    model = Programme(dyadic(1, 4, 2, 2))
    first, rows = model.variables(3, 2.5), len(model.low)
    assert first == 8 and model.num_variables == 11
    model.row([(first, 1.0), (first + 2, -1.0), (first, 1.0)], 0, 1)
    assert model.matrix().toarray()[rows].tolist() == [0.0] * 8 + [2.0, 0.0, -1.0]
    with pytest.raises(TooLargeError, match="use 'best' instead"):
        model.variables(MOST_VARIABLES)
