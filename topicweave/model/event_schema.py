"""The format of events: fields, actions, and the rules that a row must obey to be an event.

Everything that reads, writes or applies events uses these two tables: the plain checks below, Spark's checks
(:mod:`topicweave.pipeline.sources.events`, which builds its expressions from them), churn traces and maintainers.

| field | value |
|---|---|
| ``sequence`` | a whole number, unique and ascending: the position in the log |
| ``time`` | a number or a date, or nothing |
| ``node`` | a label |
| ``action`` | one of :data:`ACTIONS` |
| ``role`` | ``subscribe`` (or nothing, which means the same), ``publish`` or ``both`` |
| ``topic`` | a label or a list of labels; a join may also be followed by subscribes of the same node |
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.columns import ACTION, NODE, ROLE, SEQUENCE, SUBSCRIBER, TIME, TOPIC
from topicweave.model.interest_checks import PUBLISHES, SUBSCRIBES

if TYPE_CHECKING:
    from collections.abc import Mapping

FIELDS, OPTIONAL_FIELDS = (SEQUENCE, NODE, ACTION), (TIME, ROLE, TOPIC)
JOIN, LEAVE, DRAIN = "join", "leave", "drain"
SUBSCRIBE, UNSUBSCRIBE, RESUBSCRIBE = "subscribe", "unsubscribe", "resubscribe"
BOTH, PUBLISH = "both", "publish"
ROLE_BITS = {SUBSCRIBE: SUBSCRIBES, PUBLISH: PUBLISHES, BOTH: SUBSCRIBES | PUBLISHES, SUBSCRIBER: SUBSCRIBES}
ROLES = tuple(ROLE_BITS)


@dataclass(frozen=True)
class Action:
    """What an action does to a node.

    Attributes
    ----------
    needs_topic
        Whether a row without a topic is invalid.
    forgets
        Whether the node loses the topics it had before.
    gives
        Whether the node has the named topics afterwards; None if the action names no topics, or they do not matter.
    presence
        Whether the node exists afterwards; None if the action does not change that.
    """

    needs_topic: bool = False
    forgets: bool = False
    gives: bool | None = None
    presence: bool | None = None


ACTIONS: dict[str, Action] = {
    JOIN: Action(forgets=True, gives=True, presence=True),
    LEAVE: Action(forgets=True, presence=False),
    DRAIN: Action(forgets=True, presence=False),
    SUBSCRIBE: Action(needs_topic=True, gives=True),
    UNSUBSCRIBE: Action(needs_topic=True, gives=False),
    RESUBSCRIBE: Action(forgets=True, gives=True),
}


def actions_where(**wanted: bool | None) -> tuple[str, ...]:
    """The names of the actions whose attributes have these values."""
    return tuple(
        name for name, action in ACTIONS.items() if all(getattr(action, key) is value for key, value in wanted.items())
    )


# ---- the rules -------------------------------------------------------------------------------------------------------

UNKNOWN_ACTION = "unknown action"
UNKNOWN_ROLE = "unknown role"
BAD_SEQUENCE = "sequence is not a whole number"
NO_TOPIC = "topic is missing"
REUSED_SEQUENCE = "sequence used twice for different events"

# A sequence number may be written as 3.0 or 3e0, because table tools write integers this way if the column has gaps.
NUMBER = r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*"
WHITESPACE = " \t\n\r\f\v"  # white space that is ignored around the names of actions and roles
LEAST_SEQUENCE, GREATEST_SEQUENCE = -(2**63), 2**63 - 1
EXACT = 2**53  # up to this value, numbers written with a fraction or exponent are exact


@dataclass(frozen=True)
class Rule:
    """A rule that says what the value of a field must be.

    Attributes
    ----------
    field, reason
        The field, and the reason given for rejecting a row that breaks the rule.
    is_whole
        Whether the value must be a whole number.
    choices
        The allowed values, if not all are; the field may also be empty if ``is_optional``.
    actions
        The actions for which the field must not be empty.
    """

    field: str
    reason: str
    is_whole: bool = False
    choices: tuple[str, ...] = ()
    is_optional: bool = False
    actions: tuple[str, ...] = ()


RULES = (
    Rule(SEQUENCE, BAD_SEQUENCE, is_whole=True),
    Rule(ACTION, UNKNOWN_ACTION, choices=tuple(ACTIONS)),
    Rule(ROLE, UNKNOWN_ROLE, choices=ROLES, is_optional=True),
    Rule(TOPIC, NO_TOPIC, actions=actions_where(needs_topic=True)),
)
"""Rules in the order they are checked: the first one that a row breaks is its reason."""


# ---- the plain checks ------------------------------------------------------------------------------------------------


def normalised(record: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a row in the form that the rules expect: names of actions and roles in lower case, topics as a
    list.
    """
    return {
        SEQUENCE: whole(record.get(SEQUENCE)),
        TIME: record.get(TIME),
        NODE: record.get(NODE),
        ACTION: _word(record.get(ACTION)),
        ROLE: _word(record.get(ROLE)) or None,
        TOPIC: topic_list(record.get(TOPIC)),
    }


def broken_rule(fields: Mapping[str, Any]) -> Rule | None:
    """The first rule that a normalised row violates."""
    return next((rule for rule in RULES if not _obeys(fields, rule)), None)


def _obeys(fields: Mapping[str, Any], rule: Rule) -> bool:
    value = fields[rule.field]
    if rule.is_whole:
        return value is not None
    if rule.choices:
        return value in rule.choices or (rule.is_optional and value is None)
    return bool(value) or fields[ACTION] not in rule.actions


def whole(value: Any) -> int | None:
    """Read a sequence number written in any of the usual forms; None if the value is not a whole number."""
    if isinstance(value, bool):
        return None
    text = value if isinstance(value, str) else str(value)
    if not re.fullmatch(NUMBER, text, re.ASCII):
        return None
    if re.fullmatch(r"\s*[+-]?\d+\s*", text, re.ASCII):
        digits = text.strip().lstrip("+-0")
        if len(digits) > 19:  # Python refuses to parse extremely long numbers
            return None
        number = int(text)
    else:
        written = float(text)
        if not written.is_integer() or abs(written) > EXACT:
            return None
        number = int(written)
    return number if LEAST_SEQUENCE <= number <= GREATEST_SEQUENCE else None


def topic_list(topic: Any) -> list[Any]:
    """Return the topics of a row as a list.

    A list stays as it is, a string with a JSON list becomes the items of that list, and any other string is one topic.
    """
    # NaN, which is how pandas writes a missing value
    if topic is None or (isinstance(topic, float) and topic != topic):
        return []
    if isinstance(topic, str):
        if topic.startswith("["):
            try:
                return list(json.loads(topic))
            except ValueError:
                return [topic]
        return [topic] if topic else []
    return list(topic) if isinstance(topic, Iterable) and not isinstance(topic, bytes) else [topic]


def topic_field(topics: Iterable[str]) -> str | list[str] | None:
    """Topics as the field of a row; :func:`topic_list` reads the same topics back."""
    listed = sorted(topics)
    if len(listed) == 1 and listed[0] and not listed[0].startswith("["):
        return listed[0]
    return listed or None


def _word(value: Any) -> str:
    return "" if value is None or value != value else str(value).strip(WHITESPACE).lower()
