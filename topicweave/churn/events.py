"""Events: nodes that join, leave or change their topics. Their file format is defined in
:mod:`topicweave.model.event_schema`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

from topicweave.churn.roles import Membership
from topicweave.columns import ACTION, NODE, ROLE, SEQUENCE, SUBSCRIBER, TIME, TOPIC
from topicweave.errors import InputError
from topicweave.model.event_schema import (
    ACTIONS,
    BAD_SEQUENCE,
    DRAIN,
    FIELDS,
    GREATEST_SEQUENCE,
    JOIN,
    LEAST_SEQUENCE,
    LEAVE,
    NO_TOPIC,
    RESUBSCRIBE,
    ROLE_BITS,
    ROLES,
    SUBSCRIBE,
    UNKNOWN_ACTION,
    UNKNOWN_ROLE,
    UNSUBSCRIBE,
    broken_rule,
    normalised,
    topic_field,
)
from topicweave.model.interest_checks import PUBLISHES, SUBSCRIBES
from topicweave.model.labels import as_label, check_texts, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "DRAIN",
    "JOIN",
    "LEAVE",
    "RESUBSCRIBE",
    "SUBSCRIBE",
    "UNSUBSCRIBE",
    "Event",
    "Membership",
    "checked_events",
    "membership_after",
]


@dataclass(frozen=True)
class Event:
    """An event: one change to one node.

    Attributes
    ----------
    action
        ``join`` (with all its topics), ``leave``, ``drain`` (a planned leave), ``subscribe`` and ``unsubscribe`` (the
        topics named, the others stay), or ``resubscribe`` (these topics instead of those it had).
    node
        Label.
    topics
        Labels.
    sequence
        Position in the log: unique, ascending.
    time
        The time of the event; used only in reports and plots.
    role
        What the node starts or stops doing with the named topics: ``subscribe``, ``publish`` or ``both``. Its other
        role in these topics does not change, except after an action that removes its former topics.
    """

    action: str
    node: str
    topics: frozenset[str] = frozenset()
    sequence: int = 0
    time: float = 0.0
    role: str = SUBSCRIBE

    def __post_init__(self) -> None:
        if not isinstance(self.action, str) or self.action not in ACTIONS:
            raise InputError(f"There is no action {self.action!r}; events are {', '.join(ACTIONS)}.")
        if not isinstance(self.role, str) or self.role not in ROLE_BITS:
            raise InputError(SENTENCES[UNKNOWN_ROLE].format(role=self.role))
        object.__setattr__(self, "role", SUBSCRIBE if self.role == SUBSCRIBER else self.role)
        object.__setattr__(self, "node", as_label(self.node, "node"))
        object.__setattr__(self, "topics", topic_set(self.topics))
        if ACTIONS[self.action].needs_topic and not self.topics:
            raise InputError(f"The {self.action} of node {self.node!r} names no topic; name one.")
        if isinstance(self.sequence, bool) or not isinstance(self.sequence, Real):
            raise InputError(f"The sequence {self.sequence!r} is not a number; number the events from 1 on.")
        if not LEAST_SEQUENCE <= self.sequence <= GREATEST_SEQUENCE:
            raise InputError(f"The sequence {self.sequence} does not fit into 64 bits; number the events from 1 on.")

    @property
    def content(self) -> tuple[str, str, tuple[str, ...], str]:
        """The fields that must be equal if two rows have the same sequence number: node, action, topics and role."""
        topics = tuple(sorted(self.topics)) if ACTIONS[self.action].gives is not None else ()
        return self.node, self.action, topics, self.role if topics else SUBSCRIBE

    def to_record(self) -> dict[str, Any]:
        """The event as a row of an event file; :meth:`from_record` reads the same event back."""
        return {
            SEQUENCE: self.sequence,
            TIME: self.time,
            NODE: self.node,
            ACTION: self.action,
            TOPIC: topic_field(self.topics),
            **({} if self.role == SUBSCRIBE else {ROLE: self.role}),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Event:
        """Make an event from a row of an event file or of a trace; the list of topics may also be given as JSON
        text.
        """
        if not hasattr(record, "get"):
            raise InputError(
                f"An event is read from a row with sequence, node and action, but got a {type(record).__name__}; "
                f"give a dictionary."
            )
        for name in FIELDS:
            if record.get(name) is None:
                raise InputError(f"An event without {name} was found: {dict(record)!r}; every event needs one.")
        fields = normalised(record)
        rule = broken_rule(fields)
        if rule is not None:
            raise InputError(SENTENCES[rule.reason].format(**record, actions=", ".join(ACTIONS)))
        topics, role = topic_set(fields[TOPIC]), fields[ROLE] or SUBSCRIBE
        return cls(fields[ACTION], fields[NODE], topics, fields[SEQUENCE], _number(fields[TIME]), role)


SENTENCES = {
    BAD_SEQUENCE: "The sequence {sequence!r} is not a whole number of 64 bits; number the events.",
    UNKNOWN_ACTION: "There is no action {action!r}; events are {actions}.",
    UNKNOWN_ROLE: f"There is no role {{role!r}}; it may be {', '.join(ROLES)}, or left out.",
    NO_TOPIC: "The {action} of node {node!r} names no topic; name one.",
}


def topic_set(topics: Any) -> frozenset[str]:
    """Topics as a set of labels; a single string is refused, because its letters would be taken for topics."""
    if isinstance(topics, str | bytes) or not isinstance(topics, Iterable):
        raise InputError(f"The topics are one value ({topics!r}); give a list or set of topics.")
    labels = frozenset(topic if type(topic) is str else as_label(topic, "topic") for topic in topics)
    check_texts(tuple(labels), "topic")
    return labels


def checked_events(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events one by one; raises an error that explains how to make an event if something else is found."""
    for event in listed(events, "event"):
        if not isinstance(event, Event):
            raise InputError(
                f"An Event was asked for, but got a {type(event).__name__} ({event!r:.80}); "
                f"make one of each row of a trace or file with Event.from_record."
            )
        yield event


def membership_after(before: Membership | None, event: Event) -> Membership | None:
    """What the node subscribes to and publishes after the event (None if it leaves); raises an error if the event is
    invalid.
    """
    action = ACTIONS[event.action]
    if action.presence:
        if before is not None:
            raise InputError(f"Node {event.node!r} is already there; let it leave first, or use resubscribe.")
    elif before is None:
        raise InputError(f"There is no node {event.node!r} that could {event.action}; check the label, or let it join.")
    if action.presence is False:
        return None
    kept = Membership() if before is None or action.forgets else before
    bits, topics = ROLE_BITS[event.role], event.topics
    subscribed, published = (
        had if not bits & bit else had | topics if action.gives else had - topics
        for had, bit in ((kept.subscribed, SUBSCRIBES), (kept.published, PUBLISHES))
    )
    return Membership(subscribed, published)


def _number(time: Any) -> float:
    try:
        return float(time)
    except (TypeError, ValueError):
        return 0.0
