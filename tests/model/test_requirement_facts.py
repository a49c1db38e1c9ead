"""Requirements as plain values: whatever JSON keeps of them makes the same requirements again."""

import json

import numpy as np
import pytest

from topicweave.errors import InputError
from topicweave.model import Requirements
from topicweave.model.requirement_facts import from_facts, to_facts, with_names


@pytest.mark.parametrize(
    "requirements",
    [
        Requirements(),
        Requirements(max_hops=4, connectivity=3, max_degree={"a": 3}, allowed=[]),
        Requirements(forbidden=[("a", "b")], required=[("a", "c")], regions={"a": "eu"}, max_degree=2),
        Requirements(link_cost={("eu", "us"): 80.5}, cost_weight=0.25),
        Requirements(link_cost={"a": (0, 1), "b": (2, 3)}),
        Requirements(link_cost=np.array([[0.0, 2.0], [2.0, 0.0]])),
    ],
)
def test_the_same_comes_back(requirements):
    """By way of JSON for the values, and an array for the costs."""
    facts, costs = to_facts(requirements)
    assert from_facts(json.loads(json.dumps(facts)), costs) == requirements


def test_a_matrix_gets_names_if_it_fits():
    """Other costs stay as they are."""
    matrix = Requirements(link_cost=np.array([[0.0, 2.0], [2.0, 0.0]]))
    assert with_names(matrix, ("a", "b")).link_cost.names == ("a", "b")
    named = Requirements(link_cost={("a", "b"): 1})
    assert with_names(named, ("x",)) is named
    with pytest.raises(InputError, match="2 rows, but there are 3 nodes"):
        with_names(matrix, ("a", "b", "c"))


def test_costs_of_another_size_are_refused():
    """A damaged file must not give one node the costs of another."""
    facts, costs = to_facts(Requirements(link_cost={("a", "b"): 1}))
    with pytest.raises(ValueError, match="2 names for 1 rows"):
        from_facts(facts, costs[:1])
