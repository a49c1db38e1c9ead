"""pipeline.trees and pipeline.diff: the trees of a plan folder, and what changes between two."""

import pytest

import topicweave as tw
from tests.deploy.conftest import example, inventory_of
from tests.deploy.plans import write_inventory, write_plan
from topicweave import pipeline
from topicweave.deploy import check_trees
from topicweave.errors import ParameterError


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Two plans, of which the later lacks a broker, and an inventory of the brokers of both."""
    folder = tmp_path_factory.mktemp("plans")
    interest = example(12)
    write_plan(folder / "old", interest)
    write_plan(folder / "new", interest.remove([interest.nodes[3]]))
    write_inventory(folder / "brokers.csv", inventory_of(interest.nodes))
    return folder


@pytest.mark.parametrize("objective", [None, "depth", "load"])
def test_the_trees_of_a_plan_connect_every_topic_over_its_links(place, objective):
    interest = example(12)
    found = pipeline.trees(place / "old", objective=objective)
    assert found.objective == (objective or "depth")
    edges = {topic: found.edges(topic) for topic in interest.topics}
    assert check_trees(interest, tw.design(interest, "low").overlay, edges) == []


def test_the_difference_names_the_broker_that_left_and_no_link_of_its_own(place):
    gone = example(12).nodes[3]
    found = pipeline.diff(place / "old", place / "new", inventory=place / "brokers.csv")
    assert (found.left, found.joined) == ((gone,), ())
    links = [{link for topic in each.interest.topics for link in map(frozenset, each.edges(topic))} for each in
             (pipeline.trees(place / "old"), pipeline.trees(place / "new"))]  # fmt: skip
    assert {frozenset(link) for link in found.links_removed} >= {link for link in links[0] if gone in link}
    assert not any(gone in link for link in found.links_added)
    assert found.files == pipeline.diff(place / "old", place / "new", inventory=inventory_of(example(12).nodes)).files


def test_a_plan_does_not_differ_from_itself(place):
    assert pipeline.diff(place / "old", place / "old").is_empty


def test_the_page_names_both_plans(place, tmp_path):
    pipeline.diff(place / "old", place / "new", html=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert str(place / "old") in page
    assert str(place / "new") in page


def test_an_unknown_layout_is_refused(place):
    with pytest.raises(ParameterError, match="no layout 'insid'"):
        pipeline.diff(place / "old", place / "new", layout="insid")
