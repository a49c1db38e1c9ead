"""The whole way, on an input small enough to look at."""

import gzip
import json
import os
import re
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from topicweave import metrics
from topicweave.algorithms import design as design_in_memory
from topicweave.errors import BadRowsError, ParameterError, TargetError, VerificationError
from topicweave.model import Interest, Overlay
from topicweave.pipeline import Observer, SocialGraph, SparkSettings, Table, design, publishing, verify
from topicweave.pipeline.plan.target import Target
from topicweave.workloads import synthetic

FILES = ["edges.csv", "edges.parquet", "manifest.json", "nodes.parquet", "quarantine", "report.html",
         "subscriptions.parquet", "topics.parquet"]  # fmt: skip


@pytest.fixture(scope="module")
def interest():
    return synthetic(num_nodes=60, num_topics=15, popularity="zipf", alpha=0.5, subscriptions=3, seed=1)


@pytest.fixture(scope="module")
def rows(interest):
    return "".join(f"{node},{topic}\n" for node, topic in interest.pairs())


class Heard(Observer):
    def __init__(self):
        self.stages = []

    def on_stage_done(self, name, seconds, detail):
        self.stages.append((name, detail))


def test_a_plan_is_complete_and_true(spark, write, tmp_path, interest, rows):
    """Everything is written, says the same as the in-memory design, and accounts for every row."""
    path = write("in.csv", "node,topic\n" + rows + rows[: rows.index("\n") + 1] + "lonely\n")
    heard = Heard()
    plan = design(path, "low", k=3, out=tmp_path / "plan", csv=True, max_bad_fraction=0.05, progress=heard, spark=spark)
    assert sorted(os.listdir(tmp_path / "plan")) == FILES
    expected = design_in_memory(interest, "low", k=3)
    assert plan.interest == interest and plan.design.overlay == expected.overlay
    assert plan.verification.topic_connected and plan.folder == tmp_path / "plan"

    edges = pq.read_table(tmp_path / "plan" / "edges.parquet")
    assert edges.schema.names == ["source", "target", "contribution"]
    assert Overlay.from_arrow(edges, interest.nodes) == expected.overlay
    assert edges["contribution"].to_pylist() == expected.trace.contribution.tolist()
    nodes = pq.read_table(tmp_path / "plan" / "nodes.parquet").to_pydict()
    assert nodes["node"] == list(interest.nodes) and nodes["degree"] == expected.overlay.degrees.tolist()
    topics = pq.read_table(tmp_path / "plan" / "topics.parquet").to_pydict()
    assert topics["topic"] == list(interest.topics) and set(topics["components"]) == {1}
    assert topics["diameter"] == metrics.topic_diameters(interest, expected.overlay).tolist()
    assert all(topics["diameter_exact"])
    assert (tmp_path / "plan" / "edges.csv").read_text().splitlines()[0] == '"source","target","contribution"'

    manifest = json.loads((tmp_path / "plan" / "manifest.json").read_text())
    assert manifest == plan.manifest
    counted = manifest["rows"]["inputs"]["subscriptions"]
    assert counted["read"] == interest.num_subscriptions + 2, "the header is no row"
    assert counted["quarantined"] == {"wrong number of columns": 1} and counted["ignored"] == {"header": 1}
    assert manifest["rows"]["duplicates"] == 1
    (given,) = manifest["inputs"]
    assert (given["role"], given["kind"], given["columns"]) == ("subscriptions", "subscriptions", {})
    assert given["files"][0]["path"] == path and given["files"][0]["bytes"] == os.path.getsize(path)
    assert len(given["files"][0]["sha256"]) == 64 and manifest["seed"] == 0
    assert (manifest["schema"], manifest["kind"]) == (2, "design")
    assert {file["path"] for file in manifest["outputs"]} == {*FILES, "quarantine/rows.jsonl.gz"} - {
        "manifest.json",
        "quarantine",
    }
    assert {"read", "clean and encode", "design", "write", "verify", "measure", "report"} <= set(manifest["seconds"])

    with gzip.open(tmp_path / "plan" / "quarantine" / "rows.jsonl.gz", "rt") as file:
        assert [json.loads(line) for line in file] == [
            {"reason": "wrong number of columns", "file": path, "line": "lonely"}
        ]
    page = (tmp_path / "plan" / "report.html").read_text()
    assert (
        "Every topic is connected" in page
        and "a ring for every topic" in page
        and "$" not in re.sub(r"<script.*?</script>|<.*?>", "", page, flags=re.DOTALL)
    )
    assert not re.search(r"""(src|href)=["'](?!#)""", page)
    assert [name for name, _ in heard.stages] == [
        "read",
        "clean and encode",
        "design",
        "write",
        "verify",
        "measure",
        "report",
    ]
    assert "60 nodes, 15 topics" in dict(heard.stages)["clean and encode"]
    assert "every topic is connected" in plan.summary() and str(tmp_path / "plan") in plan.summary()

    assert verify(path, tmp_path / "plan", max_bad_fraction=0.05, spark=spark).topic_connected
    assert verify(tmp_path / "plan", spark=spark).topic_connected, "it holds what it was made for"
    with pytest.raises(TargetError, match="exists already"):
        design(path, out=tmp_path / "plan", spark=spark)


