"""EventStore: a maintainer on disk that applies every event of a log exactly once, in sequence order.

A slice of events is committed by writing its changes first and the snapshot then: the slice counts from the moment at
which the snapshot is renamed. Changes beyond the snapshot, left by a run that was killed in between, are deleted when
the folder is opened; events that the snapshot has already seen are not applied again. An event that comes before its
predecessor waits for it, in the snapshot, so that neither the order of arrival nor a crash changes what is done.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topicweave.churn.change import Change
from topicweave.churn.change_table import RecordedEvents, change_rows
from topicweave.churn.events import Event
from topicweave.churn.numbers import FIRST, Numbers, Turn
from topicweave.churn.pace import Pace, carry_out, reoptimised
from topicweave.churn.snapshot import load_with_notes, save
from topicweave.churn.state_folder import StateFolder, check_new, has_state
from topicweave.columns import TOPIC
from topicweave.errors import InputError, LabelError, ReadError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from topicweave.churn.maintainer import Maintainer

    Each = Callable[[Event, Change], None]

SLICE = 500  # events between two commits
WAIT, PASS = "wait", "pass"  # what to do where a number is missing


@dataclass
class Applied:
    """What became of some events.

    Attributes
    ----------
    num_applied
        How many were carried out now, those included that had waited.
    num_refused
        How many were impossible when it was their turn; the reason is in ``changes/``.
    num_known
        How many had come before with the same content.
    num_late
        How many came when the turn of their number had passed; they are in ``changes/``, too, as refused.
    conflicting
        Those whose number had come before with other content; what came first stands.
    before_the_log
        Those whose number is below the first of the log.
    """

    num_applied: int = 0
    num_refused: int = 0
    num_known: int = 0
    num_late: int = 0
    conflicting: list[Event] = field(default_factory=list)
    before_the_log: list[Event] = field(default_factory=list)


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


@dataclass(frozen=True)
class Beginning:
    """What a new state begins with.

    Attributes
    ----------
    maintainer
        The overlay.
    numbers
        The numbers of the log that it knows already.
    origin
        Where it comes from, to be remembered: anything that JSON can hold.
    """

    maintainer: Maintainer
    numbers: Numbers = field(default_factory=Numbers)
    origin: Mapping[str, Any] | None = None


class EventStore:
    """A maintainer, its folder, the last event applied, and events that wait for earlier ones.

    Parameters
    ----------
    folder
        Where the state is; made when it is not there.
    begin
        Gives what to begin with when the folder has none yet: a maintainer, or more with it.
    first
        The number of the first event of a new log that begins with a maintainer alone.
    gaps
        ``"wait"``: numbers follow each other, and what comes after a missing one waits for it. ``"pass"``: numbers may
        be left out; an event that comes after a higher one was applied is refused, which is recorded.
    pace
        Batches and reoptimisations.

    Attributes
    ----------
    maintainer
        The state after the last event.
    numbers
        How far the log was applied.
    waiting
        Events that came before their predecessors, by number.
    origin
        Where the state began.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        begin: Callable[[], Maintainer | Beginning],
        *,
        first: int | None = FIRST,
        gaps: str = WAIT,
        pace: Pace | None = None,
    ) -> None:
        if is_new := not has_state(folder):
            check_new(folder)
        self.files = StateFolder(folder)
        self.folder = self.files.path
        self.gaps, self.pace = gaps, pace or Pace()
        if is_new:
            start = begin()
            begun = start if isinstance(start, Beginning) else Beginning(start, Numbers(first))
            self.maintainer, self.numbers, self.origin = begun.maintainer, begun.numbers, begun.origin
            self.waiting: dict[int, Event] = {}
        else:
            self.maintainer, notes = load_with_notes(self.files.snapshot)
            self.numbers, self.origin, self.waiting = _read_notes(notes, self.files)
        if gaps == WAIT and self.numbers.following is None:
            self.numbers.first = FIRST
        self._saved = dict(self.waiting)  # of those waiting, the ones that are in the snapshot
        self.files.tidy(self.numbers.following if self.last is not None else None)
        if is_new:
            self.save()
        elif not self.files.has_links_after(self.last):
            self.files.write_links(self.maintainer, self.last)

    @property
    def last(self) -> int | None:
        """The number of the last event applied; None before the first."""
        return self.numbers.last

    def apply(self, events: Iterable[Event], each: Each | None = None) -> Applied:
        """Apply those of the events whose turn it is and that were not applied before.

        In sequence order, with those that waited; what has come too early waits on.
        """
        done = Applied()
        late = self._sort_in(events, done)
        part: list[list[Event]] = []
        for group in self.pace.groups(self._ready()):
            part.append(group)
            if sum(map(len, part)) >= SLICE:
                self._commit(part, done, each)
                part = []
        if part:
            self._commit(part, done, each)
        if late:
            self._refuse(late)
        if late or self.waiting.keys() != self._saved.keys():
            self._saved = dict(self.waiting)
            self._save_snapshot()
        done.num_late = len(late)
        return done

    def gap(self) -> Gap | None:
        """Which event the waiting ones wait for; None if none waits."""
        following = self.numbers.following
        if not self.waiting or following is None:
            return None
        return Gap(following, len(self.waiting), min(self.waiting), max(self.waiting))

    def changes(self) -> list[dict[str, Any]]:
        """All changes so far, in sequence order."""
        return self.files.changes()

    def save(self) -> None:
        """Write the snapshot and the table of links."""
        self._save_snapshot()
        self.files.write_links(self.maintainer, self.last)

    def _sort_in(self, events: Iterable[Event], done: Applied) -> list[Event]:
        """Let new events wait; return those that were left out and come too late, in order."""
        late: dict[int, Event] = {}
        recorded = RecordedEvents(self.files.change_files())
        for event in sorted(events, key=lambda event: event.sequence):
            number, turn = event.sequence, self.numbers.turn(event.sequence)
            came_before = self.waiting.get(number) or late.get(number)
            if turn is Turn.BEFORE_THE_LOG:
                done.before_the_log.append(event)
            elif came_before is not None:
                _compare(event, came_before.content == event.content, done)
            elif turn is Turn.TO_COME:
                self.waiting[number] = event
            elif recorded.has(number):
                _compare(event, recorded.agrees(event), done)
            elif turn is Turn.LEFT_OUT:
                late[number] = event
            else:  # applied before this state began, or somebody has removed the files of changes
                done.num_known += 1
        return list(late.values())

    def _ready(self) -> list[Event]:
        """The waiting events whose turn it is, in order."""
        numbers = sorted(self.waiting)
        if self.gaps == WAIT:
            following = self.numbers.following
            assert following is not None, "where events wait it is known for which"
            numbers = [number for place, number in enumerate(numbers) if number == following + place]
        return [self.waiting[number] for number in numbers]

    def _commit(self, groups: list[list[Event]], applied: Applied, each: Each | None) -> None:
        rows = []
        for group in groups:
            before = self.last
            for done in carry_out(self.maintainer, group):
                rows += done.rows()
                applied.num_applied += done.refused is None
                applied.num_refused += done.refused is not None
                if each is not None:
                    each(done.event, done.change)
                self.numbers.move_to(done.event.sequence)
                del self.waiting[done.event.sequence]
                self._saved.pop(done.event.sequence, None)
            last = group[-1].sequence
            if self.pace.is_due(before, last):
                rows += reoptimised(self.maintainer, self.pace.budget, last)
        self.files.write_changes(rows)
        self.save()

    def _refuse(self, late: list[Event]) -> None:
        """Record that these came after a higher number was applied; from now on they are known."""
        for event in late:
            turn = self.numbers.following
            reason = f"Event {event.sequence} came when it was the turn of {turn}; it was not applied."
            self.files.write_changes(change_rows(event, Change(), reason))
            self.numbers.deal_with(event.sequence)

    def _save_snapshot(self) -> None:
        notes = {
            **self.numbers.to_notes(),
            "waiting": [_to_note(self._saved[number]) for number in sorted(self._saved)],
            "origin": self.origin,
        }
        save(self.maintainer, self.files.snapshot, notes)


