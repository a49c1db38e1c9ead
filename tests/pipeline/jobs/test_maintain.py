"""A log of events applied to a plan: the new plan is one like any other."""

from __future__ import annotations

import gzip
import json

import pytest

import topicweave as tw
from tests.deploy.plans import write_plan
from topicweave import pipeline
from topicweave.churn import Event, Shadow, load
from topicweave.churn.change_table import read_changes
from topicweave.errors import BadRowsError, InputError, ParameterError, ReadError, TargetError
from topicweave.pipeline import read_plan
from topicweave.pipeline.plan.requirements import write_requirements
from topicweave.workloads import random_churn


@pytest.fixture(scope="module")
def interest():
    return tw.workloads.synthetic(40, 20, subscriptions=(2, 8), seed=2)


@pytest.fixture(scope="module")
def rows(interest):
    newcomers = tw.workloads.synthetic(40, 20, subscriptions=(2, 8), seed=3)
    return random_churn(interest, newcomers, 60, seed=1)


@pytest.fixture(scope="module")
def plan(spark, interest, tmp_path_factory):
    """A plan made by design from a file that is gone afterwards."""
    folder = tmp_path_factory.mktemp("plans")
    pairs = "".join(f"{node},{topic}\n" for node, topic in interest.pairs())
    (folder / "subscriptions.csv").write_text("broker,filter\n" + pairs)
    table = pipeline.Table(str(folder / "subscriptions.csv"), columns={"node": "broker", "topic": "filter"})
    pipeline.design(table, "low", k=3, out=folder / "plan", spark=spark)
    (folder / "subscriptions.csv").unlink()
    return folder / "plan"


def write_log(path, rows):
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def kept_aside(folder):
    found = gzip.decompress((folder / "quarantine" / "rows.jsonl.gz").read_bytes()).splitlines()
    return [(entry["reason"], entry["line"]) for entry in map(json.loads, found)]


def test_a_plan_and_a_log_give_a_plan(spark, tmp_path, plan, interest, rows):
    """The same links as in memory; the folder verifies, can be maintained again, and says how it was made."""
    log = write_log(tmp_path / "log.jsonl", rows)
    seen = []

    class Listener(pipeline.Observer):
        def on_stage_done(self, name, seconds, detail):
            seen.append(name)

    done = pipeline.maintain(plan, log, out=tmp_path / "after", spark=spark, progress=Listener())
    assert seen == ["read plan", "read events", "apply events", "write", "verify", "report"]
    direct = Shadow(interest, read_plan(plan).overlay)
    for row in rows[:30]:
        direct.apply([Event.from_record(row)])
    half = pipeline.maintain(plan, write_log(tmp_path / "half.jsonl", rows[:30]), out=tmp_path / "half", spark=spark)
    assert half.maintainer.overlay == direct.overlay
    for row in rows[30:]:
        direct.apply([Event.from_record(row)])
    assert done.maintainer.overlay == direct.overlay
    assert len(done.replay.actions) == 60
    assert load(tmp_path / "after" / "snapshot").overlay == done.maintainer.overlay
    page = (tmp_path / "after" / "report.html").read_text()
    assert page.count("<svg") == 4

    stored = read_plan(tmp_path / "after")
    assert stored.interest == done.maintainer.interest
    assert set(stored.overlay.pairs()) == set(done.maintainer.overlay.pairs())
    assert pipeline.verify(tmp_path / "after", spark=spark).topic_connected
    manifest = stored.manifest
    assert (manifest["schema"], manifest["kind"], manifest["maintainer"]) == (2, "maintain", "shadow")
    assert [entry["role"] for entry in manifest["inputs"]] == ["plan", "events"]
    assert manifest["inputs"][1]["files"][0]["bytes"] == log.stat().st_size
    assert manifest["rows"]["inputs"]["events"]["valid"] == 60
    assert manifest["counts"]["links"] == done.maintainer.num_edges
    written = {entry["path"] for entry in manifest["outputs"]}
    assert {"edges.parquet", "nodes.parquet", "topics.parquet", "subscriptions.parquet", "changes.parquet"} <= written

    # the rest of the log on the half: the first thirty are known before
    again = pipeline.maintain(tmp_path / "half", log, spark=spark)
    assert (again.num_known, len(again.replay.actions), again.folder) == (30, 30, None)
    assert "30 events applied, 30 known before" in again.summary()
    assert again.maintainer.interest == done.maintainer.interest


