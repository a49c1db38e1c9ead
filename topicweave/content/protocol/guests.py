"""What a broker knows about users that are connected to it or about to arrive."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from topicweave.content.protocol.log import NONE, newest

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from topicweave.content.protocol.log import Log
    from topicweave.content.protocol.sessions import Message

# How many seconds a user may lag behind before its broker asks for the missing publications; the time doubles after
# every request that is not answered.
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
    """A user that is served by this broker."""

    name: str
    # the number of this visit: users count their visits to brokers, and the highest number tells where a user is
    visit: int
    channels: list[str]
    log: Log
    seen: dict[str, int]  # the number of the last publication seen from each publisher, as reported by the user
    # False if the user does not answer, has left, or was told to move to another broker; only its log is needed then
    is_connected: bool = True
    leaving: str | None = None  # the broker to which the user was asked to move
    silent_beats: int = 0  # report periods (beats) since the user's last message
    # True if the user was told to move to another broker; until we hear of it from there, its messages are sent after
    # it
    sent_on: bool = False
    attempt: int = 0  # counts attempts to move the user, because an answer to an earlier attempt may arrive late
    until: float = 0.0  # the time at which the current attempt counts as failed
    outcome: asyncio.Future[str] | None = None
    _lags: dict[str, _Lag] = field(default_factory=dict)

    @property
    def wanted(self) -> list[str] | None:
        """The channels of which publications are forwarded to this user; ``None`` if nothing can be delivered to it any
        more.
        """
        return self.channels if self.is_connected or self.sent_on else None

    def part(self) -> None:
        """Record that the user does not answer any more, or has said goodbye."""
        self.is_connected = self.sent_on = False
        self.end_move(FAILED)

    def end_move(self, outcome: str) -> None:
        """Tell the caller that requested the move how it ended."""
        self.leaving = None
        if self.outcome is not None and not self.outcome.done():
            self.outcome.set_result(outcome)

    def has_seen(self, seen: Mapping[str, int]) -> None:
        """Record up to which number the user has seen, or need not see, publications; these numbers never decrease."""
        for publisher, number in seen.items():
            self.seen[publisher] = max(number, self.seen.get(publisher, NONE))

    def overdue(self, heads: Mapping[str, Mapping[str, int]], now: float) -> list[str]:
        """The publishers whose latest publications the user has not seen, although it should have long ago."""
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
    """A user that is about to arrive: its log, the messages that have come for it already, and how long it is waited
    for.
    """

    visit: int
    channels: list[str]
    log: Log
    until: float
    redirected: list[tuple[int, Message]] = field(default_factory=list)


@dataclass
class Registration:
    """A user that registers and is being announced to all brokers; a new user receives only what is published from now
    on.
    """

    visit: int
    missing: set[str]
    start: dict[str, int] | None

    def heard(self, broker: str, start: Mapping[str, int]) -> None:
        """Record that a broker has registered this user, and the number of each publisher's last publication before
        that: the user receives all later ones.
        """
        self.missing.discard(broker)
        if self.start is not None:
            for publisher, number in start.items():
                self.start[publisher] = max(number, self.start.get(publisher, NONE))
