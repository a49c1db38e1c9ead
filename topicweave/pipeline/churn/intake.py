"""Applies or rejects the content of event files and records it; nothing else changes the state of a stream."""

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
    """How many events were applied, refused, already known or late, and how many rows and files were rejected."""

    num_applied: int = 0
    num_refused: int = 0
    num_known: int = 0
    num_late: int = 0
    num_bad: int = 0
    num_before: int = 0  # how many rejected events have a number below the first number of the log

    def add(self, other: Tally) -> None:
        """Add the counts of another object."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


class Intake:
    """Handles the files of each micro-batch in turn.

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
        """Handle what was read from files, and count what became of it; ``stamps`` describes the files as they were
        before they were read.
        """
        row_of = {id(row.event): row for row in found.events}
        before = BEFORE_THE_LOG.format(first=self.store.least)
        done = self.store.apply([row.event for row in found.events])
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
    """A name derived from these files and their state, so that a repetition after a crash gets the same name."""
    text = "\n".join(f"{path!r} {stamp.size} {stamp.modified}" for path, stamp in sorted(stamps))
    return hashlib.sha256(text.encode()).hexdigest()[:20]
