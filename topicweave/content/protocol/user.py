"""User: publishes, receives, moves to another broker when asked and willing, and finds a new one when its own dies."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from topicweave.content.protocol.links import Links, Message
from topicweave.content.protocol.log import Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from topicweave.content.protocol.transport import Transport

HEARTBEAT = 1.0  # seconds between two questions whether the broker is still there


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
    known
        Brokers it may turn to when its own dies, in this order; without any, it is alone then.
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
        known: Iterable[str] = (),
        willing: Callable[[str], bool] = lambda target: True,
        received: Callable[[str, int, str, Any], None] = lambda publisher, number, channel, body: None,
    ) -> None:
        self.name = name
        self.broker = broker
        self.channels = sorted(channels)
        self.known = list(known)
        self.willing = willing
        self.received = received
        self.num_published = 0
        self.num_dropped = 0  # publications that came a second time
        self.lost: set[str] = set()
        self._seen: dict[str, int] = {}
        self._target: str | None = None  # where it has agreed to move
        self._waiting: list[Message] | None = None  # publications made while moving
        self._registered: asyncio.Event = asyncio.Event()
        self._heartbeat: asyncio.Task[None] | None = None
        self._links = Links(name, transport, self._receive, self._lose)

    async def start(self) -> None:
        """Register with the broker; returns when all brokers know the subscriptions."""
        await self._links.open()
        self._log = Log()
        self._links.send(self.broker, {"kind": "register", "channels": self.channels, "seen": None})
        await self._registered.wait()
        self._heartbeat = asyncio.get_running_loop().create_task(self._beat())

    async def stop(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.cancel()
        await self._links.close()

    @property
    def is_served(self) -> bool:
        """Whether its broker is not known to be dead."""
        return self.broker not in self.lost

    def publish(self, channel: str, body: Any = None) -> int:
        """Publish, and return the publication's number; while moving, it waits for the new broker."""
        message = {"kind": "publish", "number": self.num_published, "channel": channel, "body": body}
        self.num_published += 1
        self._log.add(message)
        if self._waiting is not None:
            self._waiting.append(message)
        else:
            self._links.send(self.broker, message)
        return int(message["number"])

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT)
            if self.is_served:
                self._links.send(self.broker, {"kind": "ping"})

    def _lose(self, actor: str) -> None:
        self.lost.add(actor)
        if actor != self.broker:
            return
        # the foreign broker may have our data already
        for broker in (self._target, *self.known):
            if broker is not None and broker not in self.lost:
                self.broker = broker
                self._register_again()
                return

    def _register_again(self) -> None:
        """Tell the broker, and through it all others, what we have seen; and publish again what may be lost."""
        self._target, self._waiting = None, None
        self._links.send(self.broker, {"kind": "register", "channels": self.channels, "seen": dict(self._seen)})
        for _, message in self._log.entries():
            self._links.send(self.broker, message)

    def _receive(self, source: str, message: Message) -> None:
        kind = message["kind"]
        if kind == "deliver":
            self._take(message)
        elif kind == "registered":
            self._registered.set()
        elif source != self.broker:
            return  # a broker we have given up
        elif kind == "request_to_move":
            if message["target"] not in self.lost and self.willing(message["target"]):
                # what is published after the acceptance belongs to whichever broker serves us then
                self._waiting, self._target = [], message["target"]
                self._links.send(self.broker, {"kind": "accept", "target": message["target"]})
            else:
                self._links.send(self.broker, {"kind": "decline", "target": message["target"]})
        elif kind == "moved":
            self.broker = message["target"]
            self._links.send(self.broker, {"kind": "connect"})
            self._resume()
        elif kind == "stay":
            self._resume()
        elif kind == "lost_some":
            self._register_again()

    def _take(self, message: Message) -> None:
        """Hand a publication out, unless a later one of its publisher has been: then it was sent again."""
        publisher, number = message["publisher"], message["number"]
        if number <= self._seen.get(publisher, -1):
            self.num_dropped += 1
            return
        self._seen[publisher] = number
        self.received(publisher, number, message["channel"], message["body"])

    def _resume(self) -> None:
        waiting, self._waiting, self._target = self._waiting or [], None, None
        for message in waiting:
            self._links.send(self.broker, message)