def _compare(event: Event, is_same: bool, done: Applied) -> None:
    if is_same:
        done.num_known += 1
    else:
        done.conflicting.append(event)


def _read_notes(
    notes: Mapping[str, Any], files: StateFolder
) -> tuple[Numbers, Mapping[str, Any] | None, dict[int, Event]]:
    """What a snapshot says about the log; one that says nothing is not of a stream."""
    if "last" not in notes:
        raise ReadError(f"The snapshot in {files.path} does not belong to a stream of events; name another folder.")
    try:
        waiting = [_from_note(note) for note in notes.get("waiting", [])]
        return Numbers.from_notes(notes), notes.get("origin"), {event.sequence: event for event in waiting}
    except (InputError, KeyError, TypeError, ValueError) as error:
        raise ReadError(
            f"What {files.snapshot} says about its log cannot be understood ({error}); take an older copy."
        ) from error


def _to_note(event: Event) -> dict[str, Any]:
    """An event as it is kept in the snapshot: its topics always as a list, so that each label is read as it was."""
    return {**event.to_record(), TOPIC: sorted(event.topics)}


def _from_note(note: dict[str, Any]) -> Event:
    """An event that waits; earlier versions wrote one topic without a list, and took labels that are refused today.

    One such row must not make the whole state unreadable. So the event waits as it was written, and is refused when its
    turn comes, like any other that the maintainer cannot carry out.
    """
    topics = [note[TOPIC]] if isinstance(note[TOPIC], str) else note[TOPIC]
    try:
        return Event.from_record({**note, TOPIC: topics})
    except LabelError:
        event = Event.from_record({**note, TOPIC: ["refused"]})
        object.__setattr__(event, "topics", frozenset(topics))
        return event
