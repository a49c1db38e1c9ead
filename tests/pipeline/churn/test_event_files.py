"""Hostile event files: the stream never stops, nothing valid is lost, everything else is in the quarantine."""

import base64
import gzip
import json
import os
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.pipeline.churn.hostile_files import WHOLE, Maker
from tests.pipeline.churn.logs import found_in, present
from topicweave import pipeline
from topicweave.churn import Event
from topicweave.errors import ParameterError
from topicweave.pipeline import EventLog
from topicweave.pipeline.churn.event_files import read_event_files
from topicweave.pipeline.sources.formats.table import Table


def follow_hostile(spark, folder, seed, count):
    """Write hostile files, follow them, and hold what became of each row against how it was made."""
    files = Maker(seed).files(count)
    (folder / "events").mkdir()
    for file in files:
        (folder / "events" / file.name).write_bytes(file.content)
    done = pipeline.follow(folder / "events", state=folder / "state", empty=True, once=True, spark=spark)
    events = dict(sorted((number, event) for file in files for number, event in file.events.items()))
    log = [Event(action, node, topics, number) for number, (node, action, topics) in events.items()]
    there, refused = present(log)
    # numbers that rows which are no events have made up are not among those: the log has no gap
    assert (done.last, done.num_applied + done.num_refused, done.num_refused) == (len(log), len(log), refused)
    assert done.gap is None and found_in(folder / "state") == there
    whole, lines = put_aside(folder / "state")
    empty = {file.name for file in files if not file.content}  # Spark passes over most of these: nothing is in them
    assert whole | empty == {file.name for file in files if file.bad == WHOLE} | empty
    assert lines == Counter((file.name, line) for file in files if file.bad != WHOLE for line in file.bad)
    return files


def put_aside(state):
    """Files that could not be read, and lines that are no events, as they were written."""
    whole, lines = set(), Counter()
    for file in (state / "quarantine").iterdir():
        for entry in map(json.loads, gzip.decompress(file.read_bytes()).splitlines()):
            name = os.path.basename(entry["file"])
            if entry["reason"].startswith(WHOLE):
                whole.add(name)
            else:
                lines[name, base64.b64decode(entry["bytes"]) if "bytes" in entry else entry["line"].encode()] += 1
    return whole, lines


def test_hostile_files(spark, tmp_path):
    """A dozen files that each do damage in their own way: all are reported, and none stops the stream."""
    assert len(follow_hostile(spark, tmp_path, 3, 12)) == 12


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 110))
def test_many_hostile_files(spark, tmp_path, seed):
    """The same with a hundred, drawn differently."""
    follow_hostile(spark, tmp_path, seed, 100)


JOIN = '{"sequence": 1, "node": "a", "action": "join", "topic": ["t"]}'
LEAVE = '{"sequence": 2, "node": "a", "action": "leave"}'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (JOIN + LEAVE, "malformed JSON"),
        pytest.param(f"{JOIN},{LEAVE}", "malformed JSON", marks=pytest.mark.slow),
        (JOIN + " and more", "malformed JSON"),
        pytest.param(JOIN + "]", "malformed JSON", marks=pytest.mark.slow),
        (JOIN.replace('"t"', '"t", ["u"]'), "a nested value where a label belongs"),
        (JOIN.replace('"t"', '{"t": 1}'), "a nested value where a label belongs"),
        (JOIN.replace('"a"', r'"\ud800"'), "not valid UTF-8"),
        pytest.param(JOIN.replace('"a"', r'"\ude00\ud83d"'), "not valid UTF-8", marks=pytest.mark.slow),
    ],
)
def test_a_line_that_is_more_or_less_than_an_event(spark, tmp_path, line, reason):
    """Spark's parser stops after the first value and reads a lone surrogate as a question mark."""
    (tmp_path / "1.jsonl").write_text(f"{LEAVE}\n{line}\n")
    found = read_event_files(spark, EventLog(Table(str(tmp_path))), [str(tmp_path / "1.jsonl")])
    assert [row.event.sequence for row in found.events] == [2]
    assert [(entry["reason"], entry["line"]) for entry in found.bad] == [(reason, line)]


def test_a_text_file_is_no_log_because_its_lines_have_three_words(spark, tmp_path):
    """The ending .txt means an edge list, with two words per line; what the words are is not guessed."""
    (tmp_path / "1.txt").write_text("1 a leave\n")
    found = read_event_files(spark, EventLog(Table(str(tmp_path))), [str(tmp_path / "1.txt")])
    assert not found.events and len(found.bad) == 1 and "no column for the action" in found.bad[0]["reason"]


def test_escapes_that_are_right_are_read(spark, tmp_path):
    odd = {"sequence": 1, "node": "🙂", "action": "join", "topic": ["\\ud800", "\\", "\\\\ude00", "]", ',{"a":1}]']}
    text = {"sequence": 2, "node": "a", "action": "join", "topic": '["a"] and more'}
    (tmp_path / "1.jsonl").write_text(f"{json.dumps(odd)}\n{json.dumps(text)}")
    row, other = read_event_files(spark, EventLog(Table(str(tmp_path))), [str(tmp_path / "1.jsonl")]).events
    assert (row.event.node, row.event.topics) == ("🙂", set(odd["topic"]))
    assert other.event == Event.from_record(text) and other.event.topics == {'["a"] and more'}


def test_what_a_file_holds_does_not_depend_on_those_read_with_it(spark, tmp_path):
    """Parquet files with and without topics, headers in another order after a blank line, an empty file."""
    pq.write_table(pa.table({"sequence": [1], "node": ["a"], "action": ["leave"]}), tmp_path / "1.parquet")
    columns = {"sequence": [2], "node": ["b"], "action": ["join"], "topic": [["t"]]}
    pq.write_table(pa.table(columns), tmp_path / "2.parquet")
    (tmp_path / "3.parquet").write_bytes(b"")
    (tmp_path / "4.csv").write_text("\nsequence,node,action,topic\n3,c,join,t\n")
    (tmp_path / "5.csv").write_text("\nsequence,topic,action,node\n4,t,join,d\n")
    paths = sorted(map(str, tmp_path.iterdir()))
    found = read_event_files(spark, EventLog(Table(str(tmp_path))), paths)
    assert [row.event.content for row in found.events] == [
        ("a", "leave", (), "subscribe"),
        *((node, "join", ("t",), "subscribe") for node in "bcd"),
    ]
    assert [os.path.basename(entry["file"]) for entry in found.bad] == ["3.parquet"]


def test_long_labels_are_read_where_they_are_expected(spark, tmp_path):
    """1,024 characters, or as many as the log says; a log is always applied to its end."""
    long = "x" * 2000
    rows = [{"sequence": 1, "node": long, "action": "join", "topic": ["t"]},
            {"sequence": 2, "node": "b", "action": "join", "topic": ["t", "y" * 1500]}]  # fmt: skip
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = {"empty": True, "once": True, "spark": spark}
    refused = pipeline.follow(tmp_path / "events", state=tmp_path / "short", **given)
    assert (refused.num_applied, refused.num_bad) == (0, 2)
    log = EventLog(Table(str(tmp_path / "events")), max_label_length=2000)
    taken = pipeline.follow(log, state=tmp_path / "long", **given)
    assert (taken.num_applied, taken.num_bad, taken.maintainer.interest.nodes) == (2, 0, ("b", long))
    with pytest.raises(ParameterError, match="applied to its end, but at=3 was given"):
        pipeline.follow(EventLog(log.table, at=3), state=tmp_path / "long", **given)
