"""The schema of events: what a row must be, and that rows are read back as they were written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave.churn import Event
from topicweave.model.event_schema import (
    ACTIONS,
    RULES,
    actions_where,
    broken_rule,
    normalised,
    topic_field,
    topic_list,
    whole,
)
from topicweave.model.labels import BLANKS

TEXTS = st.one_of(st.text(), st.sampled_from(["", " ", "[", '["p","q"]', "[]", "null", "{}", "7"]))
LABELS = TEXTS.filter(lambda text: text.strip(BLANKS))


@given(topics=st.frozensets(TEXTS, max_size=4))
def test_topics_are_read_back_as_they_were_written(topics):
    assert topic_list(topic_field(topics)) == sorted(topics)


@given(
    action=st.sampled_from(sorted(ACTIONS)),
    node=LABELS,
    topics=st.frozensets(LABELS, min_size=1, max_size=4),
    sequence=st.integers(-(2**63), 2**63 - 1),
    time=st.floats(allow_nan=False),
)
def test_events_are_read_back_as_they_were_written(action, node, topics, sequence, time):
    event = Event(action, node, topics, sequence, time)
    assert Event.from_record(event.to_record()) == event


@pytest.mark.parametrize(
    ("written", "number"),
    [
        (7, 7), ("7", 7), (" 7 ", 7), ("+7", 7), (7.0, 7), ("7.0", 7), ("7e2", 700), ("-3", -3), (2**63 - 1, 2**63 - 1),
        (2**63, None), ("9" * 5000, None), ("1_000", None), ("7.5", None), ("٣", None), ("", None), (None, None),
        (float("nan"), None), (float("inf"), None), (True, None), ("0x7", None), ("1f", None), (1e300, None),
    ],
)  # fmt: skip
def test_sequence_numbers(written, number):
    """However a table writes whole numbers; nothing that does not fit into 64 bits."""
    assert whole(written) == number


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"sequence": 1, "action": " Leave "}, None),
        ({"sequence": 1, "action": "drain"}, None),
        ({"sequence": 1, "action": "resubscribe", "topic": []}, None),
        ({"sequence": 1, "action": "join", "role": "Subscriber"}, None),
        ({"sequence": 1, "action": "join", "role": "admiral"}, "unknown role"),
        ({"sequence": "x", "action": "dance"}, "sequence is not a whole number"),
        ({"sequence": 1, "action": "dance"}, "unknown action"),
        ({"sequence": 1, "action": "subscribe", "topic": ""}, "topic is missing"),
        ({"sequence": 1, "action": "unsubscribe", "topic": "[]"}, "topic is missing"),
        ({"sequence": 1, "action": "subscribe", "topic": ["x", "y"]}, None),
    ],
)
def test_the_first_rule_that_a_row_breaks(row, reason):
    rule = broken_rule(normalised({"node": "a", **row}))
    assert (None if rule is None else rule.reason) == reason


def test_every_rule_has_a_sentence():
    """A rule that is added to the table is also worded for those who make events one by one."""
    from topicweave.churn.events import SENTENCES

    assert set(SENTENCES) == {rule.reason for rule in RULES}
    assert actions_where(presence=False) == ("leave", "drain")
