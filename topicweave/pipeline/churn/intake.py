"""Intake: applies, rejects and records what was read from event files; nothing else changes the state."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicweave.churn.state_folder import QUARANTINE
from topicweave.model.event_schema import REUSED_SEQUENCE
from topicweave.pipeline.churn.seen_files import SeenFiles
from topicweave.pipeline.quality.quarantine import write_entries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicweave.churn.event_store import EventStore
    from topicweave.pipeline.churn.event_files import EventFiles
    from topicweave.pipeline.churn.seen_files import Stamp

BEFORE_THE_LOG = "sequence is below the first of the log, {first}"


@dataclass
class Tally:
    """Numbers of events applied, refused, already known and late, and of rejected rows and files."""

    num_applied: int = 0
    num_refused: int = 0
    num_known: int = 0
    num_late: int = 0
    num_bad: int = 0
    num_before: int = 0  # number of rejected events below the first number of the log

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


class Intake:
    """Processes the files of one micro-batch after the other.

    Events are committed first, then rejected rows are written, then the files are recorded as seen. After a kill in
    between, the same files come again, and the same entries are written under the same name.

    Parameters
    ----------
    store
        The state.
    """

    def __init__(self, store: EventStore) -> None:
        self.store = store
        self.seen = SeenFiles(store.folder)
        self.total = Tally()

    def take(self, found: EventFiles, stamps: Sequence[tuple[str, Stamp]]) -> Tally:
        """Process what was read from files; ``stamps`` describes the files as they were before they were read."""
        row_of = {id(row.event): row for row in found.events}
        done = self.store.apply([row.event for row in found.events])
        before = BEFORE_THE_LOG.format(first=self.store.numbers.first)
        bad = [
            *found.bad,
            *(row_of[id(event)].entry(REUSED_SEQUENCE) for event in done.conflicting),
            *(row_of[id(event)].entry(before) for event in done.before_the_log),
        ]
        if bad:
            write_entries(bad, self.store.folder / QUARANTINE, f"rows-{_digest(stamps)}.jsonl.gz")
        self.seen.add(stamps)
        tally = Tally(
            done.num_applied, done.num_refused, done.num_known, done.num_late, len(bad), len(done.before_the_log)
        )
        self.total.add(tally)
        return tally


def _digest(stamps: Sequence[tuple[str, Stamp]]) -> str:
    """A name for these files in their current state, so that it is the same when they come again after a crash."""
    text = "\n".join(f"{path!r} {stamp.size} {stamp.modified}" for path, stamp in sorted(stamps))
    return hashlib.sha256(text.encode()).hexdigest()[:20]
