"""Requirements from tables: costs in three forms, capacities, pairs, and regions."""

import pytest

from topicweave.errors import ReadError
from topicweave.model import Requirements
from topicweave.pipeline.plan.requirement_tables import read_caps, read_costs, read_pairs, requirements_from


def test_every_table_becomes_the_same_requirements_as_its_content(write):
    """All files at once, against the object made of plain values."""
    found = requirements_from(
        max_hops=8,
        connectivity=2,
        link_cost=write("rtt.csv", "source,target,cost\neu,us,80\neu,asia,150\n"),
        cost_weight=0.5,
        max_degree=write("caps.csv", "max_degree,node\n3,a\n5,b\n"),
        forbidden=write("forbidden.csv", "source,target\na,b\nus,asia\n"),
        required=write("required.csv", "source,target,why\na,c,cable\n"),
        allowed=write("allowed.csv", "source,target\neu,us\n"),
        regions=write("nodes.csv", "node,region\na,eu\nb,us\nc,asia\n"),
    )
    assert found == Requirements(
        max_hops=8, connectivity=2, link_cost={("eu", "us"): 80, ("eu", "asia"): 150}, cost_weight=0.5,
        max_degree={"a": 3, "b": 5}, forbidden=[("a", "b"), ("us", "asia")], required=[("a", "c")],
        allowed=[("eu", "us")], regions={"a": "eu", "b": "us", "c": "asia"},
    )  # fmt: skip


def test_a_number_and_objects_are_taken_as_they_are():
    """A limit for all nodes may come as text from the command line; nothing given requires nothing."""
    assert requirements_from(max_degree="12") == Requirements(max_degree=12)
    assert requirements_from(max_degree={"a": 1}, forbidden=[("a", "b")]).forbidden == (("a", "b"),)
    assert requirements_from(max_hops=None, cost_weight=None) is None
    assert requirements_from(regions={"a": "eu"}).regions == {"a": "eu"}


def test_costs_come_in_three_forms(write):
    """By pair, as a square table whose two directions may differ, and by coordinates."""
    assert read_costs(write("a.csv", "source,target,rtt\na,b,2.5\n")) == {("a", "b"): 2.5}
    square = read_costs(write("b.csv", ",a,b\na,0,2\nb,4,0\n"))
    assert (square.places, square.matrix.tolist()) == (("a", "b"), [[0, 3], [3, 0]])
    assert read_costs(write("c.csv", "node,x,y\na,0,1\nb,2,3\n")) == {"a": (0.0, 1.0), "b": (2.0, 3.0)}


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (read_costs, "source,target,rtt,price\na,b,1,2\n", "needs a column 'cost'"),
        (read_costs, "source,target,cost\na,b,far\n", "'far' for the cost of 'a' and 'b'"),
        (read_costs, "node,x\na,far\n", "'far' for a coordinate of 'a'"),
        (read_costs, "", "holds no link costs"),
        (read_caps, "node,cap\na,1\n", "'node' and 'max_degree'"),
        (read_caps, "node,max_degree\na,-1\n", "'a' the max_degree '-1'"),
        (read_caps, "node,max_degree\na,1\na,2\n", "two different capacities"),
        (read_pairs, "a,b\nc,d\n", "'source' and 'target'"),
    ],
)
def test_tables_that_cannot_be_used_are_refused(write, read, text, words):
    """Each with the file, what it holds, and what to write."""
    with pytest.raises(ReadError, match=words):
        read(write("table.csv", text))
