"""The programme by sets of brokers: its table of trees, and what its variables say about a placement."""

import numpy as np
import pytest

from tests.content.cases import broken
from tests.reference_optimum import tree_tables
from topicweave.content import cost
from topicweave.content.set_form import SetForm, tree_weights


@pytest.mark.parametrize("core", ["steiner", "multicast"])
@pytest.mark.parametrize("seed", range(20))
def test_the_table_holds_the_tree_over_every_set_and_broker(seed, core):
    """Against the cheapest of all sets of links that join them."""
    instance = broken(seed)
    count = instance.num_brokers
    found = tree_weights(instance, core)
    expected = tree_tables(instance.core_price.tolist(), count, core)[0]
    for j in range(count):
        for chosen in range(1, 2**count):
            assert found[j, chosen] == pytest.approx(expected[chosen | 1 << j])


@pytest.mark.parametrize("core", ["steiner", "multicast"])
@pytest.mark.parametrize("seed", range(12))
def test_a_fixed_placement_costs_what_the_evaluator_says(seed, core):
    """With every user pinned to a broker, the programme has one solution left, and prices it as cost() does."""
    instance = broken(seed, most_users=6).replace(capacity=np.inf)
    rng = np.random.default_rng(seed)
    broker = np.array([rng.choice(np.flatnonzero(row)) for row in np.isfinite(instance.access_price)])
    model = SetForm(instance, core)
    for i, j in enumerate(broker.tolist()):
        model.row([(model.x(i, j), 1.0)], 1, 1)
    found = model.solve(60, np.inf)
    assert model.brokers(found.x).tolist() == broker.tolist()
    assert found.mip_dual_bound == pytest.approx(cost(instance, broker, core).total, abs=1e-9)
