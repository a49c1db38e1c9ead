"""The tables of a plan."""

import pyarrow as pa

from topicweave.model.event_schema import ROLE_BITS
from topicweave.pipeline.plan.plan import ROLE_NAMES, safe_for_spreadsheets


def test_formulas_get_an_apostrophe():
    """Whatever a spreadsheet would run; other cells, and numbers, stay as they are."""
    labels = ["=cmd|' /C calc'!A0", "+1", "-1", "@x", "\tx", "\rx", "\nx", "＝1+1", "＠x", "a=b", "", "plain"]
    table = pa.table({"source": labels, "contribution": pa.array([-1] * len(labels))})
    found = safe_for_spreadsheets(table)
    assert found["source"].to_pylist() == [f"'{label}" for label in labels[:9]] + labels[9:]
    assert found["contribution"] == table["contribution"] and found.schema == table.schema


def test_roles_are_called_as_in_the_schema_of_events():
    assert [ROLE_BITS[name] for name in ROLE_NAMES] == [1, 2, 3]
