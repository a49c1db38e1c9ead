"""Event files as events: any format, the one validator, and where every row went."""

from __future__ import annotations

import json

import pytest

import topicweave as tw
from topicweave.churn import Event
from topicweave.pipeline import Table
from topicweave.pipeline.sources.event_rows import read_event_rows
from topicweave.workloads import random_churn


def test_events_in_any_format(spark, tmp_path):
    """JSON lines in any order and CSV with another column name give the same events; other rows their reason."""
    interest = tw.workloads.synthetic(40, 20, subscriptions=(2, 8), seed=2)
    rows = random_churn(interest, tw.workloads.synthetic(40, 20, subscriptions=(2, 8), seed=3), 60, seed=1)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)) + "not json\n")
    found = read_event_rows(spark, Table(str(tmp_path / "log.jsonl")), is_whole_log=True)
    assert [row.event for row in found.events] == [Event.from_record(row) for row in rows]
    assert [(entry["reason"], entry["line"]) for entry in found.bad] == [("malformed JSON", "not json")]
    (tmp_path / "log.csv").write_text(
        'number,node,action,topic\n1,a,join,"[""x"", ""y""]"\n\n2,a,unsubscribe,x\n3,a,dance,x\n'
    )
    table = Table(str(tmp_path / "log.csv"), columns={"sequence": "number"})
    found = read_event_rows(spark, table, is_whole_log=True)
    assert [row.event.content for row in found.events] == [
        ("a", "join", ("x", "y"), "subscribe"), ("a", "unsubscribe", ("x",), "subscribe"),
    ]  # fmt: skip
    assert [(entry["reason"], entry["line"]) for entry in found.bad] == [("unknown action", "3,a,dance,x")]
    assert found.bad[0]["file"] == str(tmp_path / "log.csv")
    assert found.counts.to_dict() == {
        "read": 3, "valid": 2, "quarantined": {"unknown action": 1}, "ignored": {"blank line": 1, "header": 1},
    }  # fmt: skip


@pytest.mark.parametrize("is_whole_log", [True, False])
def test_a_number_for_two_events(spark, tmp_path, is_whole_log):
    """In a whole log neither counts; in a part of one both are handed on, always in the same order."""
    rows = [(1, "a", "x"), (1, "a", "w"), (2, "a", "y"), (2, "a", "y")]
    text = "".join(
        json.dumps({"sequence": number, "node": node, "action": "subscribe", "topic": topic}) + "\n"
        for number, node, topic in rows
    )
    (tmp_path / "log.jsonl").write_text(text)
    found = read_event_rows(spark, Table(str(tmp_path / "log.jsonl")), is_whole_log=is_whole_log)
    topics = [(row.event.sequence, *row.event.topics) for row in found.events]
    assert topics == [(2, "y"), (2, "y")] if is_whole_log else [(1, "w"), (1, "x"), (2, "y"), (2, "y")]
    assert len(found.bad) == (2 if is_whole_log else 0)
