"""Roles and dissemination trees under events: a whole log, and a stream that is stopped between its files."""

import json

import pyarrow.parquet as pq
import pytest

import topicweave as tw
from tests.deploy.plans import write_plan
from topicweave import pipeline
from topicweave.churn import Shadow
from topicweave.churn.snapshot import load
from topicweave.errors import InputError, ParameterError
from topicweave.pipeline.plan.reader import keep_trees, plan_trees, read_plan
from topicweave.pipeline.spark.progress import Observer
from topicweave.trees.difference import carried

ROWS = [
    {"node": "p1", "action": "join", "topic": ["t0", "t1"], "role": "publish"},
    {"node": "b3", "action": "leave"},
    {"node": "b0", "action": "subscribe", "topic": "t5", "role": "both"},
    {"node": "b1", "action": "unsubscribe", "topic": "t1"},
    {"node": "p1", "action": "subscribe", "topic": "t1", "role": "subscribe"},
    {"node": "b5", "action": "drain"},
]
JOIN = {"sequence": 7, "node": "new", "action": "join", "topic": ["t0"], "role": None}
EVENTS = [{"sequence": number, "role": None, "topic": None, **row} for number, row in enumerate(ROWS, 1)]


class Told(Observer):
    """What each stage said."""

    def __init__(self):
        self.details = {}

    def on_stage_done(self, name, seconds, detail):
        self.details[name] = detail


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    interest = tw.Interest.from_pairs(
        [(f"b{v}", f"t{t}") for v in range(12) for t in range(6) if (v * 7 + t * 5) % 3], publishers=[("b1", "t1")]
    )
    folder = write_plan(tmp_path_factory.mktemp("plans") / "plan", interest)
    stored = read_plan(folder)
    keep_trees(tw.deploy.trees(stored.interest, stored.overlay), folder)
    return folder


