"""What a broker knows about users that are connected to it or about to arrive."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topicweave.content.matching.ranges import as_ranges
from topicweave.content.protocol.log import NONE, newest

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping, Sequence

    from topicweave.content.matching.ranges import Ranges
    from topicweave.content.protocol.log import Log
    from topicweave.content.protocol.sessions import Message

# How many seconds a user may lag behind before its broker asks for the missing publications; the time doubles after
# every unanswered request.
PATIENCE = 1.5
LONGEST_PATIENCE = 6.0

MOVED, DECLINED, FAILED = "moved", "declined", "failed"


def as_guest_ranges(given: Any) -> list[Ranges] | None:
    """A user's ranges from a message, after checking them; ``None`` if everything on its channels matches."""
    return None if given is None else [as_ranges(one) for one in given]


def sendable(ranges: Sequence[Ranges] | None) -> list[dict[str, list[float | None]]] | None:
    """Ranges in a form that JSON can represent: pairs as lists, and a missing limit as ``None``."""
    if ranges is None:
        return None
    return [
        {name: [end if math.isfinite(end) else None for end in ends] for name, ends in one.items()} for one in ranges
    ]


@dataclass
class _Lag:
    seen: int
    due: float
    wait: float


@dataclass
class Guest:
    """A user that is served by this broker."""

    name: str
    # the number of this visit: users count their visits to brokers, and the highest number says where a user is now
    visit: int
    channels: list[str]
    log: Log
    seen: dict[str, int]  # the number of the last publication that the user reports to have seen from each publisher
    # False if the user does not answer, has left, or was told to move to another broker; only its log is needed then
    is_connected: bool = True
    leaving: str | None = None  # the broker to which the user was asked to move
    silent_beats: int = 0  # report periods (beats) since the user's last message
    # True if the user was told to move elsewhere; until its new broker reports it, its messages are forwarded there
    sent_on: bool = False
    attempt: int = 0  # numbers the attempts to move the user, because the answer to an earlier attempt may arrive late
    until: float = 0.0  # the time at which the current attempt counts as failed
    outcome: asyncio.Future[str] | None = None
    # alternative conjunctions of ranges; a publication on the guest's channels must match one of them; None: all match
    ranges: list[Ranges] | None = None
    # price of traffic to each broker, as far as the user has reported it
    prices: dict[str, float] = field(default_factory=dict)
    wished: int = 0  # the visit during which the user last changed its channels
    # identifies the process of the user that registered; only set if that is new or has lost its memory
    life: str | None = None
    is_resumed: bool = False  # whether it continues where an earlier process of the same name ended
    kept_until: float = 0.0  # until this time, a user that is gone is still reported as such and may come back
    # for each publisher, pairs (previous, number) of publications that do not match, which the user has yet to be told
    # about
    skipped: dict[str, list[list[int]]] = field(default_factory=dict)
    _lags: dict[str, _Lag] = field(default_factory=dict)

    @property
    def wanted(self) -> list[str] | None:
        """The channels whose publications are forwarded to this user; ``None`` if nothing can be delivered to it any
        more.
        """
        return self.channels if self.is_connected or self.sent_on else None

    def part(self, kept_until: float) -> None:
        """Record that the user no longer answers, or has said goodbye."""
        self.is_connected = self.sent_on = False
        self.kept_until = kept_until
        self.end_move(FAILED)

    def end_move(self, outcome: str) -> None:
        """Tell whoever requested the move how it ended."""
        self.leaving = None
        if self.outcome is not None and not self.outcome.done():
            self.outcome.set_result(outcome)

    def skip(self, publisher: str, previous: int, number: int) -> None:
        """Record that a publication does not match; consecutive publications that do not match share one entry."""
        pairs = self.skipped.setdefault(publisher, [])
        if pairs and pairs[-1][1] == previous:
            pairs[-1][1] = number
        else:
            pairs.append([previous, number])

    def state(self) -> Message:
        """What another broker needs to know to serve this user."""
        wishes = {"channels": self.channels, "ranges": sendable(self.ranges), "prices": self.prices}
        return wishes | {"wished": self.wished, "log": self.log.state()}

    def has_seen(self, seen: Mapping[str, int]) -> None:
        """Record up to which number the user has seen, or need not see, publications; these numbers never decrease."""
        for publisher, number in seen.items():
            self.seen[publisher] = max(number, self.seen.get(publisher, NONE))

    def overdue(self, heads: Mapping[str, Mapping[str, int]], now: float) -> list[str]:
        """The publishers whose latest publications should have reached the user long ago but did not."""
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
    """A user that is about to arrive: its log, the messages that already came for it, and how long to wait for it."""

    visit: int
    channels: list[str]
    log: Log
    until: float
    ranges: list[Ranges] | None = None
    prices: dict[str, float] = field(default_factory=dict)
    wished: int = 0
    redirected: list[tuple[Sequence[int], Message]] = field(default_factory=list)


@dataclass
class Registration:
    """A user that has registered and is being announced to all brokers.

    On channels that are new to it, the user receives only what is published from now on. ``start`` has a pair of
    numbers for each publisher: the user continues after the second as soon as it has received everything up to the
    first, which is the last publication on its former channels.
    """

    visit: int
    missing: set[str]
    former: list[str] | None  # the channels to which the user subscribed before; None if they have not changed
    start: dict[str, tuple[int, int]] = field(default_factory=dict)
    is_resumed: bool = False  # whether a broker still remembered the earlier process of a user that lost its memory
    last_number: int = NONE  # the highest number of the user's own publications known to any broker
    is_certain: bool = True  # whether it is certain that nobody remembers higher numbers

    @property
    def is_new(self) -> bool:
        """Whether the user had no subscriptions before."""
        return self.former == []

    def heard(self, broker: str, start: Mapping[str, Sequence[int]], last_number: int) -> None:
        """Record a broker's confirmation that it knows this user."""
        self.missing.discard(broker)
        self.last_number = max(self.last_number, last_number)
        for publisher, (before, number) in start.items():
            known = self.start.get(publisher, (NONE, NONE))
            self.start[publisher] = max(before, known[0]), max(number, known[1])
