"""Connection: one TCP connection that carries frames, to a broker or from a client."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from topicweave.content.processes.framing import FrameError, Frames, packet_frame

if TYPE_CHECKING:
    from collections.abc import Callable

_PAUSE = 0.05  # seconds for which reading pauses if the other end sends too much


class Connection(asyncio.Protocol):
    """Calls back for every incoming frame, and when the connection is lost.

    Frames that are sent in the same turn of the event loop are written together.

    Parameters
    ----------
    longest
        The most bytes of a frame.
    most_unsent
        How many bytes may wait to be sent; frames beyond that are dropped.
    arrived
        Called with the connection and each frame; a :class:`FrameError` ends the connection with that message.
    lost
        Called when the connection has ended.
    opened
        Called when it has been made.
    """

    def __init__(
        self,
        longest: int,
        most_unsent: int,
        arrived: Callable[[Connection, dict[str, Any]], None],
        lost: Callable[[Connection], None],
        opened: Callable[[Connection], None] = lambda connection: None,
    ) -> None:
        self.frames = Frames(longest)
        self.most_unsent = most_unsent
        self.name = ""  # the name of the actor at the other end, once it is known
        self.is_broker = False
        self.num_in = self.num_dropped = 0
        self.rate: float | None = None  # the average number of frames per second that are read
        self._arrived = arrived
        self._lost = lost
        self._opened = opened
        self._transport: asyncio.Transport | None = None
        self._waiting: list[bytes] = []
        self._allowed = 0.0
        self._counted = 0.0
        self._resume: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """Whether frames can be sent."""
        return self._transport is not None and not self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._counted = _now()
        self._opened(self)

    def data_received(self, data: bytes) -> None:
        """Called by asyncio: pass on all frames that are complete."""
        try:
            found = self.frames.add(data)
            self.num_in += len(found)
            if self.rate is not None:
                self._slow_down(len(found), self.rate)
            for message in found:
                self._arrived(self, message)
        except FrameError as error:
            self.refuse(str(error))

    def connection_lost(self, error: Exception | None) -> None:
        """Called by asyncio."""
        self._waiting.clear()
        if self._resume is not None:
            self._resume.cancel()
        self._transport = None
        self._lost(self)

    def send(self, message: dict[str, Any]) -> None:
        """Send a frame soon; it is dropped if too much data is already waiting to be sent."""
        if not self.is_open:
            return
        assert self._transport is not None
        if self._transport.get_write_buffer_size() > self.most_unsent:
            self.num_dropped += 1
            return
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._write)
        self._waiting.append(packet_frame(message))

    def refuse(self, reason: str) -> None:
        """Tell the other end what was wrong, then close the connection."""
        self.send({"error": reason})
        self.close()

    def close(self) -> None:
        """Close the connection after sending what is waiting."""
        self._write()
        if self._transport is not None:
            self._transport.close()

    def _write(self) -> None:
        if self._waiting and self._transport is not None:
            self._transport.write(b"".join(self._waiting))
        self._waiting.clear()

    def _slow_down(self, number: int, rate: float) -> None:
        """Stop reading for a moment if more frames have arrived than the rate allows."""
        now = _now()
        self._allowed = min(self._allowed + (now - self._counted) * rate, rate) - number
        self._counted = now
        if self._allowed < 0 and self._transport is not None and self._resume is None:
            self._transport.pause_reading()
            wait = max(-self._allowed / rate, _PAUSE)
            self._resume = asyncio.get_running_loop().call_later(wait, self._read_on)

    def _read_on(self) -> None:
        self._resume = None
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()


def _now() -> float:
    return asyncio.get_running_loop().time()