def test_what_the_plan_knows_otherwise_is_put_aside(spark, tmp_path, plan):
    """A number that the plan has seen with other content: neither applied nor dropped in silence."""
    join = {"sequence": 1, "node": "new", "action": "join", "topic": ["topic-01"]}
    first = pipeline.maintain(plan, write_log(tmp_path / "1.jsonl", [join]), out=tmp_path / "a", spark=spark)
    assert first.maintainer.topics_of("new") == {"topic-01"}
    other = {**join, "topic": ["topic-02"]}
    leave = {"sequence": 2, "node": "new", "action": "leave"}
    second = pipeline.maintain(
        tmp_path / "a", write_log(tmp_path / "2.jsonl", [other, leave]), out=tmp_path / "b", spark=spark
    )
    assert (second.num_bad, second.num_known, len(second.replay.actions)) == (1, 0, 1)
    assert kept_aside(tmp_path / "b") == [("sequence used twice for different events", json.dumps(other))]
    counts = second.manifest["rows"]["inputs"]["events"]
    assert counts["quarantined"] == {"sequence used twice for different events": 1}
    assert counts["valid"] == 1


def test_every_action_works_and_bad_rows_are_put_aside(spark, tmp_path, plan):
    log = write_log(
        tmp_path / "log.jsonl",
        [
            {"sequence": 1, "node": "new", "action": "join"},
            {"sequence": 2, "node": "new", "action": "subscribe", "topic": "topic-01", "role": "subscriber"},
            {"sequence": 3, "node": "new", "action": "subscribe", "topic": ["topic-02", '["p","q"]']},
            {"sequence": 4, "node": "new", "action": "unsubscribe", "topic": "topic-01"},
            {"sequence": 5, "node": "other", "action": "join", "topic": ["topic-03"]},
            {"sequence": 6, "node": "other", "action": "resubscribe", "topic": ["topic-04"]},
            {"sequence": 7, "node": "node-00", "action": "drain"},
            {"sequence": 8, "node": "nobody", "action": "leave"},
            {"sequence": 9, "node": "x", "action": "join", "topic": ["a"]},
            {"sequence": 9, "node": "x", "action": "join", "topic": ["b"]},
            {"sequence": 2**63, "node": "x", "action": "leave"},
            "nothing",
        ],
    )
    done = pipeline.maintain(plan, log, "naive", out=tmp_path / "out", spark=spark)
    assert done.maintainer.topics_of("new") == {"topic-02", '["p","q"]'}
    assert done.maintainer.topics_of("other") == {"topic-04"}
    assert done.maintainer.topics_of("node-00") is None
    assert (done.num_refused, done.num_bad) == (1, 4)
    assert sorted(reason for reason, _ in kept_aside(tmp_path / "out")) == [
        "malformed JSON",
        "sequence is not a whole number",
        *2 * ["sequence used twice for different events"],
    ]
    assert done.summary().startswith("7 events applied, 1 refused, 4 rows put aside in quarantine/\n")
    assert read_plan(tmp_path / "out").interest == done.maintainer.interest
    assert [row["sequence"] for row in changes(tmp_path / "out")] == [1, 2, 3, 4, 5, 6, 7, 7, 8]


def changes(folder):
    import pyarrow.parquet as pq

    return pq.read_table(folder / "changes.parquet").to_pylist()


def test_links_and_subscriptions_by_themselves(spark, tmp_path, interest, rows):
    """Any list of links can be maintained if the subscriptions are given."""
    pairs = "".join(f"{node},{topic}\n" for node, topic in interest.pairs())
    (tmp_path / "subscriptions.csv").write_text("node,topic\n" + pairs)
    overlay = tw.design(interest, "low", k=3).overlay
    (tmp_path / "links.csv").write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in overlay.pairs()))
    log = write_log(tmp_path / "log.jsonl", rows[:5])
    with pytest.raises(ReadError, match="not a plan folder"):
        pipeline.maintain(tmp_path / "links.csv", log, spark=spark)
    done = pipeline.maintain(
        tmp_path / "links.csv", log, subscriptions=str(tmp_path / "subscriptions.csv"), k=2, seed=4, spark=spark
    )
    assert len(done.replay.actions) == 5
    assert (done.maintainer.parameters["k"], done.maintainer.parameters["seed"]) == (2.0, 4)
    bad = tmp_path / "bad.csv"
    bad.write_text(f"node,topic\n{pairs}" + ",x\n" * 50)
    with pytest.raises(
        BadRowsError, match=r"50 of .* rows in .*bad.csv .* Correct them\.$"
    ):  # there is no option for it
        pipeline.maintain(tmp_path / "links.csv", log, subscriptions=str(bad), spark=spark)


