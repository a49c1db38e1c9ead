"""Reoptimise: saves links within the budget, and every topic stays connected."""

from __future__ import annotations

import pytest

import topicweave as tw
from tests.churn.traces import trace
from topicweave.churn import MAINTAINERS
from topicweave.errors import InputError, ParameterError


def test_reoptimise_wins_links_back_within_its_budget():
    maintainer, _ = trace(150, 300)
    before = maintainer.num_edges
    change = maintainer.reoptimise(40)
    assert 0 < change.num_changed <= 40
    assert maintainer.num_edges < before
    assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected


@pytest.mark.parametrize("name", [name for name in MAINTAINERS if name != "strict"])
@pytest.mark.parametrize("budget", [-1, 1.5, True, None])
def test_budget_out_of_range(name, four_brokers, budget):
    """This also holds where nothing can be saved."""
    with pytest.raises(ParameterError, match="budget"):
        MAINTAINERS[name](four_brokers).reoptimise(budget)


def test_a_strict_maintainer_does_not_reoptimise(four_brokers):
    """Saving links could violate the requirements, so reoptimise refuses whatever the budget is."""
    with pytest.raises(InputError, match="does not reoptimise"):
        MAINTAINERS["strict"](four_brokers).reoptimise(3)
