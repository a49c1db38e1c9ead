"""Transports: how a packet gets from one actor to another. They may delay, repeat, reorder or lose packets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

Packet = dict[str, Any]
Receiver = Callable[[str, Packet], None]


class Transport(Protocol):
    """The methods that an actor needs from a transport."""

    async def open(self, name: str, receiver: Receiver) -> None:
        """Let an actor receive packets under its name."""
        ...

    def send(self, source: str, target: str, packet: Packet) -> None:
        """Send a packet, without a guarantee that it arrives."""
        ...

    async def close(self, name: str) -> None:
        """Disconnect an actor: packets sent to it from now on are lost."""
        ...


class InProcess:
    """A transport within one process: sending a packet schedules a call in the event loop."""

    def __init__(self) -> None:
        self._receivers: dict[str, Receiver] = {}

    async def open(self, name: str, receiver: Receiver) -> None:
        self._receivers[name] = receiver

    def send(self, source: str, target: str, packet: Packet) -> None:
        asyncio.get_running_loop().call_soon(self._arrive, source, target, packet)

    def _arrive(self, source: str, target: str, packet: Packet) -> None:
        receiver = self._receivers.get(target)
        if receiver is not None and source in self._receivers:
            receiver(source, packet)

    async def close(self, name: str) -> None:
        self._receivers.pop(name, None)
