"""EventStore: a maintainer on disk that applies every event of a log exactly once, in sequence order.

A folder holds ``snapshot`` (the maintainer, the sequence number of the last event in it, and the events that wait) and
``changes/`` (what each event did). A slice of events is committed by writing its changes first and the snapshot then:
the slice counts from the moment at which the snapshot is renamed. Changes beyond the snapshot, left by a run that was
killed in between, are deleted when the folder is opened; events that the snapshot has already seen are not applied
again. An event that comes before its predecessor waits for it, in the snapshot, so that neither the order of arrival
nor a crash changes what is done.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicweave.churn.change import Change
from topicweave.churn.change_table import RecordedEvents, apply_or_refuse, as_parquet, change_rows
from topicweave.churn.events import Event
from topicweave.churn.snapshot import load_with_notes, save
from topicweave.columns import SEQUENCE, TOPIC
from topicweave.errors import ReadError, TargetError
from topicweave.files import locked, write_atomically

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

    from topicweave.churn.maintainer import Maintainer

SNAPSHOT, CHANGES, LOCK = "snapshot", "changes", "lock"
SLICE = 500  # events between two commits
WAIT, PASS = "wait", "pass"  # what to do where a number is missing


@dataclass
class Applied:
    """What became of some events.

    Attributes
    ----------
    num_applied
        How many were carried out now, those included that had waited; or refused, with the reason in ``changes/``.
    num_known
        How many had come before with the same content.
    num_late
        How many came when the turn of their number had passed.
    conflicting
        Those whose number had come before with other content; what came first stands.
    """

    num_applied: int = 0
    num_known: int = 0
    num_late: int = 0
    conflicting: list[Event] = field(default_factory=list)


@dataclass(frozen=True)
class Gap:
    """The event that later ones wait for.

    Attributes
    ----------
    number
        Its number.
    num_waiting, lowest, highest
        How many wait, and their numbers.
    """

    number: int
    num_waiting: int
    lowest: int
    highest: int

    def sentence(self, remedy: str = 'gaps="pass"') -> str:
        """For people; ``remedy`` is how to say that numbers may be left out."""
        one = self.num_waiting == 1
        later = f"event {self.lowest}" if one else f"{self.num_waiting:,} later ones, {self.lowest} to {self.highest},"
        waits = "is kept and waits" if one else "are kept and wait"
        return f"Event {self.number} has not come; {later} {waits} for it. Give it, or go on without it by {remedy}."


class EventStore:
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
        be left out; an event that comes after a higher one was applied is refused, which is recorded.

    Attributes
    ----------
    maintainer
        The state after the last event.
    last
        The number of the last event applied; None before the first.
    waiting
        Events that came before their predecessors, by number.
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
        if is_new := not (self.folder / SNAPSHOT).exists():
            notes: dict[str, Any] = {"last": None}
            self.maintainer = begin()
        else:
            self.maintainer, notes = load_with_notes(self.folder / SNAPSHOT)
            if "last" not in notes:
                raise ReadError(
                    f"The snapshot in {self.folder} does not belong to a stream of events; name another folder."
                )
        self.last: int | None = notes["last"]
        self.first: int | None = notes.get("first", first)
        self.waiting = {event.sequence: event for event in map(_from_note, notes.get("waiting", []))}
        self._skipped: list[list[int]] = notes.get("skipped", [])  # numbers left out, as first and last
        self._saved = dict(self.waiting)  # of those waiting, the ones that are in the snapshot
        if is_new:
            self._save()
        for file, (_, last) in self._files():
            if last >= self._next():
                file.unlink()

    def apply(self, events: Iterable[Event], each: Callable[[Event, Change], None] | None = None) -> Applied:
        """Apply those of the events whose turn it is and that were not applied before.

        In sequence order, with those that waited; what has come too early waits on.
        """
        done = Applied()
        late = self._sort_in(events, done)
        ready = self._ready()
        for begin in range(0, len(ready), SLICE):
            self._commit(ready[begin : begin + SLICE], each)
        if late:
            self._refuse(late)
        if late or self.waiting.keys() != self._saved.keys():
            self._saved = dict(self.waiting)
            self._save()
        done.num_applied, done.num_late = len(ready), len(late)
        return done

    def gap(self) -> Gap | None:
        """Which event the waiting ones wait for; None if none waits."""
        if not self.waiting:
            return None
        return Gap(self._next(), len(self.waiting), min(self.waiting), max(self.waiting))

    def changes(self) -> list[dict[str, Any]]:
        """All changes so far, in sequence order."""
        import pyarrow.parquet as pq

        rows = [row for file, _ in self._files() for row in pq.read_table(file).to_pylist()]
        return sorted(rows, key=lambda row: row[SEQUENCE])

    def _next(self) -> int:
        """The number of the event whose turn it is."""
        if self.last is not None:
            return self.last + 1
        return self.first if self.first is not None else 0 if 0 in self.waiting else 1

    def _sort_in(self, events: Iterable[Event], done: Applied) -> list[Event]:
        """Let new events wait; return those whose turn has passed."""
        late: dict[int, Event] = {}
        recorded = RecordedEvents(self._files())
        for event in sorted(events, key=lambda event: event.sequence):
            number = event.sequence
            came_before = self.waiting.get(number) or late.get(number)
            if came_before is not None:
                _compare(event, came_before.content == event.content, done)
            elif (self.last is None and number >= (self.first or 0)) or (self.last is not None and number > self.last):
                self.waiting[number] = event
            elif recorded.has(number):
                _compare(event, recorded.agrees(event), done)
            elif number < (self.first or 0) or any(a <= number <= b for a, b in self._skipped):
                late[number] = event
            else:  # applied, but somebody has removed the files of changes
                done.num_known += 1
        # Without a first number given, it is known only now whether the log begins with 0 or with 1.
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
        rows = []
        following = self._next()
        for event in events:
            change, refused = apply_or_refuse(self.maintainer, event)
            rows += change_rows(event, change, refused)
            if each is not None:
                each(event, change)
            if event.sequence > following:
                self._skipped.append([following, event.sequence - 1])
            following = event.sequence + 1
            del self.waiting[event.sequence]
            self._saved.pop(event.sequence, None)
        self.last = events[-1].sequence
        self._write(rows)
        self._save()

    def _refuse(self, late: list[Event]) -> None:
        """Record that these came after a higher number was applied; from now on they are known."""
        for event in late:
            reason = f"Event {event.sequence} came when it was the turn of {self._next()}; it was not applied."
            self._write(change_rows(event, Change(), reason))
            self._skipped = [part for a, b in self._skipped for part in _without(a, b, event.sequence)]

    def _write(self, rows: list[dict[str, Any]]) -> None:
        first, last = rows[0][SEQUENCE], rows[-1][SEQUENCE]
        write_atomically(self.folder / CHANGES / f"{first:020d}-{last:020d}.parquet", as_parquet(rows))

    def _save(self) -> None:
        notes = {
            "last": self.last, "first": self.first, "skipped": self._skipped,
            "waiting": [_to_note(self._saved[number]) for number in sorted(self._saved)],
        }  # fmt: skip
        save(self.maintainer, self.folder / SNAPSHOT, notes)

    def _files(self) -> list[tuple[Path, tuple[int, int]]]:
        found = []
        for file in sorted((self.folder / CHANGES).glob("*.parquet")):
            match = re.fullmatch(r"(-?\d+)-(-?\d+)\.parquet", file.name)
            if match:
                found.append((file, (int(match[1]), int(match[2]))))
        return found


def _compare(event: Event, is_same: bool, done: Applied) -> None:
    if is_same:
        done.num_known += 1
    else:
        done.conflicting.append(event)


def _to_note(event: Event) -> dict[str, Any]:
    """An event as it is kept in the snapshot: its topics always as a list, so that each label is read as it was."""
    return {**event.to_record(), TOPIC: sorted(event.topics)}


def _from_note(note: dict[str, Any]) -> Event:
    topic = note[TOPIC]  # earlier versions wrote one topic without a list
    return Event.from_record({**note, TOPIC: [topic] if isinstance(topic, str) else topic})


def _without(first: int, last: int, number: int) -> list[list[int]]:
    """The numbers from first to last except for one, as runs."""
    if not first <= number <= last:
        return [[first, last]]
    return [run for run in ([first, number - 1], [number + 1, last]) if run[0] <= run[1]]


def lock_state(folder: str | os.PathLike[str]) -> AbstractContextManager[None]:
    """Keep other processes from using a folder of state; the system releases the lock when a process dies."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TargetError(f"{folder} cannot be written ({error.strerror}); choose another folder.") from error
    return locked(
        Path(folder) / LOCK, f"Another process is using the state in {folder}; wait for it or choose another folder."
    )
