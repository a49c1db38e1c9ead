"""Ledger: a maintainer on disk that applies every event of a log exactly once, in sequence order.

A folder holds ``snapshot`` (the maintainer, the sequence number of the last event in it, and the events that wait) and
``changes/`` (what each event did). A slice of events is committed by writing its changes first and the snapshot then:
the renaming of the snapshot is the one moment at which the slice counts. Changes beyond the snapshot, left by a run
that was killed in between, are thrown away when the folder is opened; events that the snapshot has already seen are
passed over. An event that comes before its predecessor waits for it, in the snapshot, so that neither the order of
arrival nor a crash changes what is done.
"""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicweave.churn.change import Change
from topicweave.churn.events import Event
from topicweave.churn.snapshot import load_with_notes, save, write_whole
from topicweave.errors import InputError, TargetError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    import pyarrow

    from topicweave.churn.maintainer import Maintainer

SNAPSHOT, CHANGES, LOCK = "snapshot", "changes", "lock"
SLICE = 500  # events between two commits
WAIT, PASS = "wait", "pass"  # what to do where a number is missing


class Ledger:
    """A maintainer, its folder, the last event applied, and events that wait for earlier ones.

    Parameters
    ----------
    folder
        Where the state is; made when it is not there.
    begin
        Gives the maintainer to begin with when the folder has none yet.
    first
        The number of the first event of the log; by default 0 if that is among the first to come, else 1.
    gaps
        ``"wait"``: numbers follow each other, and what comes after a missing one waits for it. ``"pass"``: numbers may
        be left out; an event that comes after a higher one was applied is refused, and that is written down.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        begin: Callable[[], Maintainer],
        *,
        first: int | None = None,
        gaps: str = WAIT,
    ) -> None:
        self.folder = Path(folder)
        self.gaps = gaps
        try:
            (self.folder / CHANGES).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise TargetError(f"{self.folder} cannot be written ({error.strerror}); choose another folder.") from error
        if (self.folder / SNAPSHOT).exists():
            self.maintainer, notes = load_with_notes(self.folder / SNAPSHOT)
        else:
            self.maintainer, notes = begin(), {"last": None}
        self.last: int | None = notes["last"]
        self.first: int | None = notes.get("first", first)
        self.waiting = {event.sequence: event for event in map(Event.from_record, notes.get("waiting", []))}
        self._skipped: list[list[int]] = notes.get("skipped", [])  # numbers passed by, as first and last
        self._kept = dict(self.waiting)  # of those waiting, the ones that are in the snapshot
        if not (self.folder / SNAPSHOT).exists():
            self._save()
        self.passed_over = self.late = 0
        for file, (_, last) in self._files():
            if last >= self._next():
                file.unlink()

    def apply(self, events: Iterable[Event], each: Callable[[Event, Change], None] | None = None) -> int:
        """Apply those of the events whose turn it is and that were not applied before; return how many.

        In sequence order, with those that waited; what has come too early waits on.
        """
        late = self._sort_in(events)
        ready = self._ready()
        for begin in range(0, len(ready), SLICE):
            self._commit(ready[begin : begin + SLICE], each)
        if late:
            self._refuse(late)
        if late or self.waiting.keys() != self._kept.keys():
            self._kept = dict(self.waiting)
            self._save()
        return len(ready)

    def missing(self) -> str | None:
        """Which event the waiting ones wait for, as a sentence; None if none waits."""
        if not self.waiting:
            return None
        return (
            f"Event {self._next()} has not come; {len(self.waiting):,} later ones, from {min(self.waiting)} to "
            f"{max(self.waiting)}, are kept and wait for it. Give it, or go on without it by --gaps pass."
        )

    def _next(self) -> int:
        """The number of the event whose turn it is."""
        if self.last is not None:
            return self.last + 1
        return self.first if self.first is not None else 0 if 0 in self.waiting else 1

    def _sort_in(self, events: Iterable[Event]) -> list[Event]:
        """Let new events wait; return those whose turn has been passed by."""
        late = {}
        for event in sorted(events, key=lambda event: event.sequence):
            number = event.sequence
            if number in self.waiting or number in late:
                self.passed_over += 1
            elif self.last is None or number > self.last:
                self.waiting[number] = event
            elif number < (self.first or 0) or any(a <= number <= b for a, b in self._skipped):
                late[number] = event
            else:
                self.passed_over += 1
        before_all = [number for number in self.waiting if number < self._next()]
        late.update((number, self.waiting.pop(number)) for number in before_all)
        return [late[number] for number in sorted(late)]

    def _ready(self) -> list[Event]:
        """The waiting events whose turn it is, in order."""
        numbers = sorted(self.waiting)
        if self.gaps == WAIT:
            following = self._next()
            numbers = [number for place, number in enumerate(numbers) if number == following + place]
        if numbers and self.first is None:
            self.first = min(self._next(), numbers[0])
        return [self.waiting[number] for number in numbers]

    def _commit(self, events: list[Event], each: Callable[[Event, Change], None] | None) -> None:
        records = []
        following = self._next()
        for event in events:
            change, refused = apply_or_refuse(self.maintainer, event)
            records.append(change_record(event, change, refused))
            if each is not None:
                each(event, change)
            if event.sequence > following:
                self._skipped.append([following, event.sequence - 1])
            following = event.sequence + 1
            del self.waiting[event.sequence]
            self._kept.pop(event.sequence, None)
        self.last = events[-1].sequence
        self._write(records)
        self._save()

    def _refuse(self, late: list[Event]) -> None:
        """Write down that these came after a higher number was applied; from now on they are known."""
        for event in late:
            reason = f"Event {event.sequence} came when it was the turn of {self._next()}; it was not applied."
            self._write([change_record(event, Change(), reason)])
            self._skipped = [part for a, b in self._skipped for part in _without(a, b, event.sequence)]
            self.late += 1

    def _write(self, records: list[dict[str, Any]]) -> None:
        first, last = records[0]["sequence"], records[-1]["sequence"]
        write_whole(self.folder / CHANGES / f"{first:020d}-{last:020d}.parquet", as_parquet(records))

    def _save(self) -> None:
        notes = {
            "last": self.last, "first": self.first, "skipped": self._skipped,
            "waiting": [self._kept[number].to_record() for number in sorted(self._kept)],
        }  # fmt: skip
        save(self.maintainer, self.folder / SNAPSHOT, notes)

    def changes(self) -> list[dict[str, Any]]:
        """All changes so far, in sequence order."""
        import pyarrow.parquet as pq

        rows = [row for file, _ in self._files() for row in pq.read_table(file).to_pylist()]
        return sorted(rows, key=lambda row: row["sequence"])

    def _files(self) -> list[tuple[Path, tuple[int, int]]]:
        found = []
        for file in sorted((self.folder / CHANGES).glob("*.parquet")):
            match = re.fullmatch(r"(-?\d+)-(-?\d+)\.parquet", file.name)
            if match:
                found.append((file, (int(match[1]), int(match[2]))))
        return found


def _without(first: int, last: int, number: int) -> list[list[int]]:
    """The numbers from first to last but for one, as runs."""
    if not first <= number <= last:
        return [[first, last]]
    return [run for run in ([first, number - 1], [number + 1, last]) if run[0] <= run[1]]


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
