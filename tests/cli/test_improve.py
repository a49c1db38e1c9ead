"""``topicweave improve``: a plan with fewer links, from the command line."""

import json

import pytest

import topicweave as tw
from topicweave.pipeline import read_plan

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture
def plan(tmp_path):
    """A plan of Greedy Merge where a ring would do: node 0 wants four topics, node i all but one."""
    from tests import instances
    from tests.deploy.plans import write_plan

    return write_plan(tmp_path / "plan", instances.hub(), "gm")


def test_the_new_plan_has_fewer_links_and_the_old_one_stays(run, plan, tmp_path):
    """Both plans are complete, and the summary agrees with the folder."""
    before = read_plan(plan).overlay.pairs()
    made = run("improve", plan, "--rounds", "3", "--out", tmp_path / "better", "--max-degree", "none", "--json")
    assert made.code == 0, made.err
    better = read_plan(tmp_path / "better")
    assert json.loads(made.out)["overlay"]["links"] == better.overlay.num_edges <= len(before)
    assert tw.verify(better.interest, better.overlay).topic_connected
    assert read_plan(plan).overlay.pairs() == before


@pytest.mark.parametrize(("option", "value"), [("--max-degree", "many"), ("--max-changes", "-1"), ("--rounds", "-2")])
def test_what_cannot_be_searched_for_is_refused_in_a_sentence(run, plan, tmp_path, option, value):
    """Nothing is written then."""
    refused = run("improve", plan, option, value, "--out", tmp_path / "better")
    assert refused.code == 2
    said = refused.err.splitlines()[-1]
    assert said.startswith("Error: ") and option in said
    assert not (tmp_path / "better").exists()
