"""Events: who joins, leaves or changes its topics; one schema for files, traces and maintainers."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.errors import InputError
from topicweave.model.labels import as_label, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

JOIN, LEAVE, SUBSCRIBE, UNSUBSCRIBE, RESUBSCRIBE = "join", "leave", "subscribe", "unsubscribe", "resubscribe"
ACTIONS = (JOIN, LEAVE, SUBSCRIBE, UNSUBSCRIBE, RESUBSCRIBE)


@dataclass(frozen=True)
class Event:
    """One thing that happens to one node.

    Attributes
    ----------
    action
        ``join`` (with all its topics), ``leave``, ``subscribe`` and ``unsubscribe`` (the topics named, the others
        stay), or ``resubscribe`` (these topics instead of those it had).
    node
        Label.
    topics
        Labels.
    sequence
        Place in the log: unique, rising.
    time
        When; only for people and pictures.
    """

    action: str
    node: str
    topics: frozenset[str] = frozenset()
    sequence: int = 0
    time: float = 0.0

    def __post_init__(self) -> None:
        if self.action not in ACTIONS:
            raise InputError(f"There is no action {self.action!r}; events are {', '.join(ACTIONS)}.")
        object.__setattr__(self, "node", as_label(self.node, "node"))
        object.__setattr__(self, "topics", topic_set(self.topics))
        if self.action in (SUBSCRIBE, UNSUBSCRIBE) and not self.topics:
            raise InputError(f"The {self.action} of node {self.node!r} names no topic; name one.")

    def to_record(self) -> dict[str, Any]:
        """The event as a row of an event file: ``topic`` is a list for a join, else one topic or nothing."""
        if self.action in (SUBSCRIBE, UNSUBSCRIBE) and len(self.topics) == 1:
            topic: Any = next(iter(self.topics))
        else:
            topic = None if self.action == LEAVE else sorted(self.topics)
        return {
            "sequence": self.sequence, "time": self.time, "node": self.node, "action": self.action, "topic": topic,
        }  # fmt: skip

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Event:
        """Read a row of an event file or of a trace; a list of topics may also be JSON text."""
        if not hasattr(record, "get"):
            raise InputError(
                f"An event is read from a row with sequence, node and action, but got a {type(record).__name__}; "
                f"give a dictionary."
            )
        for name in ("sequence", "node", "action"):
            if record.get(name) is None:
                raise InputError(f"An event without {name} was found: {dict(record)!r}; every event needs one.")
        sequence = _whole(record["sequence"])
        if sequence is None:
            raise InputError(f"The sequence {record['sequence']!r} is no whole number; number the events.")
        topic = record.get("topic")
        if isinstance(topic, float) and topic != topic:  # how pandas writes that there is none
            topic = None
        if isinstance(topic, str) and topic.startswith("["):
            try:
                topic = json.loads(topic)
            except ValueError:
                topic = [topic]
        if isinstance(topic, str) or not isinstance(topic, Iterable):
            topic = [] if topic is None or topic == "" else [topic]
        action = str(record["action"]).strip().lower()
        return cls(action, record["node"], topic_set(topic), sequence, _number(record.get("time")))


def topic_set(topics: Any) -> frozenset[str]:
    """Topics as labels; one text is a mistake, for its letters would be taken for topics."""
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise InputError(f"The topics are one value ({topics!r}); give a list or set of topics.")
    return frozenset(topic if type(topic) is str else as_label(topic, "topic") for topic in topics)


def checked_events(events: Iterable[Event]) -> Iterator[Event]:
    """Pass events on one by one; what is none is an error that says how to make one of it."""
    for event in listed(events, "event"):
        if not isinstance(event, Event):
            raise InputError(
                f"An Event was asked for, but got a {type(event).__name__} ({event!r:.80}); "
                f"make one of each row of a trace or file with Event.from_record."
            )
        yield event


def _whole(number: Any) -> int | None:
    """A whole number, also if it was written like 3.0, as where a column of numbers has gaps; None if it is none."""
    try:
        return int(number) if isinstance(number, str | int) else operator.index(number)
    except (TypeError, ValueError):
        pass
    try:
        return int(float(number)) if float(number).is_integer() else None
    except (TypeError, ValueError, OverflowError):
        return None


def _number(time: Any) -> float:
    try:
        return float(time)
    except (TypeError, ValueError):
        return 0.0


def topics_after(before: frozenset[str] | None, event: Event) -> frozenset[str] | None:
    """What the node subscribes to after the event (None: it is not there); an impossible event is an error."""
    if event.action == JOIN:
        if before is not None:
            raise InputError(f"Node {event.node!r} is already there; let it leave first, or use resubscribe.")
        return event.topics
    if before is None:
        raise InputError(f"There is no node {event.node!r} that could {event.action}; check the label, or let it join.")
    if event.action == LEAVE:
        return None
    if event.action == SUBSCRIBE:
        return before | event.topics
    return before - event.topics if event.action == UNSUBSCRIBE else event.topics
