"""Shapes: which packets users may send; all others are refused before the protocol sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicweave.content.matching.ranges import as_point, as_ranges
from topicweave.content.processes.framing import FrameError
from topicweave.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Shape = tuple[tuple[str, bool, Callable[[Any, str], None]], ...]

MOST_WHOLE = 2**53  # JSON implementations that use floating point cannot represent larger numbers exactly
LONGEST_NAME = 200  # characters
MOST_CHANNELS = 10_000
MOST_RANGES = 1_000  # of one user


def check_packet(packet: Mapping[str, Any], user: str) -> None:
    """Raise an error unless a user may send this packet."""
    shape = PACKETS.get(_kind(packet))
    if shape is None:
        raise FrameError(f"A user cannot send packets of kind {_kind(packet)!r:.50}.")
    _check_fields(packet, shape, packet["kind"])
    if packet["kind"] == "message":
        check_message(packet["message"], user)


def check_message(message: Any, user: str) -> None:
    """Raise an error unless a user may send this message to its broker."""
    if not isinstance(message, dict):
        raise FrameError("The message in a packet must be an object.")
    shape = MESSAGES.get(_kind(message))
    if shape is None:
        raise FrameError(f"A user cannot send messages of kind {_kind(message)!r:.50}.")
    _check_fields(message, shape, message["kind"])
    entries = message["log"]["entries"] if message["kind"] == "register" else ()
    published = [entry[1] for entry in entries]
    if message["kind"] == "publish":
        published.append(message["publication"])
    for one in published:
        if one["publisher"] != user:
            raise FrameError(f"User {user!r:.50} cannot publish under the name {one['publisher']!r:.50}.")


def _kind(message: Mapping[str, Any]) -> str:
    kind = message.get("kind")
    return kind if isinstance(kind, str) else ""


def _prepared(shape: Mapping[str, Any]) -> Shape:
    """The fields of each kind of packet, prepared for fast checks: name, whether it is optional, and its check."""
    return tuple((name.rstrip("?"), name.endswith("?"), check) for name, check in shape.items())


def _check_fields(message: Mapping[str, Any], shape: Shape, what: str) -> None:
    for key, is_optional, check in shape:
        if key in message:
            check(message[key], key)
        elif not is_optional:
            raise FrameError(f"{what} lacks the field {key!r}.")


def _whole(value: Any, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not -1 <= value <= MOST_WHOLE:
        raise FrameError(f"{what} must be a whole number of at least -1, not {value!r:.50}.")


def _number(value: Any, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= MOST_WHOLE:
        raise FrameError(f"{what} must be a number, not {value!r:.50}.")


def _name(value: Any, what: str) -> None:
    if not isinstance(value, str) or len(value) > LONGEST_NAME:
        raise FrameError(f"{what} must be text of at most {LONGEST_NAME} characters, not {value!r:.50}.")


def _flag(value: Any, what: str) -> None:
    if not isinstance(value, bool):
        raise FrameError(f"{what} must be true or false, not {value!r:.50}.")


def _numbers(value: Any, what: str) -> None:
    if not isinstance(value, dict):
        raise FrameError(f"{what} must be an object of numbers, not {value!r:.50}.")
    for name, number in value.items():
        _name(name, what)
        _whole(number, what)


def _channels(value: Any, what: str) -> None:
    if not isinstance(value, list) or len(value) > MOST_CHANNELS:
        raise FrameError(f"{what} must be a list of at most {MOST_CHANNELS:,} channels.")
    for name in value:
        _name(name, what)


def _ranges(value: Any, what: str) -> None:
    if value is None:
        return
    if not isinstance(value, list) or len(value) > MOST_RANGES:
        raise FrameError(f"{what} must be a list of at most {MOST_RANGES:,} subscriptions.")
    try:
        for one in value:
            as_ranges(one)
    except InputError as error:
        raise FrameError(f"{what}: {error}") from None


def _content(value: Any, what: str) -> None:
    try:
        as_point(value)
    except InputError as error:
        raise FrameError(f"{what}: {error}") from None


def _anything(value: Any, what: str) -> None:
    """The body of a publication may be any JSON value."""


def _fields(shape: Mapping[str, Any]) -> Callable[[Any, str], None]:
    prepared = _prepared(shape)

    def check(value: Any, what: str) -> None:
        if not isinstance(value, dict):
            raise FrameError(f"{what} must be an object, not {value!r:.50}.")
        _check_fields(value, prepared, what)

    return check


def _or_null(check: Callable[[Any, str], None]) -> Callable[[Any, str], None]:
    return lambda value, what: None if value is None else check(value, what)


def _entries(value: Any, what: str) -> None:
    if not isinstance(value, list):
        raise FrameError(f"{what} must be a list.")
    last = -1
    for entry in value:
        if not isinstance(entry, list) or len(entry) != 2:
            raise FrameError(f"{what} must consist of pairs of age and publication.")
        _number(entry[0], what)
        _publication(entry[1], what)
        if entry[1]["number"] <= last:
            raise FrameError(f"{what} must have rising numbers.")
        last = entry[1]["number"]


_publication = _fields(
    {"publisher": _name, "number": _whole, "channel": _name, "body": _anything, "content?": _content}
)
_log = _fields({"forgotten": _numbers, "published": _numbers, "entries": _entries})

_PACKETS: Mapping[str, Mapping[str, Any]] = {
    "open": {"session": _name, "asked": _number},
    "opened": {"session": _name, "token": _name, "asked": _number},
    "message": {"session": _name, "token": _name, "number": _whole, "message": _fields({})},
    "answer": {"session": _name, "expected": _whole, "early": lambda value, what: _early(value, what)},
    "reset": {"session": _name},
}
_MESSAGES: Mapping[str, Mapping[str, Any]] = {
    "register": {
        "visit": _whole,
        "wished?": _whole,
        "channels": _channels,
        "ranges?": _ranges,
        "seen": _or_null(_numbers),
        "log": _log,
        "resume?": _flag,
        "life?": _name,
        "prices?": lambda value, what: _prices(value, what),
        "former?": _channels,
    },
    "connect": {"visit": _whole, "number": _whole, "seen": _numbers},
    "ping": {"visit": _whole, "number": _whole, "seen": _numbers},
    "leave": {"visit": _whole, "number": _whole, "seen": _numbers},
    "publish": {"visit": _whole, "publication": _publication},
    "accept": {"visit": _whole, "attempt": _whole},
    "decline": {"visit": _whole, "attempt": _whole},
}


def _early(value: Any, what: str) -> None:
    if not isinstance(value, list) or len(value) > MOST_CHANNELS:
        raise FrameError(f"{what} must be a list of at most {MOST_CHANNELS:,} numbers.")
    for number in value:
        _whole(number, what)


def _prices(value: Any, what: str) -> None:
    if not isinstance(value, dict) or len(value) > MOST_CHANNELS:
        raise FrameError(f"{what} must be an object of at most {MOST_CHANNELS:,} prices.")
    for name, price in value.items():
        _name(name, what)
        _number(price, what)
        if price < 0:
            raise FrameError(f"{what} must not be negative, but {price:g} is.")


PACKETS = {kind: _prepared(shape) for kind, shape in _PACKETS.items()}
MESSAGES = {kind: _prepared(shape) for kind, shape in _MESSAGES.items()}