@pytest.mark.parametrize("partitions", [7, pytest.param(200, marks=pytest.mark.slow)])
def test_partitions_and_order_give_the_same_bytes(spark, tmp_path, interest, partitions):
    """One partition or many, rows shuffled: identical edges, byte for byte."""
    pairs = np.array(list(interest.pairs()))
    written = []
    for count in (1, partitions):
        shuffled = np.random.default_rng(count).permutation(pairs)
        frame = spark.createDataFrame(pa.table({"node": shuffled[:, 0], "topic": shuffled[:, 1]})).repartition(count)
        design(frame, "low", k=3, out=tmp_path / str(count), spark=spark)
        written.append((tmp_path / str(count) / "edges.parquet").read_bytes())
    assert written[0] == written[1]


def test_partial_designs_are_plans_too(spark, write, tmp_path, rows):
    """A budget leaves topics in pieces: that is the answer, not an error; without out nothing is kept."""
    plan = design(write("in.csv", "node,topic\n" + rows), "gpa", m=10, spark=spark)
    assert plan.folder is None and plan.design.overlay.num_edges == 10
    assert not plan.verification.topic_connected and 0 < plan.verification.support < 1
    assert plan.manifest["verification"]["disconnected_topics"] == len(plan.verification.disconnected_topics)
    assert "topics are not connected" in plan.summary()
    assert os.listdir(tmp_path) == ["in.csv"]


def test_the_manifest_is_json_and_keeps_every_time(spark, write, tmp_path):
    """An infinite k is not a number in JSON; starting Spark is a stage like the others."""
    path = write("in.csv", "node,topic\na,x\nb,x\n")
    plan = design(path, "low", k=float("inf"), out=tmp_path / "plan", spark=SparkSettings())
    manifest = json.loads((tmp_path / "plan" / "manifest.json").read_text(), parse_constant=pytest.fail)
    assert manifest == plan.manifest and manifest["parameters"]["k"] == "inf"
    assert next(iter(manifest["seconds"])) == "start Spark"
    assert "2 read, 0 in quarantine" in plan.summary()


def test_no_links_needed(spark, write, tmp_path):
    """Topics with one subscriber each: a plan without a single link."""
    plan = design(write("in.csv", "node,topic\na,x\nb,y\n"), "gm", out=tmp_path / "plan", spark=spark)
    assert plan.design.overlay.num_edges == 0 and plan.verification.topic_connected
    assert "no links at all" in (tmp_path / "plan" / "report.html").read_text()


