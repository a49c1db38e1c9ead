"""User: publishes, receives, and moves to another broker when asked and willing."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from topicweave.content.protocol.links import Links, Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from topicweave.content.protocol.transport import Transport


class User:
    """An actor with subscriptions and publications of its own.

    Parameters
    ----------
    name, broker
        Its name, and the broker it registers with.
    channels
        What it subscribes to.
    transport
        What carries packets.
    willing
        Whether to accept a move to a broker; everything by default. Local policy, as in the paper.
    received
        Called with publisher, number, channel and body of every publication that arrives.
    """

    def __init__(
        self,
        name: str,
        broker: str,
        channels: Iterable[str],
        transport: Transport,
        *,
        willing: Callable[[str], bool] = lambda target: True,
        received: Callable[[str, int, str, Any], None] = lambda publisher, number, channel, body: None,
    ) -> None:
        self.name = name
        self.broker = broker
        self.channels = sorted(channels)
        self.willing = willing
        self.received = received
        self.num_published = 0
        self.lost_broker: str | None = None
        self._waiting: list[Message] | None = None  # publications made while moving
        self._registered: asyncio.Event = asyncio.Event()
        self._links = Links(name, transport, self._receive, self._lose)

    async def start(self) -> None:
        """Register with the broker; returns when all brokers know the subscriptions."""
        await self._links.open()
        self._links.send(self.broker, {"kind": "register", "channels": self.channels})
        await self._registered.wait()

    async def stop(self) -> None:
        await self._links.close()

    def publish(self, channel: str, body: Any = None) -> int:
        """Publish, and return the publication's number; while moving, it waits for the new broker."""
        number = self.num_published
        self.num_published += 1
        message = {"kind": "publish", "number": number, "channel": channel, "body": body}
        if self._waiting is not None:
            self._waiting.append(message)
        else:
            self._links.send(self.broker, message)
        return number

    def _lose(self, actor: str) -> None:
        if actor == self.broker:
            self.lost_broker = actor

    def _receive(self, source: str, message: Message) -> None:
        kind = message["kind"]
        if kind == "deliver":
            self.received(message["publisher"], message["number"], message["channel"], message["body"])
        elif kind == "registered":
            self._registered.set()
        elif kind == "request_to_move":
            if self.willing(message["target"]):
                # what is published after the acceptance belongs to whichever broker serves us then
                self._waiting = []
                self._links.send(self.broker, {"kind": "accept", "target": message["target"]})
            else:
                self._links.send(self.broker, {"kind": "decline", "target": message["target"]})
        elif kind == "moved":
            self.broker = message["target"]
            self._links.send(self.broker, {"kind": "connect"})
            self._resume()
        elif kind == "stay":
            self._resume()

    def _resume(self) -> None:
        waiting, self._waiting = self._waiting or [], None
        for message in waiting:
            self._links.send(self.broker, message)
