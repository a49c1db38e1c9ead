"""Instances drawn as in the paper's evaluation."""

import numpy as np
import pytest

from topicweave.content import evaluation_instance
from topicweave.errors import ParameterError


@pytest.mark.parametrize("ratio", [0.1, 1, 10])
def test_evaluation_instances_are_as_settled(ratio):
    found = evaluation_instance(400, 20, 50, price_ratio=ratio, seed=3)
    core = found.core_price[np.triu_indices(20, 1)]
    assert found.access_price.mean() / core.mean() == pytest.approx(ratio)
    assert found.capacity.sum() == pytest.approx(2 * found.need.sum())
    assert len(set(found.capacity)) == 1 and found.notes == ()
    runs = np.diff(np.pad(found.subscribe.astype(int), ((0, 0), (1, 1))), axis=1)
    assert ((runs == 1).sum(axis=1) == 1).all()  # one interval each
    assert 0 < (found.publish == 0).mean() < 1  # negative parts are cut
    assert np.array_equal(evaluation_instance(400, 20, 50, price_ratio=ratio, seed=3).publish, found.publish)
    assert not np.array_equal(evaluation_instance(400, 20, 50, seed=4).publish, found.publish)


def test_evaluation_instances_refuse_nonsense():
    """Sizes, seed and ratio that cannot be are refused by name."""
    with pytest.raises(ParameterError, match="num_users"):
        evaluation_instance(1, 1)
    with pytest.raises(ParameterError, match="num_brokers must be a whole number, 1 or more, but is None"):
        evaluation_instance(10, None)
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        evaluation_instance(10, 2, seed=None)
    with pytest.raises(ParameterError, match="price_ratio"):
        evaluation_instance(10, 2, price_ratio=0)
