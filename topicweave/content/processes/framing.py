"""Framing: each message is JSON in UTF-8, preceded by its length as four bytes, most significant first."""

from __future__ import annotations

import functools
import json
import struct
from typing import Any

LENGTH = struct.Struct("!I")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")


# one encoder for all frames: json.dumps would create a new one each time
_decode = json.JSONDecoder(parse_constant=_refuse).decode


class FrameError(Exception):
    """Raised if the received bytes are not a frame; the message tells the sender why."""


def frame(message: Any) -> bytes:
    """A message in the form in which it is sent."""
    data = _encode(message).encode("utf-8", "surrogatepass")
    return LENGTH.pack(len(data)) + data


class _Latest:
    """The publication that was encoded last; often the same one is sent to several receivers in a row."""

    publication: Any = None
    data = b""


def packet_frame(packet: dict[str, Any]) -> bytes:
    """Like :func:`frame`, for a packet; a publication in the packet is encoded only once for all its receivers."""
    message = packet.get("message")
    publication = message.get("publication") if isinstance(message, dict) else None
    if publication is None:
        return frame(packet)
    if _Latest.publication is not publication:
        _Latest.publication = publication
        _Latest.data = _encode(publication).encode("utf-8", "surrogatepass")
    around = "".join([_fields(packet, "message"), '"message":{', _fields(message, "publication"), '"publication":'])
    head = around.encode("utf-8", "surrogatepass")
    return b"".join([LENGTH.pack(len(head) + len(_Latest.data) + 3), b"{", head, _Latest.data, b"}}"])


def _fields(message: Any, without: str) -> str:
    """All fields of a message except one, each followed by a comma; most are names or numbers and need no encoder."""
    texts = []
    for name, value in message.items():
        if name != without:
            kind = type(value)
            text = value if kind is int else _quoted(value) if kind is str else _encode(value)
            texts.append(f"{_quoted(name)}:{text},")
    return "".join(texts)


@functools.lru_cache(maxsize=10_000)
def _quoted(text: str) -> str:
    """A text as JSON; cached, because a few field names and sessions occur again and again."""
    return _encode(text)


def parse(data: bytes | bytearray) -> dict[str, Any]:
    """The message inside a frame, given without its length."""
    try:
        message = _decode(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FrameError(f"A frame must hold JSON in UTF-8, but {str(error)[:100]}.") from None
    if not isinstance(message, dict):
        raise FrameError(f"A frame must hold a JSON object, not {type(message).__name__}.")
    return message


class Frames:
    """Splits the incoming bytes of a connection into frames.

    Parameters
    ----------
    longest
        The most bytes that a frame may have.
    """

    def __init__(self, longest: int) -> None:
        self.longest = longest
        self._buffer = bytearray()

    def add(self, data: bytes) -> list[dict[str, Any]]:
        """The frames that have arrived completely."""
        self._buffer += data
        found, start = [], 0
        while len(self._buffer) - start >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._buffer, start)
            if length > self.longest:
                raise FrameError(f"A frame of {length:,} bytes is longer than {self.longest:,}, which is allowed here.")
            end = start + LENGTH.size + length
            if len(self._buffer) < end:
                break
            found.append(parse(self._buffer[start + LENGTH.size : end]))
            start = end
        del self._buffer[:start]
        return found
