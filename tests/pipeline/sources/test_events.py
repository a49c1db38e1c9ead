"""Event logs folded to a state."""

import json

import numpy as np
import pytest

from tests.pipeline.helpers import pairs_of
from topicweave.churn import Event
from topicweave.errors import ParameterError
from topicweave.model.event_schema import broken_rule, normalised
from topicweave.pipeline import EventLog, Table, load
from topicweave.pipeline.sources.events import tag_events

LOG = """sequence,time,node,action,topic
1,10,a,join,
2,10,a,subscribe,x
3,11,a,subscribe,y
4,12,b,join,"[""x"", ""z""]"
5,13,a,unsubscribe,x
6,14,b,leave,
7,15,c,subscribe,x
8,16,b,join,
9,17,d,join,x
"""


@pytest.mark.parametrize(
    ("at", "state"),
    [
        (None, {("a", "y"), ("c", "x"), ("d", "x")}),
        (12, {("a", "x"), ("a", "y"), ("b", "x"), ("b", "z")}),
        ("13", {("a", "y"), ("b", "x"), ("b", "z")}),
        (14.0, {("a", "y")}),
    ],
)
def test_state_at_a_time(spark, write, at, state):
    """After the events up to that time: unsubscribed, left and rejoined nodes included."""
    loaded = load(EventLog(Table(write("log.csv", LOG)), at=at), spark=spark)
    assert pairs_of(loaded.interest) == state
    later = loaded.counts["events"].ignored.get("event after the chosen time", 0)
    assert loaded.counts["events"].valid + later == 9
    if at is None:
        assert loaded.records.notes == {"duplicate events": 0, "nodes present without topics": 1}
    loaded.records.release()


def test_bad_events_are_put_aside(spark, write):
    """Each kind of bad event, and two different ones under one sequence, of which neither is believed."""
    rows = """sequence,time,node,action,topic
1,1,a,subscribe,x
one,1,a,subscribe,y
2,1,a,dance,y
3,1,,join,
4,1,a,subscribe,
5,soon,a,subscribe,y
6,1,a,subscribe,p
6,1,a,subscribe,q
7,1,a,subscribe,z
7,1,a,subscribe,z
8,1,a,join
9223372036854775808,1,a,leave,
"""
    loaded = load(EventLog(Table(write("bad.csv", rows)), at=5), max_bad_fraction=1, spark=spark)
    assert pairs_of(loaded.interest) == {("a", "x"), ("a", "z")}
    assert loaded.counts["events"].bad == {
        "sequence is not a whole number": 2,
        "unknown action": 1,
        "node is missing": 1,
        "topic is missing": 1,
        "time cannot be read": 1,
        "sequence used twice for different events": 2,
        "wrong number of columns": 1,
    }
    assert loaded.records.notes["duplicate events"] == 1
    lines = {row["line"] for row in loaded.records.quarantine.collect()}
    assert {"6,1,a,subscribe,p", "6,1,a,subscribe,q", "2,1,a,dance,y"} <= lines
    loaded.records.release()


def test_dates_and_json_lists(spark, write):
    """Times may be dates; JSON joins carry lists."""
    events = [
        {"sequence": 1, "time": "2026-01-01T00:00:00", "node": "a", "action": "join", "topic": ["x", "y"]},
        {"sequence": 2, "time": "2026-01-02T00:00:00", "node": "a", "action": "leave"},
    ]
    path = write("log.jsonl", "".join(json.dumps(event) + "\n" for event in events))
    loaded = load(EventLog(Table(path), at="2026-01-01T12:00:00"), spark=spark)
    assert pairs_of(loaded.interest) == {("a", "x"), ("a", "y")}
    loaded.records.release()
    with pytest.raises(ParameterError, match="neither a number nor a date"):
        EventLog(Table(path), at="yesterday").read(spark)


