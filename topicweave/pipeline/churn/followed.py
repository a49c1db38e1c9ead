"""What a stream has done since it was started, as the result that ``follow`` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.churn.state_folder import QUARANTINE
from topicweave.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

    from topicweave.churn.event_store import Gap
    from topicweave.churn.maintainer import Maintainer


@dataclass(frozen=True)
class Followed:
    """The events and files that a stream has handled since it was started.

    Attributes
    ----------
    maintainer
        The state after the last event.
    last
        The number of the last event applied; None before the first.
    num_applied, num_refused, num_known, num_late, num_bad
        Numbers of events: those applied, those that were invalid (the reason is in ``changes/``), those already known,
        and those that came too late (also in ``changes/``); and the number of rows and files put into the quarantine.
    gap
        The missing event that others wait for; None if none waits.
    changed_files
        Files that have changed since they were read. They are not read again: each name is read once.
    folder
        The folder of the state.
    """

    maintainer: Maintainer
    last: int | None
    num_applied: int
    num_refused: int
    num_known: int
    num_late: int
    num_bad: int
    gap: Gap | None
    changed_files: tuple[str, ...]
    folder: Path

    def to_dict(self) -> dict[str, Any]:
        """The result as a dictionary, which the command line prints as JSON."""
        maintainer = self.maintainer
        return {
            "last_sequence": self.last,
            "applied": self.num_applied,
            "refused": self.num_refused,
            "known_before": self.num_known,
            "late": self.num_late,
            "quarantined": self.num_bad,
            "waiting": 0 if self.gap is None else self.gap.num_waiting,
            "waiting_for": None if self.gap is None else self.gap.number,
            "changed_files": list(self.changed_files),
            "nodes": maintainer.num_nodes,
            "links": maintainer.num_edges,
            "average_degree": maintainer.average_degree,
            "maximum_degree": maintainer.maximum_degree,
            "folder": str(self.folder),
        }

    def summary(self) -> str:
        """A line to print, plus one for each problem that needs attention."""
        after = "before the first event" if self.last is None else f"after event {self.last}"
        said = [
            f"{self.num_applied:,} applied",
            f"{self.num_refused:,} refused (see changes/)" if self.num_refused else "",
            f"{counted(self.num_known, 'event')} known before",
            f"{self.num_late:,} arrived too late and were not applied (see changes/)" if self.num_late else "",
            f"{counted(self.num_bad, 'row')} put aside in {QUARANTINE}/" if self.num_bad else "",
        ]
        lines = [f"{self.maintainer!r} {after}; {', '.join(filter(None, said))}."]
        return "\n".join([*lines, *([changed_in_words(self.changed_files)] if self.changed_files else [])])


def changed_in_words(paths: tuple[str, ...]) -> str:
    """A message that says which files have changed, and what to do."""
    more = f" and {len(paths) - 3:,} more" if len(paths) > 3 else ""
    return (
        f"Changed since they were read: {', '.join(paths[:3])}{more}. Each name is read once: provide corrected files "
        f"under a new name; events that are already known are not applied again."
    )
