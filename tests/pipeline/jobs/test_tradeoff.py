"""Trade-offs on Spark: limits lie between the extremes, every design is a task, and a plan finds its place."""

import json

import pytest

import topicweave as tw
from topicweave import pipeline
from topicweave.errors import InputError
from topicweave.pipeline.jobs.tradeoff import spread

INTEREST = tw.workloads.synthetic(60, 40, subscriptions=(2, 40), seed=3)


@pytest.fixture(scope="module")
def subscriptions(tmp_path_factory):
    """The subscriptions as a file."""
    path = tmp_path_factory.mktemp("input") / "subscriptions.csv"
    path.write_text("node,topic\n" + "".join(f"{node},{topic}\n" for node, topic in INTEREST.pairs()))
    return str(path)


def test_limits_are_close_together_at_the_low_end():
    """Whole numbers from the least to the most, without repetitions; none if there is no room."""
    assert spread(2, 33, 6) == [2, 4, 6, 11, 19, 33]
    assert spread(2, 3, 6) == [2, 3]
    assert spread(3, 2, 6) == []


def test_designs_along_all_axes_are_written_and_a_plan_is_marked(spark, subscriptions, tmp_path):
    """Every design keeps its limit; the page has its figures; the report of a plan shows the charts."""
    costs = {node: (float(v % 7), float(v % 5)) for v, node in enumerate(INTEREST.nodes)}
    base = tw.Requirements(link_cost=costs, forbidden=[INTEREST.nodes[:2]])
    found = pipeline.tradeoff(
        subscriptions, steps=2, requirements=base, out=tmp_path / "choices", spark=spark, seed=1
    )  # fmt: skip
    by_axis = {axis: [p for p in found.points if p.axis == axis] for axis in ("none", "hops", "degree", "cost")}
    assert [point.algorithm for point in by_axis["none"]] == ["gm", "minmax", "low"]
    assert all(len(points) >= 2 for points in by_axis.values())
    assert all(point.largest_hops <= point.limit for point in by_axis["hops"] if point.outcome == "met")
    assert all(point.maximum_degree <= point.limit for point in by_axis["degree"] if point.outcome == "met")
    assert [point.limit for point in by_axis["cost"]] == [0, 1]
    assert by_axis["cost"][-1].cost < by_axis["cost"][0].cost
    assert pipeline.read_tradeoff(found.folder) == found.points
    page = (found.folder / "tradeoff.html").read_text()
    assert page.count("<code>topicweave design SUBSCRIPTIONS") == len(found.points)
    assert json.loads((found.folder / "manifest.json").read_text())["counts"]["designs"] == len(found.points)
    assert f"{len(found.points)} designs" in found.summary()
    plan = pipeline.design(subscriptions, "gm", tradeoff=found.folder, out=tmp_path / "plan", spark=spark)
    report = (plan.folder / "report.html").read_text()
    assert "Links against hops" in report and "this plan" in report


def test_costs_are_traded_only_if_there_are_costs(subscriptions):
    """And an axis that does not exist is refused before Spark starts."""
    with pytest.raises(InputError, match="give link_cost"):
        pipeline.tradeoff(subscriptions, axes=["cost"])
    with pytest.raises(InputError, match="'speed'"):
        pipeline.tradeoff(subscriptions, axes=["speed"])
