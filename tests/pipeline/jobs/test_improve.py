"""pipeline.improve: a plan from a plan, whole and true, with fewer links."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest

import topicweave as tw
from tests import reference
from tests.deploy.plans import write_plan
from topicweave.errors import InputError, ParameterError, ReadError, TargetError
from topicweave.pipeline import Observer, design, improve, read_plan, verify
from topicweave.pipeline.plan.requirements import write_requirements

FILES = {"edges.csv", "edges.parquet", "nodes.parquet", "report.html", "subscriptions.parquet", "topics.parquet"}


@pytest.fixture(scope="module")
def interest():
    return tw.workloads.synthetic(num_nodes=60, num_topics=40, subscriptions=6, seed=3)


@pytest.fixture(scope="module")
def plan(spark, interest, tmp_path_factory):
    """The folder of a plan of Greedy Merge."""
    return planned(interest, tmp_path_factory.mktemp("improve"), spark)


def planned(interest, folder, spark):
    file = folder / "in.csv"
    file.write_text("node,topic\n" + "".join(f"{node},{topic}\n" for node, topic in interest.pairs()))
    return design(str(file), "gm", out=folder / "plan", spark=spark).folder


def links_of(folder):
    return {tuple(sorted(pair)) for pair in read_plan(folder).overlay.pairs()}


def test_the_new_plan_is_complete_and_true(spark, plan, interest, tmp_path):
    """Fewer links, all files, and a manifest that says what was kept, added and removed."""
    made = improve(plan, out=tmp_path / "better", rounds=3, bound=1, csv=True, spark=spark)
    before, after = links_of(plan), links_of(tmp_path / "better")
    assert len(after) < len(before) and made.interest == interest
    assert set(map(frozenset, after)) == set(map(frozenset, made.design.overlay.pairs()))
    assert reference.is_tco(reference.topics_by_number(interest), map(tuple, made.design.overlay.edges.tolist()))
    assert made.design.overlay.maximum_degree <= read_plan(plan).overlay.maximum_degree

    manifest = json.loads((tmp_path / "better" / "manifest.json").read_text())
    assert manifest == made.manifest and manifest["kind"] == "improve" and manifest["algorithm"] == "improve"
    assert manifest["improved"] == {
        "plan": str(plan), "kept": len(before & after), "added": len(after - before), "removed": len(before - after)
    }  # fmt: skip
    assert {file["path"] for file in manifest["outputs"]} == FILES
    assert manifest["parameters"]["rounds"] == 3 and manifest["verification"]["topic_connected"]
    assert manifest["rows"]["inputs"]["subscriptions"]["valid"] == interest.num_subscriptions
    assert manifest["bound"]["least_links"] <= len(after)
    assert manifest["bound"]["gap"] == pytest.approx(len(after) / manifest["bound"]["least_links"] - 1)
    assert sum(pq.read_table(tmp_path / "better" / "edges.parquet")["contribution"].to_pylist()) == (
        interest.num_subscriptions - interest.num_topics
    )
    page = (tmp_path / "better" / "report.html").read_text()
    assert f"above the certified bound of {manifest['bound']['least_links']:,} links" in page
    assert f"{len(before & after):,} links kept" in page
    said = made.summary()
    assert "links kept" in said and "at least" in said
    assert verify(tmp_path / "better", spark=spark).topic_connected


def test_a_design_shows_the_gap_only_where_a_bound_was_asked_for(spark, plan, tmp_path):
    """The tile of the report and the section of the manifest come with bound=, and not without."""
    assert "certified bound" not in (plan / "report.html").read_text()
    assert read_plan(plan).manifest["bound"] is None
    made = design(plan, "gm", out=tmp_path / "plan", bound=1, spark=spark)
    assert "above the certified bound" in (tmp_path / "plan" / "report.html").read_text()
    assert made.manifest["bound"]["gap"] > 0


def test_few_changes_and_preferred_links(spark, plan):
    """max_changes limits what moves against the plan itself; a preferred plan is accounted for as well."""
    made = improve(plan, rounds=2, max_changes=8, spark=spark)
    changes = made.manifest["improved"]
    assert 0 < changes["added"] + changes["removed"] <= 8 and made.folder is None
    with_prefer = improve(plan, rounds=1, prefer=plan, spark=spark).manifest
    assert with_prefer["prefer"] == with_prefer["improved"]


@pytest.mark.slow
def test_the_same_rounds_give_the_same_plan(spark, plan):
    """Seed and rounds decide, not the time it takes."""
    first, second = (improve(plan, rounds=1, seed=4, spark=spark).design.overlay for _ in range(2))
    assert first == second


def test_what_cannot_be_improved_is_refused_before_spark(plan, tmp_path, spark):
    """The plan itself as target, a folder without a plan, bad numbers, a plan with topics in pieces."""
    with pytest.raises(TargetError, match="must stay"):
        improve(plan, out=plan, overwrite=True)
    with pytest.raises(ReadError):
        improve(tmp_path)
    for given in ({"seconds": -1}, {"rounds": 1.5}, {"max_changes": -1}, {"bound": -2}, {"max_degree": "most"}):
        with pytest.raises(ParameterError):
            improve(plan, **given)
    partial = design(plan, "gpm", d=1, out=tmp_path / "partial", spark=spark)
    assert not partial.verification.topic_connected
    with pytest.raises(InputError, match="disconnected"):
        improve(partial.folder, out=tmp_path / "better")
    assert not (tmp_path / "better").exists()


def test_ctrl_c_ends_the_search_and_publishes_what_was_found(spark, plan, tmp_path):
    """A search that would go on for ten minutes ends with a verified plan, and says that it was stopped."""

    class Interrupting(Observer):
        def on_design(self, progress):
            os.kill(os.getpid(), signal.SIGINT)

    made = improve(plan, out=tmp_path / "better", seconds=600, progress=Interrupting(), spark=spark)
    assert made.verification.topic_connected
    assert any("Stopped" in note for note in read_plan(tmp_path / "better").manifest["overlay"]["notes"])


@pytest.mark.slow
def test_ctrl_c_ends_the_search_of_a_command(spark, tmp_path):
    """The same from the command line, in a process of its own, with an exit code of 0."""
    large = tw.workloads.synthetic(num_nodes=1500, num_topics=100, subscriptions=10, seed=3)  # never searched in 3 s
    plan = planned(large, tmp_path, spark)
    out = tmp_path / "better"
    command = [sys.executable, "-m", "topicweave", "improve", str(plan), "--seconds", "600"]
    running = subprocess.Popen([*command, "--out", str(out)], stderr=subprocess.PIPE, text=True)
    while not (tmp_path / ".better.partial").exists():
        time.sleep(0.1)
        assert running.poll() is None
    time.sleep(3)
    os.kill(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=120)
    assert running.returncode == 0, said
    assert any("Stopped" in note for note in read_plan(out).manifest["overlay"]["notes"])


def test_a_plan_with_requirements_is_refused(tmp_path):
    """Fewer links could break them; it is said before Spark starts."""
    ring = tw.Interest.from_pairs([(node, "x") for node in "abcd"])
    folder = write_plan(tmp_path / "plan", ring, "ring")
    write_requirements(tw.Requirements(connectivity=2), folder, ring.nodes)
    with pytest.raises(InputError, match=r"has requirements \(connectivity\), which improve does not know"):
        improve(folder, out=tmp_path / "out")