def fold_plainly(events):
    """The state, event by event, with a dict of sets."""
    state = {}
    for event in sorted(events, key=lambda event: event["sequence"]):
        node, action = event["node"], event["action"]
        if action == "join":
            state[node] = set(event["topic"] or ())
        elif action in ("leave", "drain"):
            state.pop(node, None)
        elif action == "resubscribe":
            state[node] = set(event["topic"] or ())
        elif action == "subscribe":
            state.setdefault(node, set()).update(event["topic"])
        else:
            state.get(node, set()).difference_update(event["topic"])
    return {(node, topic) for node, topics in state.items() for topic in topics}


@pytest.mark.parametrize("seed", [0, 1])
def test_fold_equals_the_plain_one(spark, seed):
    """A random log in random order, folded by Spark and by hand, at several times."""
    rng = np.random.default_rng(seed)
    actions = rng.choice(
        ["join", "leave", "drain", "resubscribe", "subscribe", "unsubscribe"], 300, p=[0.1, 0.05, 0.05, 0.1, 0.45, 0.25]
    )
    events = []
    for sequence, action in enumerate(actions.tolist()):
        size = int(rng.integers(action in ("subscribe", "unsubscribe"), 4)) if action not in ("leave", "drain") else 0
        topics = [f"t{number}" for number in rng.choice(6, size, replace=False)]
        events.append(
            {
                "sequence": sequence,
                "time": sequence // 3,
                "node": f"n{rng.integers(5)}",
                "action": action,
                "topic": topics or None,
            }
        )
    rng.shuffle(events)
    frame = spark.createDataFrame(events, "sequence LONG, time LONG, node STRING, action STRING, topic ARRAY<STRING>")
    for at in (30, 99):
        loaded = load(EventLog(Table(frame.repartition(3)), at=at), spark=spark)
        assert pairs_of(loaded.interest) == fold_plainly([event for event in events if event["time"] <= at])
        loaded.records.release()


HOSTILE = {
    "sequence": [
        "7", " 7 ", "+7", "7.0", "7e2", "-3", "", "7.5", "1_000", "0x7", "1f", "NaN", "Infinity", "٣", "1e300", "1e18",
        "9223372036854775807", "9223372036854775808", "-9223372036854775808", "9" * 400, "9007199254740993.0", None,
    ],
    "action": ["join", " Leave ", "DRAIN", "subscribe\t", "unsubscribe", "resubscribe", "dance", "", "\u00a0join",
               None],
    "role": [None, "", "subscriber", " Subscriber ", "publisher"],
    "topic": [None, "", "x", "[", "[]", '["x"]', '["x", "y"]', '["[\\"p\\",\\"q\\"]"]', "[1, 2]", "[not json]", "ü"],
}  # fmt: skip


def test_spark_and_the_plain_checks_agree(spark):
    """Rows that try every rule: both call the same rows events, with the same content, and give the same reasons."""
    rows = [
        {"sequence": "7", "node": "a", "action": "subscribe", "role": None, "topic": "x", "time": None, field: value}
        for field, values in HOSTILE.items()
        for value in values
    ]
    rows += [
        {"sequence": "7", "node": "a", "action": action, "role": None, "topic": topic, "time": None}
        for action in HOSTILE["action"]
        for topic in HOSTILE["topic"]
    ]
    columns = ("sequence", "time", "node", "action", "role", "topic")
    frame = spark.createDataFrame(
        [(number, *(row[name] for name in columns), None, "") for number, row in enumerate(rows)],
        "number INT, " + ", ".join(f"{name} STRING" for name in columns) + ", reason STRING, line STRING",
    )
    found = tag_events(frame).orderBy("number").collect()
    judged = 0
    for row, seen in zip(rows, found, strict=True):
        fields = normalised(row)
        rule = broken_rule(fields)
        assert seen["reason"] == (None if rule is None else rule.reason), row
        if rule is None:
            judged += 1
            event = Event.from_record(row)
            spark_event = Event(
                seen["action"], seen["node"], seen["topics"], seen["sequence"], role=seen["role"] or "subscribe"
            )
            assert event.sequence == spark_event.sequence, row
            assert event.content == spark_event.content, row
    assert 40 < judged < len(rows) - 40
