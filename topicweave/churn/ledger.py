"""Ledger: a maintainer on disk that applies every event of a log exactly once.

A folder holds ``snapshot`` (the maintainer, and the sequence number of the last event in it) and ``changes/`` (what
each event did). A slice of events is committed by writing its changes first and the snapshot then: the renaming of the
snapshot is the one moment at which the slice counts. Changes beyond the snapshot, left by a run that was killed in
between, are thrown away when the folder is opened; events that the snapshot has already seen are passed over.
"""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicweave.churn.change import Change
from topicweave.churn.snapshot import load_with_notes, save, write_whole
from topicweave.errors import InputError, TargetError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow

    from topicweave.churn.events import Event
    from topicweave.churn.maintainer import Maintainer

SNAPSHOT, CHANGES, LOCK = "snapshot", "changes", "lock"
SLICE = 500  # events between two commits


class Ledger:
    """A maintainer, its folder, and the last event applied.

    Parameters
    ----------
    folder
        Where the state is; made when it is not there.
    begin
        Gives the maintainer to begin with when the folder has none yet.
    """

    def __init__(self, folder: str | os.PathLike[str], begin: Callable[[], Maintainer]) -> None:
        self.folder = Path(folder)
        try:
            (self.folder / CHANGES).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TargetError(f"{self.folder} cannot be written ({error.strerror}); choose another folder.") from error
        if (self.folder / SNAPSHOT).exists():
            self.maintainer, notes = load_with_notes(self.folder / SNAPSHOT)
            self.last: int | None = notes["last"]
        else:
            self.maintainer, self.last = begin(), None
            save(self.maintainer, self.folder / SNAPSHOT, {"last": None})
        self.passed_over = 0
        for file, (_, last) in self._files():
            if self.last is None or last > self.last:
                file.unlink()

    def apply(self, events: Iterable[Event], each: Callable[[Event, Change], None] | None = None) -> int:
        """Apply those of the events that were not applied before, in sequence order; return how many."""
        fresh: dict[int, Event] = {}
        for event in sorted(events, key=lambda event: event.sequence):
            if (self.last is not None and event.sequence <= self.last) or event.sequence in fresh:
                self.passed_over += 1
            else:
                fresh[event.sequence] = event
        waiting = list(fresh.values())
        for first in range(0, len(waiting), SLICE):
            self._commit(waiting[first : first + SLICE], each)
        return len(waiting)

    def _commit(self, events: list[Event], each: Callable[[Event, Change], None] | None) -> None:
        records = []
        for event in events:
            change, refused = apply_or_refuse(self.maintainer, event)
            records.append(change_record(event, change, refused))
            if each is not None:
                each(event, change)
        first, last = events[0].sequence, events[-1].sequence
        write_whole(self.folder / CHANGES / f"{first:020d}-{last:020d}.parquet", as_parquet(records))
        save(self.maintainer, self.folder / SNAPSHOT, {"last": last})
        self.last = last

    def changes(self) -> list[dict[str, Any]]:
        """All changes so far, in sequence order."""
        import pyarrow.parquet as pq

        return [row for file, _ in self._files() for row in pq.read_table(file).to_pylist()]

    def _files(self) -> list[tuple[Path, tuple[int, int]]]:
        found = []
        for file in sorted((self.folder / CHANGES).glob("*.parquet")):
            match = re.fullmatch(r"(-?\d+)-(-?\d+)\.parquet", file.name)
            if match:
                found.append((file, (int(match[1]), int(match[2]))))
        return found


@contextmanager
def locked(folder: str | os.PathLike[str]) -> Iterator[None]:
    """Keep other processes from using the folder; the system releases the lock when a process dies."""
    import fcntl

    Path(folder).mkdir(parents=True, exist_ok=True)
    with open(Path(folder) / LOCK, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise TargetError(
                f"Another process is using the state in {folder}; wait for it or choose another folder."
            ) from None
        yield


def apply_or_refuse(maintainer: Maintainer, event: Event) -> tuple[Change, str | None]:
    """Apply an event; one that cannot be changes nothing, and the reason is given."""
    try:
        return maintainer.apply([event]), None
    except InputError as error:
        return Change(), str(error)


def change_record(event: Event, change: Change, refused: str | None) -> dict[str, Any]:
    """A row of the table of changes."""
    return {
        "sequence": event.sequence,
        "node": event.node,
        "action": event.action,
        "added": [{"source": a, "target": b} for a, b in change.added],
        "removed": [{"source": a, "target": b} for a, b in change.removed],
        "refused": refused,
    }


def as_table(records: list[dict[str, Any]]) -> pyarrow.Table:
    """Rows of changes as an Arrow table."""
    import pyarrow as pa

    links = pa.list_(pa.struct([("source", pa.string()), ("target", pa.string())]))
    schema = pa.schema(
        [
            ("sequence", pa.int64()), ("node", pa.string()), ("action", pa.string()), ("added", links),
            ("removed", links), ("refused", pa.string()),
        ]
    )  # fmt: skip
    return pa.Table.from_pylist(records, schema=schema)


def as_parquet(records: list[dict[str, Any]]) -> bytes:
    """Rows of changes as the content of a Parquet file."""
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(as_table(records), buffer)
    return buffer.getvalue()
