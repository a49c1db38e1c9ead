"""Events: valid rows, invalid rows, and rows that are written and read back."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings

from tests.churn.traces import any_events
from topicweave.churn import Event
from topicweave.churn.events import Membership, membership_after
from topicweave.errors import InputError


@pytest.mark.parametrize(
    "record",
    [
        {"sequence": 1, "node": "a", "action": "dance"},
        {"sequence": "one", "node": "a", "action": "leave"},
        {"sequence": 1, "node": None, "action": "leave"},
        {"sequence": 1, "node": "a", "action": "subscribe", "topic": None},
        {"sequence": float("inf"), "node": "a", "action": "leave"},
        {"sequence": 1, "node": "a", "action": "join", "topic": [["x"]]},
        {"sequence": 1, "node": "a", "action": "join", "topic": "x", "role": "listen"},
        None,
        5,
        "leave",
    ],
)
def test_rows_that_are_no_events(record):
    with pytest.raises(InputError):
        Event.from_record(record)


def test_events_survive_their_rows():
    """An event written as a row and read back is the same event."""
    events = [
        Event("join", "a", {"x", "y"}, 1, 0.5), Event("leave", "a", (), 2), Event("subscribe", "b", {"x"}, 3),
        Event("unsubscribe", "b", {"x"}, 4), Event("join", "c", (), 5), Event("join", "d", {"x"}, 6, role="both"),
    ]  # fmt: skip
    assert [Event.from_record(event.to_record()) for event in events] == events
    assert Event.from_record({"sequence": "7", "node": "a", "action": " Join", "topic": '["x", "y"]'}).topics == {
        "x",
        "y",
    }
    assert Event.from_record({"sequence": 8, "node": 4, "action": "subscribe", "topic": 7}).topics == {"7"}
    # as pandas and Spark write a column with gaps
    written = [9.0, "9.0", np.float64(9), np.int32(9)]
    assert {Event.from_record({"sequence": s, "node": "a", "action": "leave"}).sequence for s in written} == {9}
    assert not Event.from_record({"sequence": 9, "node": "a", "action": "leave", "topic": float("nan")}).topics
    for sequence in (1.7, "1.7", float("inf"), "many"):
        with pytest.raises(InputError, match="is not a whole number"):
            Event.from_record({"sequence": sequence, "node": "a", "action": "leave"})


@settings(max_examples=200, deadline=None)
@given(event=any_events())
def test_whatever_is_written_is_read_back_as_it_was(event):
    """Rows of files, through JSON, for all labels and events."""
    assert Event.from_record(event.to_record()) == event
    assert Event.from_record(json.loads(json.dumps(event.to_record()))) == event


HERE = Membership(frozenset({"x", "y"}), frozenset({"y", "p"}))


@pytest.mark.parametrize(
    ("action", "topics", "role", "after"),
    [
        ("leave", (), "subscribe", None), ("drain", (), "both", None),
        ("subscribe", {"z"}, "subscribe", ({"x", "y", "z"}, {"y", "p"})),
        ("subscribe", {"z"}, "publish", ({"x", "y"}, {"y", "p", "z"})),
        ("subscribe", {"p", "z"}, "both", ({"x", "y", "p", "z"}, {"y", "p", "z"})),
        ("unsubscribe", {"x"}, "subscribe", ({"y"}, {"y", "p"})),
        ("unsubscribe", {"y"}, "subscribe", ({"x"}, {"y", "p"})),
        ("unsubscribe", {"y"}, "publish", ({"x", "y"}, {"p"})), ("unsubscribe", {"y"}, "both", ({"x"}, {"p"})),
        ("resubscribe", {"z"}, "subscribe", ({"z"}, ())), ("resubscribe", {"z"}, "publish", ((), {"z"})),
        ("resubscribe", (), "both", ((), ())),
    ],
)  # fmt: skip
def test_what_a_node_has_after_an_event(action, topics, role, after):
    """For a node that is present, and for one that is not: then every action except a join is invalid."""
    expected = None if after is None else Membership(*map(frozenset, after))
    assert membership_after(HERE, Event(action, "a", topics, role=role)) == expected
    with pytest.raises(InputError, match=f"no node 'a' that could {action}"):
        membership_after(None, Event(action, "a", topics))


def test_only_who_is_not_there_can_join():
    assert membership_after(None, Event("join", "a", {"z"})) == Membership(frozenset({"z"}))
    with pytest.raises(InputError, match="already there"):
        membership_after(HERE, Event("join", "a", {"z"}))


def test_a_role_that_there_is_not():
    with pytest.raises(InputError, match="no role 'listen'; it may be subscribe, publish, both"):
        Event("join", "a", {"z"}, role="listen")


def test_the_content_of_an_event_is_what_counts_when_numbers_repeat():
    """The time, the order of topics, and topics that an action ignores make no difference."""
    assert Event("join", "a", ["x", "y"], 1, 0.5).content == Event("join", "a", ["y", "x", "x"], 1, 7.0).content
    assert Event("leave", "a", ["x"], 1).content == Event("leave", "a", (), 1).content
    assert Event("join", "a", ["x"], 1).content != Event("resubscribe", "a", ["x"], 1).content
    assert Event("join", "a", ["x"], 1).content != Event("join", "a", ["x"], 1, role="publish").content
    assert Event("join", "a", ["x"], 1, role="subscriber").content == Event("join", "a", ["x"], 1).content
    assert Event("join", "a", (), 1, role="publish").content == Event("join", "a", (), 1).content