def test_a_log_without_any_event_is_refused(spark, tmp_path, plan):
    (tmp_path / "log.csv").write_text("sequence,node,action,topic\n1,a,dance,x\n2,,join,x\n")
    with pytest.raises(BadRowsError, match=r"None of the 2 rows in .*log.csv is an event: .* is not, because: "):
        pipeline.maintain(plan, tmp_path / "log.csv", out=tmp_path / "out", spark=spark)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"maintainer": "shadwo"}, ParameterError, "did you mean 'shadow'"),
        ({"k": 0}, ParameterError, "k must be a number, 1 or more"),
        ({"maintainer": "naive", "coverage": 2}, ParameterError, "'naive' has no parameter 'coverage'"),
        ({"seed": -1}, ParameterError, "seed"),
        ({"events": "missing.jsonl"}, ReadError, "no file or folder"),
        ({"plan": "missing/"}, ReadError, "missing"),
        ({"out": "PLAN", "overwrite": True}, TargetError, "is the plan to start from"),
        ({"events": pipeline.Table("log.jsonl", columns={"topics": "x"})}, InputError, "topics"),
    ],
)
def test_what_cannot_be_is_refused_before_spark_starts(tmp_path, plan, monkeypatch, change, error, says):
    """In one sentence, and without waiting for Spark."""
    monkeypatch.chdir(tmp_path)
    write_log(tmp_path / "log.jsonl", [{"sequence": 1, "node": "x", "action": "join"}])
    given = {"plan": plan, "events": "log.jsonl", "out": "after"} | change
    given["out"] = plan if given["out"] == "PLAN" else given["out"]
    # With a session at hand Spark itself says what is missing, so pretend that there is none.
    monkeypatch.setattr("topicweave.pipeline.job.is_running", lambda: False)
    monkeypatch.setattr("topicweave.pipeline.job.Job.start", lambda *_, **__: pytest.fail("Spark was started"))
    with pytest.raises(error, match=says):
        pipeline.maintain(**given)
    assert not (tmp_path / "after").exists()


@pytest.mark.parametrize("inside", ["edges.parquet", "subscriptions.parquet", "log.jsonl"])
def test_nothing_that_is_read_is_replaced(tmp_path, monkeypatch, inside):
    """The links, the subscriptions or the log may lie in a plan folder; it is refused before Spark starts."""
    monkeypatch.setattr("topicweave.pipeline.job.Job.start", lambda *_, **__: pytest.fail("Spark was started"))
    (tmp_path / "plan").mkdir()
    names = ("edges.parquet", "subscriptions.parquet", "log.jsonl")
    for name in names:
        (tmp_path / name).write_text("")
    for name in ("manifest.json", inside):
        (tmp_path / "plan" / name).write_text("")
    links, subscriptions, log = (tmp_path / "plan" / name if name == inside else tmp_path / name for name in names)
    with pytest.raises(TargetError, match=rf"{inside} is read by this run, so .*plan must stay"):
        pipeline.maintain(
            links, log, subscriptions=str(subscriptions), out=tmp_path / "plan", overwrite=True, spark=None
        )
    assert (tmp_path / "plan" / inside).exists()


def test_a_plan_with_requirements_is_kept_by_the_maintainer_that_knows_them(spark, tmp_path):
    """Without any option: the plan written has the requirements and meets them; an event that cannot be is told."""
    interest = tw.Interest.from_pairs([(node, "news") for node in "abcdef"])
    plan = write_plan(tmp_path / "plan", interest, "ring")
    write_requirements(tw.Requirements(connectivity=2, max_degree={"z": 0}), plan, interest.nodes)
    events = tmp_path / "events.csv"
    rows = ("1,1.0,b,leave,", "2,2.0,g,join,news", "3,3.0,z,join,news", "4,4.0,z,leave,")
    events.write_text("sequence,time,node,action,topic\n" + "\n".join(rows) + "\n")
    done = pipeline.maintain(plan, str(events), out=tmp_path / "new", spark=spark)
    assert done.maintainer.name == "strict"
    assert done.verification.satisfied
    assert pipeline.verify(tmp_path / "new", spark=spark).requirements == done.maintainer.requirements
    assert "requirements    all met; violated after 1 event" in done.summary()
    told = [row["violations"] for row in read_changes(tmp_path / "new" / "changes.parquet")]
    assert [bool(words) for words in told] == [False, False, True, False]
    assert any("'z'" in words for words in told[2])
