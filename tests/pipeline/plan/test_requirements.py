"""Requirements in a plan folder: they are read back as written, and damage is noticed."""

import numpy as np
import pytest

from topicweave.errors import InputError, ReadError
from topicweave.model import Requirements
from topicweave.pipeline.plan.requirements import (
    describe_requirements,
    read_requirements,
    requirements_in_words,
    write_requirements,
)

EVERYTHING = Requirements(
    max_hops=4, connectivity=3, link_cost={("eu", "us"): 80.5}, cost_weight=0.25, max_degree={"a": 3},
    forbidden=[("a", "b")], required=[("a", "c")], allowed=[("eu", "us"), ("eu", "eu")],
    regions={"a": "eu", "b": "us", "c": "us"},
)  # fmt: skip


@pytest.mark.parametrize(
    "requirements",
    [
        EVERYTHING,
        Requirements(max_degree=7),
        Requirements(link_cost={"a": (0, 1), "b": (2, 3)}),
        Requirements(allowed=[]),
    ],
)
def test_what_is_written_is_read_again(tmp_path, requirements):
    """Every requirement, costs as a table and as coordinates, and an empty list of allowed pairs, which is not none."""
    write_requirements(requirements, tmp_path, ("a", "b", "c"))
    assert read_requirements(tmp_path) == requirements


def test_a_matrix_gets_the_names_of_the_nodes(tmp_path):
    """So that it still fits when nodes join and leave; a matrix of another size is refused."""
    matrix = Requirements(link_cost=np.array([[0.0, 2.0], [2.0, 0.0]]))
    write_requirements(matrix, tmp_path, ("a", "b"))
    found = read_requirements(tmp_path)
    assert (found.link_cost.names, found.link_cost.table.tolist()) == (("a", "b"), [[0, 2], [2, 0]])
    with pytest.raises(InputError, match="2 rows, but there are 3 nodes"):
        write_requirements(matrix, tmp_path, ("a", "b", "c"))


def test_plans_without_requirements_have_none_and_damage_is_noticed(tmp_path):
    """A missing table of costs, and text that is no JSON."""
    write_requirements(None, tmp_path, ())
    assert read_requirements(tmp_path) is None
    write_requirements(EVERYTHING, tmp_path, ("a", "b", "c"))
    (tmp_path / "link_cost.parquet").unlink()
    with pytest.raises(ReadError, match=r"requirements\.json cannot be read"):
        read_requirements(tmp_path)
    (tmp_path / "requirements.json").write_text("[]")
    with pytest.raises(ReadError, match=r"requirements\.json cannot be read"):
        read_requirements(tmp_path)


def test_requirements_are_described_by_their_numbers():
    """In the manifest, and in words for people."""
    assert describe_requirements(EVERYTHING) == {
        "max_hops": 4, "connectivity": 3, "cost_weight": 0.25, "max_degree": 1, "forbidden": 1, "required": 1,
        "allowed": 2, "regions": 2,
    }  # fmt: skip
    assert requirements_in_words(EVERYTHING) == [
        "at most 4 hops between subscribers of a topic",
        "every topic stays connected when any 2 nodes fail",
        "links of low cost (weight 0.25)",
        "the capacities of 1 node",
        "1 forbidden pair",
        "1 required pair",
        "2 allowed pairs",
    ]
    assert requirements_in_words(Requirements(max_degree=9)) == ["at most 9 links for each node"]
