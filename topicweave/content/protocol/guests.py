"""What a broker knows about users that are here or are arriving."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from topicweave.content.protocol.log import NONE, newest

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from topicweave.content.protocol.log import Log
    from topicweave.content.protocol.sessions import Message

# seconds a user may be behind before its broker asks for what it misses; doubled after every unanswered request
PATIENCE = 1.5
LONGEST_PATIENCE = 6.0

MOVED, DECLINED, FAILED = "moved", "declined", "failed"


@dataclass
class _Lag:
    seen: int
    due: float
    wait: float


@dataclass
class Guest:
    """A user that this broker serves."""

    name: str
    visit: int  # number of the user's visit: users count their visits to brokers, and the latest says where a user is
    channels: list[str]
    log: Log
    seen: dict[str, int]  # the last number seen of each publisher, as reported by the user
    is_connected: bool = True  # False: it does not answer, has left, or has been sent on; only its log is needed
    leaving: str | None = None  # the broker it has been asked to move to
    silent_beats: int = 0  # beats since its last message
    sent_on: bool = False  # it was told to go there; until there is news of it, messages for it are sent after it
    attempt: int = 0  # number of the current attempt to move it: an answer to an earlier attempt may come late
    until: float = 0.0  # when that attempt has taken too long
    outcome: asyncio.Future[str] | None = None
    _lags: dict[str, _Lag] = field(default_factory=dict)

    @property
    def wanted(self) -> list[str] | None:
        """The channels on which publications are to be forwarded to it; ``None`` if none can ever be delivered."""
        return self.channels if self.is_connected or self.sent_on else None

    def part(self) -> None:
        """Record that it no longer answers, or has said goodbye."""
        self.is_connected = self.sent_on = False
        self.end_move(FAILED)

    def end_move(self, outcome: str) -> None:
        """Report the outcome of the move to the broker that asked for it."""
        self.leaving = None
        if self.outcome is not None and not self.outcome.done():
            self.outcome.set_result(outcome)

    def has_seen(self, seen: Mapping[str, int]) -> None:
        """Record what it has seen, or need not see; never less than before."""
        for publisher, number in seen.items():
            self.seen[publisher] = max(number, self.seen.get(publisher, NONE))

    def overdue(self, heads: Mapping[str, Mapping[str, int]], now: float) -> list[str]:
        """Publishers of which the user has for long not seen the latest publications."""
        overdue = []
        self._lags = {publisher: lag for publisher, lag in self._lags.items() if publisher in heads}
        for publisher, numbers in heads.items():
            if publisher == self.name:
                continue
            seen = self.seen.get(publisher, NONE)
            if newest(numbers, self.channels) <= seen:
                self._lags.pop(publisher, None)
                continue
            lag = self._lags.get(publisher)
            if lag is None or lag.seen != seen:
                self._lags[publisher] = _Lag(seen, now + PATIENCE, PATIENCE)
            elif now >= lag.due:
                lag.wait = min(2 * lag.wait, LONGEST_PATIENCE)
                lag.due = now + lag.wait
                overdue.append(publisher)
        return overdue


@dataclass
class Replica:
    """A user that is about to arrive: its log, what has arrived for it meanwhile, and until when it is expected."""

    visit: int
    channels: list[str]
    log: Log
    until: float
    redirected: list[tuple[int, Message]] = field(default_factory=list)


@dataclass
class Registration:
    """A user that is being announced to all brokers; a new user starts after what has been published before."""

    visit: int
    missing: set[str]
    start: dict[str, int] | None

    def heard(self, broker: str, start: Mapping[str, int]) -> None:
        """Record that a broker knows of it; if two brokers know a publisher, one of them is out of date."""
        self.missing.discard(broker)
        if self.start is not None:
            for publisher, number in start.items():
                self.start[publisher] = max(number, self.start.get(publisher, NONE))
