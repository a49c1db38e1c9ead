"""Framing: messages as JSON in UTF-8, each preceded by its length in four bytes, the highest first."""

from __future__ import annotations

import json
import struct
from typing import Any

LENGTH = struct.Struct("!I")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class FrameError(Exception):
    """Raised if what arrived is not a frame; the message is for the sender and says why."""


def frame(message: Any) -> bytes:
    """A message as it travels."""
    data = _encode(message).encode("utf-8", "surrogatepass")
    return LENGTH.pack(len(data)) + data


class _Latest:
    """The publication that was encoded last: it is often sent to several receivers one after the other."""

    publication: Any = None
    text = ""


def packet_frame(packet: dict[str, Any]) -> bytes:
    """The same as :func:`frame` for a packet; a publication in it is encoded once for all its receivers."""
    message = packet.get("message")
    publication = message.get("publication") if isinstance(message, dict) else None
    if publication is None or len(message) < 2:  # type: ignore[arg-type]
        return frame(packet)
    if _Latest.publication is not publication:
        _Latest.publication, _Latest.text = publication, _encode(publication)
    rest = {name: value for name, value in packet.items() if name != "message"}
    rest["message"] = {name: value for name, value in message.items() if name != "publication"}  # type: ignore[union-attr]
    data = f'{_encode(rest)[:-2]},"publication":{_Latest.text}}}}}'.encode("utf-8", "surrogatepass")
    return LENGTH.pack(len(data)) + data


def parse(data: bytes | bytearray | memoryview) -> dict[str, Any]:
    """The message in a frame without its length."""
    try:
        message = json.loads(bytes(data).decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FrameError(f"A frame must hold JSON in UTF-8, but {str(error)[:100]}.") from None
    if not isinstance(message, dict):
        raise FrameError(f"A frame must hold a JSON object, not {type(message).__name__}.")
    return message


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number")


class Frames:
    """Cuts what arrives on a connection into frames.

    Parameters
    ----------
    longest
        The most bytes that a frame may have.
    """

    def __init__(self, longest: int) -> None:
        self.longest = longest
        self._buffer = bytearray()

    def add(self, data: bytes) -> list[dict[str, Any]]:
        """The frames that are complete now."""
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
