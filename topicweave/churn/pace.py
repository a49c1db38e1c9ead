"""The pace of maintenance: how many events are repaired together, and how often the overlay is reoptimised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.churn.change import Change
from topicweave.churn.change_table import change_rows, reoptimise_row
from topicweave.churn.events import DRAIN, Membership, membership_after, topic_set
from topicweave.errors import InputError
from topicweave.parameters import check_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicweave.churn.events import Event
    from topicweave.churn.maintainer import Maintainer

EVERY = 100  # number of events of a stream after which the overlay is reoptimised


@dataclass(frozen=True)
class Pace:
    """How many events of a log are repaired together, and how often the overlay is reoptimised.

    Attributes
    ----------
    batch
        How many events are repaired at once: with 10, the events 1 to 10, then 11 to 20, and so on, as far as they
        arrive together.
    budget
        The most link changes of one reoptimisation; 0 for none.
    every
        Reoptimise after this many sequence numbers; None for never.
    """

    batch: int = 1
    budget: int = 0
    every: int | None = EVERY

    def __post_init__(self) -> None:
        check_whole("batch", self.batch, 1)
        check_whole("reoptimise", self.budget, 0)
        if self.every is not None:
            check_whole("reoptimise_every", self.every, 1)

    def groups(self, events: Sequence[Event]) -> list[list[Event]]:
        """Divide the events, in order, into batches."""
        found: list[list[Event]] = []
        for event in events:
            if found and (event.sequence - 1) // self.batch == (found[-1][0].sequence - 1) // self.batch:
                found[-1].append(event)
            else:
                found.append([event])
        return found

    def is_due(self, before: int | None, last: int) -> bool:
        """Whether it is time to reoptimise after event number ``last``, if the previous batch ended with event number
        ``before``.
        """
        if not self.budget or self.every is None:
            return False
        return last // self.every > (last - 1 if before is None else before) // self.every


@dataclass(frozen=True)
class Done:
    """The outcome of applying one event.

    Attributes
    ----------
    event, change, refused
        The event, what it changed, and why it was refused, if it was. What a batch changed is listed with its last
        event that was not refused.
    drains
        Whether some node is drained in its batch: links are then added in one row and removed in the next.
    """

    event: Event
    change: Change
    refused: str | None = None
    drains: bool = False

    def rows(self) -> list[dict[str, Any]]:
        """The rows that record this event in the table of changes."""
        return change_rows(self.event, self.change, self.refused, in_two_steps=self.drains)


def carry_out(maintainer: Maintainer, events: Sequence[Event]) -> list[Done]:
    """Apply a batch of events: invalid ones are refused individually, the rest are repaired together."""
    refused: dict[int, str] = {}
    after: dict[str, Membership | None] = {}
    for place, event in enumerate(events):
        before = after[event.node] if event.node in after else maintainer.membership_of(event.node)
        try:
            topic_set(event.topics)  # an event saved by an earlier version may have labels that are refused today
            after[event.node] = membership_after(before, event)
        except InputError as error:
            refused[place] = str(error)
    possible = [place for place in range(len(events)) if place not in refused]
    if not possible:
        return [Done(event, Change(), refused[place]) for place, event in enumerate(events)]
    change = maintainer.apply([events[place] for place in possible])
    drains = any(events[place].action == DRAIN for place in possible)
    return [
        Done(event, change, drains=drains) if place == possible[-1] else Done(event, Change(), refused.get(place))
        for place, event in enumerate(events)
    ]


def reoptimised(maintainer: Maintainer, budget: int, number: int) -> list[dict[str, Any]]:
    """Reoptimise after the event with this number; return the row to record, if anything changed."""
    change = maintainer.reoptimise(budget)
    return [reoptimise_row(number, change)] if change.num_changed else []
