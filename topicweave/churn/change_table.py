"""The table of changes: for each event one row (two for a drain) with its effect, or the reason why it was refused."""

from __future__ import annotations

import io
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from topicweave.columns import ACTION, NODE, ROLE, SEQUENCE, SOURCE, TARGET, TOPIC, TOPICS
from topicweave.errors import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pyarrow

    from topicweave.churn.change import Change
    from topicweave.churn.events import Event

ADDED, REMOVED, REFUSED, TREES = "added", "removed", "refused", "trees"
# the requirements violated after the event, and the proof that this could not be avoided, as text
VIOLATIONS = "violations"
DIRECTION, IS_ADDED = "direction", "is_added"  # columns of the table that records changes of trees
REOPTIMISE = "reoptimise"  # the action written in rows that record a reoptimisation instead of an event


def change_rows(
    event: Event, change: Change, refused: str | None = None, *, in_two_steps: bool = False
) -> list[dict[str, Any]]:
    """The rows for one event, in the order in which to apply them; in each row, links are added before others are
    removed.
    """
    node, action, topics, role = event.content
    about = {SEQUENCE: event.sequence, NODE: node, ACTION: action, TOPICS: list(topics), ROLE: role}
    return [_row(about, step, refused) for step in (change.in_two_steps() if in_two_steps else (change,))]


def reoptimise_row(number: int, change: Change) -> dict[str, Any]:
    """The row for a reoptimisation that followed the event with this number."""
    return _row({SEQUENCE: number, NODE: None, ACTION: REOPTIMISE, TOPICS: [], ROLE: None}, change, None)


def _row(about: dict[str, Any], change: Change, refused: str | None) -> dict[str, Any]:
    return {
        **about,
        ADDED: [{SOURCE: a, TARGET: b} for a, b in change.added],
        REMOVED: [{SOURCE: a, TARGET: b} for a, b in change.removed],
        REFUSED: refused,
        TREES: [
            {TOPIC: each.topic, SOURCE: each.link[0], TARGET: each.link[1], DIRECTION: each.direction,
             IS_ADDED: each.is_added}
            for each in change.trees
        ],
        VIOLATIONS: [*map(str, change.violations), *([change.proof] if change.proof else [])],
    }  # fmt: skip


def as_table(rows: list[dict[str, Any]]) -> pyarrow.Table:
    """Rows of changes as an Arrow table."""
    import pyarrow as pa

    links = pa.list_(pa.struct([(SOURCE, pa.string()), (TARGET, pa.string())]))
    tree = pa.struct([*((name, pa.string()) for name in (TOPIC, SOURCE, TARGET, DIRECTION)), (IS_ADDED, pa.bool_())])
    schema = pa.schema(
        [
            (SEQUENCE, pa.int64()), (NODE, pa.string()), (ACTION, pa.string()), (TOPICS, pa.list_(pa.string())),
            (ADDED, links), (REMOVED, links), (REFUSED, pa.string()), (ROLE, pa.string()), (TREES, pa.list_(tree)),
            (VIOLATIONS, pa.list_(pa.string())),
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
    """What change tables recorded about events that were applied or refused; each table is read only when needed.

    A table that cannot be read counts as empty.

    Parameters
    ----------
    files
        The tables, with the first and last sequence number in each.
    """

    def __init__(self, files: Iterable[tuple[Path, tuple[float, float]]]) -> None:
        self._unread = list(files)
        self._rows: dict[int, dict[str, Any]] = {}

    def has(self, number: int) -> bool:
        """Whether an event with this number is recorded."""
        self._read(number)
        return number in self._rows

    def agrees(self, event: Event) -> bool:
        """Whether the event equals the one that is recorded under its number.

        Tables of older versions have no topics or no role of events; what is missing there is not compared.
        """
        row = self._rows[event.sequence]
        node, action, topics, role = event.content
        recorded = row.get(TOPICS)
        if (row[NODE], row[ACTION]) != (node, action) or row.get(ROLE) not in (None, role):
            return False
        return recorded is None or tuple(recorded) == topics

    def numbers(self) -> list[int]:
        """The numbers of all recorded events, in order."""
        for _, (first, _) in list(self._unread):
            self._read(first)
        return sorted(self._rows)

    def _read(self, number: float) -> None:
        covering = [entry for entry in self._unread if entry[1][0] <= number <= entry[1][1]]
        for entry in covering:
            self._unread.remove(entry)
            with suppress(ReadError):
                rows = read_changes(entry[0], (SEQUENCE, NODE, ACTION, TOPICS, ROLE))
                self._rows.update((row[SEQUENCE], row) for row in rows if row[ACTION] != REOPTIMISE)


def read_changes(file: Path, columns: Iterable[str] | None = None) -> list[dict[str, Any]]:
    """Read these columns of a table of changes; raises a ReadError if the file is something else."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(file).names
        kept = None if columns is None else [name for name in columns if name in names]
        table = pq.read_table(file, columns=kept)
        missing = {SEQUENCE, NODE, ACTION} - set(table.column_names)
    except (OSError, pa.ArrowException) as error:
        raise ReadError(f"The changes in {file} cannot be read ({error}); take the file from a copy.") from error
    if missing:
        raise ReadError(f"{file} is not a table of changes ({', '.join(sorted(missing))} missing); remove it.")
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows
