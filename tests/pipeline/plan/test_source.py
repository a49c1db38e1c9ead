"""A plan folder in the place of raw input."""

import os

import pytest

from topicweave.errors import ReadError
from topicweave.pipeline import PlanFolder, Subscriptions, Table, as_source, design, load, verify


@pytest.fixture
def plan(spark, write, tmp_path):
    path = write("in.tsv", "broker\tchannel\na\tx\nb\tx\nc\ty\nc\tx\n")
    table = Table(path, columns={"node": "broker", "topic": "channel"})
    return design(table, "gm", out=tmp_path / "plan", spark=spark)


def test_no_later_job_needs_the_raw_input(spark, plan, write):
    """Neither it nor what was said about its columns: the plan is enough."""
    os.remove(plan.manifest["inputs"][0]["files"][0]["path"])
    assert load(plan.folder, spark=spark).interest == plan.interest
    assert verify(plan.folder, spark=spark).topic_connected
    assert not verify(plan.folder, write("links.csv", "source,target\na,b\n"), spark=spark).topic_connected
    again = design(plan.folder, "gm", spark=spark)
    assert again.design.overlay == plan.design.overlay
    (given,) = again.manifest["inputs"]
    assert given["kind"] == "plan" and given["files"][0]["path"].endswith("plan/subscriptions.parquet")
    assert len(given["files"][0]["sha256"]) == 64


def test_a_plan_is_told_by_its_files(plan):
    """However its path is given; other folders are data."""
    for form in (plan.folder, str(plan.folder), [str(plan.folder)], Table(str(plan.folder))):
        assert as_source(form) == PlanFolder(plan.folder)
    assert as_source(Subscriptions(Table([str(plan.folder)]))) == PlanFolder(plan.folder)
    assert isinstance(as_source(str(plan.folder.parent)), Subscriptions)


def test_an_older_plan_is_refused_in_one_sentence(plan):
    (plan.folder / "subscriptions.parquet").unlink()
    with pytest.raises(ReadError, match=r"no subscriptions\.parquet in it, as in plans of earlier versions\); name"):
        load(plan.folder)


def test_links_are_needed(write):
    """A file of subscriptions alone cannot be verified."""
    with pytest.raises(ReadError, match="There are no links to verify"):
        verify(write("in.csv", "node,topic\na,x\n"))
