"""The table of changes: one row for each event, or two for a drain: what it did, or why it was refused."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from topicweave.churn.change import Change
from topicweave.churn.events import DRAIN
from topicweave.columns import ACTION, NODE, SEQUENCE, SOURCE, TARGET, TOPICS
from topicweave.errors import InputError

if TYPE_CHECKING:
    import pyarrow

    from topicweave.churn.events import Event
    from topicweave.churn.maintainer import Maintainer

ADDED, REMOVED, REFUSED = "added", "removed", "refused"


def apply_or_refuse(maintainer: Maintainer, event: Event) -> tuple[Change, str | None]:
    """Apply an event; an impossible one changes nothing, and the reason is returned."""
    try:
        return maintainer.apply([event]), None
    except InputError as error:
        return Change(), str(error)


def change_rows(event: Event, change: Change, refused: str | None) -> list[dict[str, Any]]:
    """The rows of an event; the order of rows is the order in which the changes are to be carried out."""
    steps = change.in_two_steps() if event.action == DRAIN and refused is None else (change,)
    return [
        {
            SEQUENCE: event.sequence,
            NODE: event.node,
            ACTION: event.action,
            TOPICS: list(event.content[2]),
            ADDED: [{SOURCE: a, TARGET: b} for a, b in step.added],
            REMOVED: [{SOURCE: a, TARGET: b} for a, b in step.removed],
            REFUSED: refused,
        }
        for step in steps
    ]


def as_table(rows: list[dict[str, Any]]) -> pyarrow.Table:
    """Rows of changes as an Arrow table."""
    import pyarrow as pa

    links = pa.list_(pa.struct([(SOURCE, pa.string()), (TARGET, pa.string())]))
    schema = pa.schema(
        [
            (SEQUENCE, pa.int64()), (NODE, pa.string()), (ACTION, pa.string()), (TOPICS, pa.list_(pa.string())),
            (ADDED, links), (REMOVED, links), (REFUSED, pa.string()),
        ]
    )  # fmt: skip
    return pa.Table.from_pylist(rows, schema=schema)


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    """Rows of changes as the content of a Parquet file."""
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(as_table(rows), buffer)
    return buffer.getvalue()
