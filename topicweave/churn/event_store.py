"""EventStore: a maintainer on disk that applies every event of a log exactly once, in order of sequence numbers.

A slice of events is committed by writing its changes first and then the snapshot: the slice counts as applied once the
snapshot has been renamed. Changes beyond the snapshot, left by a run that was killed in between, are deleted when the
folder is opened; events that the snapshot already contains are not applied again. An event that arrives before its
predecessor waits for it, in the snapshot, so that neither the order of arrival nor a crash changes the result.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topicweave.churn.change import Change
from topicweave.churn.change_table import RecordedEvents, change_rows
from topicweave.churn.events import Event
from topicweave.churn.numbers import FIRST, MAX_GAP, Numbers, Turn
from topicweave.churn.pace import Pace, carry_out, reoptimised
from topicweave.churn.snapshot import load_with_notes, save
from topicweave.churn.state_folder import StateFolder, check_new, has_state
from topicweave.columns import TOPIC
from topicweave.errors import InputError, LabelError, ReadError
from topicweave.model.event_schema import LEAST_SEQUENCE

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from topicweave.churn.maintainer import Maintainer

    Each = Callable[[Event, Change], None]

SLICE = 500  # number of events applied between two commits to disk
WAIT, PASS = "wait", "pass"  # the two ways to handle a missing sequence number


@dataclass
class Applied:
    """The outcome of applying some events.

    Attributes
    ----------
    num_applied
        Events applied now, including those that had waited.
    num_refused
        Events that were invalid when it was their turn; the reason is in ``changes/``.
    num_known
        Events that had arrived before with the same content.
    num_late
        Events that arrived after the turn of their number had passed; ``changes/`` lists them as refused, too.
    conflicting
        Events whose number had arrived before with different content; the first one is kept.
    before_the_log
        Events whose number is below the first of the log.
    """

    num_applied: int = 0
    num_refused: int = 0
    num_known: int = 0
    num_late: int = 0
    conflicting: list[Event] = field(default_factory=list)
    before_the_log: list[Event] = field(default_factory=list)


@dataclass(frozen=True)
class Gap:
    """A missing event, which keeps later events waiting.

    Attributes
    ----------
    number
        Its number.
    num_waiting, lowest, highest
        How many events wait, and their lowest and highest number.
    max_gap
        Where numbers may be missing: how many in a row; otherwise None.
    """

    number: int
    num_waiting: int
    lowest: int
    highest: int
    max_gap: int | None = None

    def sentence(self, remedy: str = 'gaps="pass"', longer: str = "max_gap={}") -> str:
        """A sentence about the missing event.

        ``remedy`` names the setting with which missing numbers are skipped, and ``longer`` the one that skips more.
        """
        one = self.num_waiting == 1
        waiting = f"event {self.lowest}" if one else f"{self.num_waiting:,} events, {self.lowest} to {self.highest},"
        waits = "is kept and waits" if one else "are kept and wait"
        if self.max_gap is None:
            later = waiting if one else waiting.replace("events", "later ones")
            advice = f"Supply it, or continue without it by {remedy}."
            return f"Event {self.number} is missing; {later} {waits} for it. {advice}"
        more = longer.format(self.lowest - self.number)
        return (
            f"From event {self.number} on more than {self.max_gap:,} are missing; {waiting} {waits}, because a single "
            f"number so far ahead may be a mistake. If it is none, continue by {more}."
        )


@dataclass(frozen=True)
class Beginning:
    """The overlay, subscriptions and options with which a new state begins.

    Attributes
    ----------
    maintainer
        Holds the overlay and the subscriptions; its class and parameters are the options.
    numbers
        The sequence numbers of the events that the overlay contains already.
    origin
        A record of where the overlay comes from: anything that JSON can hold.
    """

    maintainer: Maintainer
    numbers: Numbers = field(default_factory=Numbers)
    origin: Mapping[str, Any] | None = None


class EventStore:
    """A maintainer with its folder, the number of the last event applied, and the events that wait for an earlier one.

    Parameters
    ----------
    folder
        The folder of the state; created if it does not exist.
    begin
        Called if the folder has no state yet; returns a maintainer or a :class:`Beginning`.
    first
        The number of the first event of a new log, if ``begin`` returns only a maintainer.
    gaps
        ``"wait"``: numbers are consecutive, and later events wait for a missing one. ``"pass"``: numbers may be
        missing; an event that arrives after a higher number was applied is refused and recorded as such.
    max_gap
        With ``"pass"``: how many numbers in a row may be missing. A single event further ahead waits, because one wrong
        number must not make all others late: see :meth:`Numbers.reachable`.
    pace
        When to repair in batches and when to reoptimise.

    Attributes
    ----------
    maintainer
        The state after the last event.
    numbers
        How far the log has been applied.
    waiting
        Events that arrived before their predecessors, by number.
    origin
        The record of where the state comes from.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        begin: Callable[[], Maintainer | Beginning],
        *,
        first: int | None = FIRST,
        gaps: str = WAIT,
        max_gap: int = MAX_GAP,
        pace: Pace | None = None,
    ) -> None:
        if is_new := not has_state(folder):
            check_new(folder)
        self.files = StateFolder(folder)
        self.folder = self.files.path
        self.gaps, self.max_gap, self.pace = gaps, max_gap, pace or Pace()
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
        self._saved = dict(self.waiting)  # the waiting events that the last snapshot contains
        self.files.tidy(self.numbers.following if self.last is not None else None)
        if is_new:
            self.save()
        elif not self.files.has_links_after(self.last, trees=self.maintainer.followed_trees is not None):
            self.files.write_links(self.maintainer, self.last)

    @property
    def last(self) -> int | None:
        """The number of the last event applied; None before the first."""
        return self.numbers.last

    @property
    def least(self) -> int:
        """The number below which events are handed back, because the log does not begin so early."""
        if self.numbers.first is not None:
            return self.numbers.first
        return -self.max_gap if self.last is None else LEAST_SEQUENCE

    def apply(self, events: Iterable[Event], each: Each | None = None) -> Applied:
        """Apply those of the events that are next in sequence and were not applied before.

        They are applied in sequence order, together with events that had waited; events that are too early wait.
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
        """The missing event for which others wait; None if none waits."""
        if not self.waiting:
            return None
        following = FIRST if self.numbers.following is None else self.numbers.following
        max_gap = self.max_gap if self.gaps == PASS else None
        return Gap(following, len(self.waiting), min(self.waiting), max(self.waiting), max_gap)

    def changes(self) -> list[dict[str, Any]]:
        """All changes so far, in sequence order."""
        return self.files.changes()

    def save(self) -> None:
        """Write the snapshot and the tables of links and trees."""
        self._save_snapshot()
        self.files.write_links(self.maintainer, self.last)

    def _sort_in(self, events: Iterable[Event], done: Applied) -> list[Event]:
        """Add new events to those that wait; return, in order, the ones that arrive too late because their number was
        skipped.
        """
        late: dict[int, Event] = {}
        recorded, least = RecordedEvents(self.files.change_files()), self.least
        for event in sorted(events, key=lambda event: event.sequence):
            number, turn = event.sequence, self.numbers.turn(event.sequence)
            came_before = self.waiting.get(number) or late.get(number)
            if number < least:
                done.before_the_log.append(event)
            elif came_before is not None:
                _compare(event, came_before.content == event.content, done)
            elif turn is Turn.TO_COME:
                self.waiting[number] = event
            elif recorded.has(number):
                _compare(event, recorded.agrees(event), done)
            elif turn is Turn.LEFT_OUT:
                late[number] = event
            else:  # an earlier state applied this event, or the record of it has been deleted
                done.num_known += 1
        return list(late.values())

    def _ready(self) -> list[Event]:
        """The waiting events that can be applied now, in order."""
        if self.gaps == WAIT:
            following = self.numbers.following
            assert following is not None, "where events wait it is known for which"
            numbers = [number for place, number in enumerate(sorted(self.waiting)) if number == following + place]
        else:
            numbers = self.numbers.reachable(self.waiting, self.max_gap)
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
        """Refuse events that arrive after a later one was applied, and record that, so that they count as known."""
        for event in late:
            turn = self.numbers.following
            reason = f"Event {event.sequence} arrived when it was the turn of {turn}; it was not applied."
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
    """What a snapshot records about the event log; raises an error if the snapshot was not written by a stream."""
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
    """An event as stored in the snapshot; its topics are always stored as a list, so that labels come back
    unchanged.
    """
    return {**event.to_record(), TOPIC: sorted(event.topics)}


def _from_note(note: dict[str, Any]) -> Event:
    """The waiting event that was stored by :func:`_to_note`.

    Earlier versions wrote a single topic without a list, and accepted labels that are refused today.

    Such a label must not make the whole state unreadable. So the event waits as it was written, and is refused when its
    turn comes, like any other invalid event.
    """
    topics = [note[TOPIC]] if isinstance(note[TOPIC], str) else note[TOPIC]
    try:
        return Event.from_record({**note, TOPIC: topics})
    except LabelError:
        event = Event.from_record({**note, TOPIC: ["refused"]})
        object.__setattr__(event, "topics", frozenset(topics))
        return event
