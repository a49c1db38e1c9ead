"""The tables of a plan, and the lines that are printed."""

from types import SimpleNamespace

import pyarrow as pa

from topicweave import design
from topicweave.model.event_schema import ROLE_BITS
from topicweave.pipeline.plan.plan import ROLE_NAMES, Plan, safe_for_spreadsheets


def test_formulas_get_an_apostrophe():
    """Whatever a spreadsheet would run; other cells, and numbers, stay as they are."""
    labels = ["=cmd|' /C calc'!A0", "+1", "-1", "@x", "\tx", "\rx", "\nx", "＝1+1", "＠x", "a=b", "", "plain"]
    table = pa.table({"source": labels, "contribution": pa.array([-1] * len(labels))})
    found = safe_for_spreadsheets(table)
    assert found["source"].to_pylist() == [f"'{label}" for label in labels[:9]] + labels[9:]
    assert found["contribution"] == table["contribution"] and found.schema == table.schema


def test_roles_are_called_as_in_the_schema_of_events():
    assert [ROLE_BITS[name] for name in ROLE_NAMES] == [1, 2, 3]


def test_a_missing_broker_is_told_on_the_screen(four_brokers):
    """Beside the line that every topic is connected, which is true without that broker."""
    remark = "1 of 5 brokers is not in the plan ('kyiv')."
    manifest = {"rows": {"inputs": {}, "duplicates": 0, "remarks": [remark]}, "comparison": [{}, *[{"links": 3}] * 2]}
    plan = Plan(four_brokers, design(four_brokers, "ring"), SimpleNamespace(topic_connected=True), manifest)
    assert plan.summary().splitlines()[-1] == f"  note: {remark}"
