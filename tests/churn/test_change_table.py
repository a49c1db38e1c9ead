"""The table of changes: rows of events, and whether an event is the recorded one."""

from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.parquet as pq

from topicweave.churn import Change, Event
from topicweave.churn.change_table import RecordedEvents, as_parquet, as_table, change_rows
from topicweave.deploy import TreeChange

CHANGE = Change(added=(("a", "b"),), removed=(("b", "c"),))


def test_an_event_has_one_row_or_two_in_the_order_of_its_steps():
    """The change has two rows: in the first, links are made; in the second, links are dropped."""
    (row,) = change_rows(Event("join", "a", {"t", "s"}, 4), CHANGE, None)
    assert (row["sequence"], row["node"], row["action"], row["topics"]) == (4, "a", "join", ["s", "t"])
    first, second = change_rows(Event("drain", "c", (), 5), CHANGE, in_two_steps=True)
    assert (len(first["added"]), first["removed"], second["added"], len(second["removed"])) == (1, [], [], 1)
    told = Change(trees=(TreeChange("t", ("a", "b"), "forward", True),))
    assert change_rows(Event("join", "a", {"t"}, 4, role="publish"), told)[0]["role"] == "publish"
    assert as_table(change_rows(Event("join", "a", {"t"}, 4), told)).column("trees").to_pylist() == [
        [{"topic": "t", "source": "a", "target": "b", "direction": "forward", "is_added": True}]
    ]
    (refused,) = change_rows(Event("drain", "c", (), 5), Change(), "no")
    assert refused["refused"] == "no"
    assert as_table([row, first, second]).num_rows == 3


def test_recorded_events_are_compared_by_content(tmp_path):
    """Node, action and topics; a table of an earlier version, which has no topics, by node and action."""
    rows = change_rows(Event("join", "a", {"t"}, 1), Change(), None)
    rows += change_rows(Event("join", "b", (), 2), Change(), None)
    (tmp_path / "new.parquet").write_bytes(as_parquet(rows))
    recorded = RecordedEvents([(tmp_path / "new.parquet", (1, 2))])
    assert recorded.has(1) and recorded.has(2) and not recorded.has(3)
    assert recorded.agrees(Event("join", "a", {"t"}, 1, 9.0))
    assert not recorded.agrees(Event("join", "a", {"u"}, 1))
    assert not recorded.agrees(Event("join", "a", {"t"}, 1, role="both"))
    assert not recorded.agrees(Event("join", "b", {"t"}, 2))
    pq.write_table(pa.table({"sequence": [1], "node": ["a"], "action": ["join"]}), tmp_path / "old.parquet")
    recorded = RecordedEvents([(tmp_path / "old.parquet", (-math.inf, math.inf))])
    assert recorded.has(1) and recorded.agrees(Event("join", "a", {"u"}, 1))
    assert recorded.agrees(Event("join", "a", {"u"}, 1, role="publish"))
    assert not recorded.agrees(Event("leave", "a", (), 1))