def test_what_is_wrong_leaves_nothing_behind(spark, write, tmp_path, rows):
    """Bad rows, bad parameters and a failed verification: one error each, and no folder."""
    bad = write("bad.csv", "node,topic\n" + rows + "lonely\n" * 60)
    with pytest.raises(BadRowsError, match="60 × wrong number of columns"):
        design(bad, out=tmp_path / "plan", spark=spark)
    with pytest.raises(ParameterError, match="no algorithm 'lowe'"):
        design(write("in.csv", "node,topic\n" + rows), "lowe", out=tmp_path / "plan", spark=spark)
    assert sorted(os.listdir(tmp_path)) == ["bad.csv", "in.csv"]


def test_links_that_do_not_connect_are_never_published(spark, write, tmp_path, rows, monkeypatch):
    """If a link gets lost on the way to the disk, the verifier notices and nothing appears."""
    whole = publishing.edges_table
    monkeypatch.setattr(publishing, "edges_table", lambda planned: whole(planned).slice(1))
    with pytest.raises(VerificationError, match="nothing was published"):
        design(write("in.csv", "node,topic\n" + rows), "gm", out=tmp_path / "plan", spark=spark)
    assert os.listdir(tmp_path) == ["in.csv"]


def test_input_that_changes_under_way_is_noticed(spark, write, tmp_path, interest):
    """The subscriptions are read again for verification; if they have changed, there is no plan."""
    path = write("in.csv", "node,topic\na,x\nb,x\n")

    class Meddler(Observer):
        def on_stage_done(self, name, seconds, detail):
            if name == "design":
                write("in.csv", "node,topic\na,x\nb,x\nb,y\n")

    with pytest.raises(VerificationError):
        design(path, "gm", out=tmp_path / "plan", progress=Meddler(), spark=spark)
    assert not (tmp_path / "plan").exists()


def test_full_disk_while_writing(spark, write, tmp_path, rows, monkeypatch):
    """The disk fills up while the links are written: one sentence, nothing left."""
    import errno

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(TargetError, match="No space left on device"):
        design(write("in.csv", "node,topic\n" + rows), "gm", out=tmp_path / "plan", spark=spark)
    assert os.listdir(tmp_path) == ["in.csv"]


@pytest.mark.slow
def test_killed_in_the_middle(write, tmp_path, rows):
    """kill -9 while the plan is being verified: no plan, no process left running, and the next run succeeds."""
    path = write("in.csv", "node,topic\n" + rows)
    code = f"""
import time
from topicweave.pipeline import Observer, design, session
class Sleepy(Observer):
    def on_stage(self, name):
        if name == "verify":
            print("verifying", flush=True)
            time.sleep(600)
spark = session("local[2]")
from pyspark import SparkContext
print(SparkContext._gateway.proc.pid, flush=True)
design({path!r}, "gm", out={str(tmp_path / "plan")!r}, progress=Sleepy(), spark=spark)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        java = int(child.stdout.readline())
        assert child.stdout.readline().strip() == "verifying"
        assert (tmp_path / ".plan.partial" / "edges.parquet").exists() and not (tmp_path / "plan").exists()
        child.kill()
    assert not (tmp_path / "plan").exists()
    deadline = time.monotonic() + 60
    while os.path.exists(f"/proc/{java}") and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not os.path.exists(f"/proc/{java}")
    with Target(tmp_path / "plan") as target:
        assert os.listdir(target.folder) == []


def test_social_graph_to_plan(spark, write):
    """Another kind of source goes the same way."""
    plan = design(SocialGraph(Table(write("g.txt", "0 1\n1 2\n2 0\n2 3\n"))), "gm", spark=spark)
    friends = {"0": ["1", "2"], "1": ["0", "2"], "2": ["0", "1", "3"], "3": ["2"]}
    assert plan.interest == Interest.from_sets(friends)
    assert plan.verification.topic_connected
