"""The table of changes: one row for each event, or two for a drain: what it did, or why it was refused."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from topicweave.churn.change import Change
from topicweave.churn.events import DRAIN
from topicweave.columns import ACTION, NODE, SEQUENCE, SOURCE, TARGET, TOPICS
from topicweave.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

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


class RecordedEvents:
    """What tables of changes say about events that were applied or refused; each is read when it is needed.

    Parameters
    ----------
    files
        The tables, with the first and last sequence number in each.
    """

    def __init__(self, files: Iterable[tuple[Path, tuple[float, float]]]) -> None:
        self._unread = list(files)
        self._rows: dict[int, dict[str, Any]] = {}

    def has(self, number: int) -> bool:
        """Whether an event of this number is recorded."""
        self._read(number)
        return number in self._rows

    def agrees(self, event: Event) -> bool:
        """Whether the event recorded under this number is the same; older files do not say its topics."""
        row = self._rows[event.sequence]
        node, action, topics = event.content
        recorded = row.get(TOPICS)
        return (row[NODE], row[ACTION]) == (node, action) and (recorded is None or tuple(recorded) == topics)

    def _read(self, number: int) -> None:
        import pyarrow.parquet as pq

        covering = [entry for entry in self._unread if entry[1][0] <= number <= entry[1][1]]
        for entry in covering:
            self._unread.remove(entry)
            kept = [name for name in (SEQUENCE, NODE, ACTION, TOPICS) if name in pq.read_schema(entry[0]).names]
            self._rows.update((row[SEQUENCE], row) for row in pq.read_table(entry[0], columns=kept).to_pylist())
