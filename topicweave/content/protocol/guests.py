"""What a broker knows of the users that are here, are arriving, or have left."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from topicweave.content.protocol.links import Message
    from topicweave.content.protocol.log import Log


@dataclass
class Guest:
    """A user this broker serves, or is about to."""

    channels: list[str]
    log: Log
    home: str | None = None  # the broker it comes from, until all have switched
    is_connected: bool = False
    published: Counter[str] = field(default_factory=Counter)
    redirected: list[Message] = field(default_factory=list)  # before u has connected
    direct: list[Message] = field(default_factory=list)  # before all brokers have switched
    leaving: str | None = None
    outcome: asyncio.Future[str] | None = None

    @property
    def is_settled(self) -> bool:
        """Whether nobody sends the old way any more."""
        return self.home is None

    def end_move(self, outcome: str) -> None:
        """The move is over, for the broker that asked for it."""
        self.leaving = None
        if self.outcome is not None and not self.outcome.done():
            self.outcome.set_result(outcome)


@dataclass
class Departed:
    """A user this broker forwards for."""

    target: str
    missing: set[str]
    expiry: asyncio.TimerHandle
    is_sure: bool = True  # False: a broker was counted because it died


@dataclass(frozen=True)
class Return:
    """A user that lost its broker: what it wants, the last number it has seen of each publisher, and when it came."""

    channels: frozenset[str]
    seen: dict[str, int]
    time: float
