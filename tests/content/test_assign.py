"""Every method against the contract of assign()."""

import numpy as np
import pytest

from tests.content.cases import smooth
from topicweave.content import METHODS, assign, cost
from topicweave.errors import ParameterError, UnknownAlgorithmError


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
    """Each wrong value is refused in a sentence that names it."""
    with pytest.raises(error, match=says):
        assign(smooth(0), method, **parameters)
