"""What a broker knows of the users that are here or are arriving."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from topicweave.content.protocol.log import NONE, newest

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from topicweave.content.protocol.links import Message
    from topicweave.content.protocol.log import Log

PATIENCE = 1.5  # seconds a user may be behind before its broker asks for what it misses; doubled when asked in vain
LONGEST_PATIENCE = 6.0


@dataclass
class _Lag:
    seen: int
    due: float
    wait: float


@dataclass
class Guest:
    """A user this broker serves."""

    name: str
    visit: int  # the user counts its visits to brokers: where it came last, it is
    channels: list[str]
    log: Log
    seen: dict[str, int]  # the last number of each publisher, as the user has said
    is_connected: bool = True  # False: it does not answer
    leaving: str | None = None  # the broker it is asked to move to
    attempt: int = 0  # which attempt to move it that is: an answer to an earlier one may come late
    until: float = 0.0  # when that has taken too long
    outcome: asyncio.Future[str] | None = None
    _lags: dict[str, _Lag] = field(default_factory=dict)

    def end_move(self, outcome: str) -> None:
        """The move is over, for the broker that asked for it."""
        self.leaving = None
        if self.outcome is not None and not self.outcome.done():
            self.outcome.set_result(outcome)

    def overdue(self, heads: Mapping[str, Mapping[str, int]], now: float) -> list[str]:
        """Publishers of which the user has for long not seen what they have published."""
        overdue = []
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
    """A user that is about to come: its log, what has come for it meanwhile, and until when it is expected."""

    visit: int
    channels: list[str]
    log: Log
    until: float
    redirected: list[tuple[int, Message]] = field(default_factory=list)


@dataclass
class Registration:
    """A user that all brokers are being told of; a new one begins with what publishers have published before."""

    visit: int
    missing: set[str]
    start: dict[str, int] | None
