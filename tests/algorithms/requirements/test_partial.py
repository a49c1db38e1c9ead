"""gpa and gpm with budgets for single nodes."""

import pytest

import topicweave as tw
from topicweave import Interest, Requirements
from topicweave.errors import ImpossibleError, ParameterError

INTEREST = tw.workloads.synthetic(num_nodes=40, num_topics=8, popularity="zipf", alpha=0.5, subscriptions=4, seed=0)
NODES = INTEREST.nodes


@pytest.mark.parametrize(("algorithm", "budget"), [("gpa", {"m": 30}), ("gpm", {"d": 3})])
def test_budgets_of_nodes_are_kept_and_used(algorithm, budget):
    """Each node has at most its own number of links, and the rest of the budget is spent elsewhere."""
    requirements = Requirements(
        max_degree={NODES[0]: 0, NODES[1]: 1}, required=[(NODES[1], NODES[2])], forbidden=[(NODES[3], NODES[4])]
    )
    plain = tw.design(INTEREST, algorithm, **budget)
    made = tw.design(INTEREST, algorithm, requirements=requirements, **budget)
    report = tw.verify(INTEREST, made.overlay, requirements)
    assert not report.violations and made.overlay.degrees[0] == 0
    assert made.overlay.num_edges <= budget.get("m", 999) and made.overlay.maximum_degree <= budget.get("d", 999)
    assert made.support > 0.8 * plain.support and report.support == pytest.approx(made.support)


@pytest.mark.parametrize(("algorithm", "budget"), [("gpa", {"m": 30}), ("gpm", {"d": 3})])
def test_limits_that_do_not_bind_change_nothing(algorithm, budget):
    """The links are those without requirements, in the same order."""
    plain = tw.design(INTEREST, algorithm, **budget).overlay
    made = tw.design(INTEREST, algorithm, requirements=Requirements(max_degree=39), **budget).overlay
    assert made.pairs() == plain.pairs()


def test_more_required_links_than_the_budget_are_impossible():
    """The budget may be given for all links, or for one node."""
    three = Interest.from_sets({node: ["t"] for node in "abc"})
    required = Requirements(required=[("a", "b"), ("a", "c")])
    with pytest.raises(ImpossibleError, match="2 required links, more than m=1"):
        tw.design(three, "gpa", m=1, requirements=required)
    with pytest.raises(ImpossibleError, match="'a' has 2 required links, but its max_degree is 1"):
        tw.design(three, "gpm", d=1, requirements=required)


def test_other_requirements_are_refused():
    """An algorithm that leaves topics unconnected cannot promise a number of hops."""
    with pytest.raises(ParameterError, match="'gpa' does not take the requirement max_hops; gm, minmax, low do"):
        tw.design(INTEREST, "gpa", m=5, requirements=Requirements(max_hops=3))
