"""Replay: apply a recorded trace of events, and measure the effect of each event."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicweave.churn.events import checked_events
from topicweave.parameters import check_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from topicweave.churn.change import Change
    from topicweave.churn.events import Event
    from topicweave.churn.maintainer import Maintainer


@dataclass(frozen=True)
class Replay:
    """The measurements of a replayed trace, with one entry per event.

    Attributes
    ----------
    actions
        The action of each event.
    nodes, average_degree, maximum_degree
        The overlay after the event.
    added, removed
        Numbers of links.
    seconds, repair_seconds
        See :class:`topicweave.churn.Change`.
    visited_links, shadow_size
        See :class:`topicweave.churn.Change`.
    total_seconds
        Wall time of the whole replay, including everything around the events.
    """

    actions: tuple[str, ...]
    nodes: NDArray[np.int64]
    average_degree: NDArray[np.float64]
    maximum_degree: NDArray[np.int64]
    added: NDArray[np.int64]
    removed: NDArray[np.int64]
    seconds: NDArray[np.float64]
    repair_seconds: NDArray[np.float64]
    visited_links: NDArray[np.int64]
    shadow_size: NDArray[np.int64]
    total_seconds: float

    def where(self, action: str) -> NDArray[np.bool_]:
        """Which of the events have this action."""
        return np.array([found == action for found in self.actions], dtype=bool)

    @property
    def changed(self) -> NDArray[np.int64]:
        """The number of links added and removed by each event."""
        return self.added + self.removed


def replay(
    maintainer: Maintainer, events: Iterable[Event], each: Callable[[Event, Change], None] | None = None
) -> Replay:
    """Apply the events one by one, and call ``each`` after every event; returns the measurements."""
    from topicweave.churn.maintainer import check_maintainer

    check_maintainer(maintainer, "replay()")
    check_function("each", each)
    recorder = Recorder()
    begun = time.perf_counter()
    for event in checked_events(events):
        change = maintainer.apply([event])
        recorder.note(event, change, maintainer)
        if each is not None:
            each(event, change)
    return recorder.replay(time.perf_counter() - begun)


class Recorder:
    """Collects the measurements during a replay."""

    def __init__(self) -> None:
        self._actions: list[str] = []
        self._rows: list[tuple[float, ...]] = []

    def note(self, event: Event, change: Change, maintainer: Maintainer) -> None:
        """Store the measurements of one event."""
        self._actions.append(event.action)
        self._rows.append(
            (
                maintainer.num_nodes, maintainer.average_degree, maintainer.maximum_degree, len(change.added),
                len(change.removed), change.seconds, change.repair_seconds, change.visited_links, change.shadow_size,
            )
        )  # fmt: skip

    def seconds(self) -> list[float]:
        """The time that each event took, in seconds."""
        return [row[5] for row in self._rows]

    def replay(self, total_seconds: float) -> Replay:
        """All measurements so far."""
        table = np.array(self._rows, dtype=np.float64).reshape(-1, 9)
        whole = table.astype(np.int64)
        return Replay(
            tuple(self._actions), whole[:, 0], table[:, 1], whole[:, 2], whole[:, 3], whole[:, 4], table[:, 5],
            table[:, 6], whole[:, 7], whole[:, 8], total_seconds,
        )  # fmt: skip