def write_events(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def in_memory(plan):
    """The same by the library: what is carried before, the changes, and the maintainer afterwards."""
    stored = read_plan(plan)
    maintainer = Shadow(stored.interest, stored.overlay)
    maintainer.follow_trees(plan_trees(stored))
    before = carried(maintainer.trees)
    changes = [maintainer.apply([tw.churn.Event.from_record(row)]) for row in EVENTS]
    return before, changes, maintainer


def carried_after(before, rows):
    """What is carried after the rows of a table of changes."""
    now = dict(before)
    for row in rows:
        for each in row["trees"]:
            key = each["topic"], (each["source"], each["target"])
            if each["is_added"]:
                now[key] = each["direction"]
            else:
                assert now.pop(key) == each["direction"]
    return now


def test_a_log_with_roles_changes_trees_and_says_how(spark, tmp_path, plan):
    before, changes, direct = in_memory(plan)
    log = write_events(tmp_path / "log.jsonl", EVENTS)
    done = pipeline.maintain(plan, log, out=tmp_path / "after", trees=True, spark=spark)
    assert done.maintainer.interest == direct.interest
    assert done.maintainer.interest.publishers_of("t1") == {"b1", "p1"}
    rows = pq.read_table(tmp_path / "after" / "changes.parquet").to_pylist()
    assert [len(row["trees"]) for row in rows] == [len(change.trees) for change in changes[:-1]] + [
        0, len(changes[-1].trees),
    ]  # fmt: skip
    assert [row["role"] for row in rows[:3]] == ["publish", "subscribe", "both"]
    after = read_plan(tmp_path / "after")
    assert after.interest == direct.interest
    assert carried(plan_trees(after)) == carried_after(before, rows) == carried(direct.trees)
    figures = after.manifest["trees"]
    assert (figures["objective"], figures["trees"]) == ("depth", 6)
    assert after.manifest["events"]["tree_changes"] == sum(len(change.trees) for change in changes)
    assert "links that no tree uses" in (tmp_path / "after" / "report.html").read_text()
    assert "changes of" in done.summary()
    assert carried(load(tmp_path / "after" / "snapshot").trees) == carried(direct.trees)


def test_a_stream_follows_trees_across_restarts(spark, tmp_path, plan):
    """A state that was started with trees continues with them without the option; the table of trees is the latest."""
    before, _, direct = in_memory(plan)
    (tmp_path / "incoming").mkdir()
    write_events(tmp_path / "incoming" / "1.jsonl", EVENTS[:2])
    pipeline.follow(tmp_path / "incoming", state=tmp_path / "state", plan=plan, trees=True, once=True, spark=spark)
    write_events(tmp_path / "incoming" / "2.jsonl", EVENTS[2:])
    done = pipeline.follow(tmp_path / "incoming", state=tmp_path / "state", once=True, spark=spark)
    assert done.maintainer.interest == direct.interest
    assert done.maintainer.overlay == direct.overlay
    written = pq.read_table(tmp_path / "state" / "trees.parquet")
    assert written.equals(direct.trees.to_arrow())
    rows = [
        row for file in sorted((tmp_path / "state" / "changes").iterdir()) for row in pq.read_table(file).to_pylist()
    ]
    assert carried_after(before, rows) == carried(direct.trees)


def test_trees_of_a_plan_are_followed_unless_they_are_not_wanted(spark, tmp_path, plan):
    """Without the option: a plan with trees becomes a plan with trees that changed where they had to."""
    before, _, direct = in_memory(plan)
    log = write_events(tmp_path / "log.jsonl", EVENTS)
    kept = pipeline.maintain(plan, log, out=tmp_path / "kept", spark=spark)
    assert carried(kept.maintainer.trees) == carried(direct.trees)
    rows = pq.read_table(tmp_path / "kept" / "changes.parquet").to_pylist()
    assert carried(plan_trees(read_plan(tmp_path / "kept"))) == carried_after(before, rows)
    left = pipeline.maintain(plan, log, out=tmp_path / "left", trees=False, spark=spark)
    assert left.maintainer.trees is None
    assert not (tmp_path / "left" / "trees.parquet").exists()
    again = pipeline.maintain(tmp_path / "left", write_events(tmp_path / "more.jsonl", [JOIN]), spark=spark)
    assert again.maintainer.trees is None, "a plan without trees stays without"


@pytest.mark.slow
def test_a_stream_follows_the_trees_of_the_plan_it_starts_from(spark, tmp_path, plan):
    """And it says so, if an option would drop the trees that its state follows."""
    _, _, direct = in_memory(plan)
    (tmp_path / "incoming").mkdir()
    write_events(tmp_path / "incoming" / "1.jsonl", EVENTS)
    given = {"state": tmp_path / "state", "plan": plan, "once": True, "spark": spark}
    done = pipeline.follow(tmp_path / "incoming", **given)
    assert carried(done.maintainer.trees) == carried(direct.trees)
    assert pq.read_table(tmp_path / "state" / "trees.parquet").equals(direct.trees.to_arrow())
    with pytest.raises(ParameterError, match="trees= is True there and False here"):
        pipeline.follow(tmp_path / "incoming", trees=False, **given)


def test_trees_of_filters_are_left_out_and_that_is_said(spark, tmp_path):
    """A plan of filters that was exported has trees, but they cannot be followed; asking for it is an error."""
    folder = write_plan(tmp_path / "plan", tw.Interest.from_pairs([(node, "x/#") for node in "abc"]))
    stored = read_plan(folder)
    keep_trees(tw.deploy.trees(stored.interest, stored.overlay), folder)
    log, told = write_events(tmp_path / "log.jsonl", [JOIN]), Told()
    done = pipeline.maintain(folder, log, out=tmp_path / "after", progress=told, spark=spark)
    assert done.maintainer.trees is None
    assert "topic 'x/#' is a filter" in told.details["trees"]
    with pytest.raises(InputError, match="'x/#' is a filter"):
        pipeline.maintain(folder, log, trees=True, spark=spark)


@pytest.mark.slow
def test_a_state_without_trees_can_begin_to_follow_them(spark, tmp_path, plan):
    (tmp_path / "incoming").mkdir()
    write_events(tmp_path / "incoming" / "1.jsonl", EVENTS[:3])
    first = pipeline.follow(
        tmp_path / "incoming", state=tmp_path / "state", plan=plan, trees=False, once=True, spark=spark
    )
    assert first.maintainer.trees is None
    assert not (tmp_path / "state" / "trees.parquet").exists()
    second = pipeline.follow(tmp_path / "incoming", state=tmp_path / "state", trees=True, once=True, spark=spark)
    found = second.maintainer.trees
    assert (
        tw.deploy.check_trees(
            second.maintainer.interest, second.maintainer.overlay, {t: found.edges(t) for t in found.interest.topics}
        )
        == []
    )
    assert (tmp_path / "state" / "trees.parquet").is_file()
