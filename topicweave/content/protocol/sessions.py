"""Sessions: what one end of a link remembers, and how it detects that the actor at the other end has restarted.

Each *life* of an actor has a random name of its own; clocks are not used, because clocks may be set back. An actor that
wants to send starts a session, named after its life and a counter, with *open*. The other end answers with a *token*,
named after its own life and a counter, and accepts messages only with a token that it has issued: a late *open* of a
former life gets a token that no one uses. So an actor that uses a token, or issues one for the current session, was
alive after the question was asked. When such a proof shows a new life, the other end has been restarted: sessions with
the former life end, and because the next question is asked only then, proofs of former lives that are still in flight
no longer count. Lives are never adopted in the wrong order, whatever the transport delays, repeats or reorders.
"""

from __future__ import annotations

import itertools
import secrets
from dataclasses import dataclass, field
from typing import Any

Message = dict[str, Any]

MOST_EARLY = 10_000  # a message whose number is further ahead than this is dropped, because it will be sent again
MOST_OFFERED = 8  # how many sessions one actor may request without using any of them


class Names:
    """Generates names for sessions and tokens that are unique among all actors and all starts of the same actor."""

    def __init__(self) -> None:
        self.life = secrets.token_hex(8)
        self._count = itertools.count()

    def new(self) -> str:
        return f"{self.life}.{next(self._count)}"


def life_of(name: str) -> str:
    """The start of an actor (its "life") in which this session or token name was generated."""
    return name.rpartition(".")[0]


@dataclass(slots=True)
class Sent:
    """An unconfirmed message, and when it was first and last sent."""

    message: Message
    first: float
    last: float


@dataclass
class Outgoing:
    """A session in which this end sends."""

    session: str
    token: str | None = None  # None until the other end has confirmed the session; nothing is sent before that
    next_number: int = 0
    unanswered: dict[int, Sent] = field(default_factory=dict)
    tries: int = 0
    since: float = 0.0
    asked: float | None = None  # when we last tried to open the session

    def add(self, message: Message, now: float) -> int:
        """Add a message to send; returns its number."""
        number, self.next_number = self.next_number, self.next_number + 1
        self.unanswered[number] = Sent(message, now, now)
        return number


@dataclass
class Incoming:
    """A session in which the other end sends."""

    session: str
    token: str
    expected: int = 0
    early: dict[int, Message] = field(default_factory=dict)
    is_answer_due: bool = False

    def take(self, number: int, message: Message) -> list[Message]:
        """Accept an incoming message; returns all messages that can now be delivered in order."""
        ready = []
        if self.expected <= number < self.expected + MOST_EARLY:
            self.early[number] = message
            while self.expected in self.early:
                ready.append(self.early.pop(self.expected))
                self.expected += 1
        return ready


@dataclass
class Peer:
    """What one end of a link knows about the other actor."""

    out: Outgoing
    incoming: Incoming | None = None
    offered: dict[str, Incoming] = field(default_factory=dict)  # sessions that are open but not used yet, by name
    life: str | None = None  # identifies the latest confirmed start of the other actor
    delay: float = 0.0  # smoothed round-trip time

    def offer(self, session: str, names: Names) -> Incoming:
        """The session that the other end asks to open; repeated requests get the same session."""
        if self.incoming is not None and self.incoming.session == session:
            return self.incoming
        if session not in self.offered:
            if len(self.offered) >= MOST_OFFERED:
                del self.offered[next(iter(self.offered))]
            self.offered[session] = Incoming(session, names.new())
        return self.offered[session]

    def adopt(self, life: str, names: Names) -> bool:
        """Record a confirmed start (life) of the other actor; returns whether this shows that it has restarted."""
        if self.life == life:
            return False
        is_other = self.life is not None
        self.life = life
        if self.incoming is not None and life_of(self.incoming.session) != life:
            self.incoming = None
        self.offered = {session: offer for session, offer in self.offered.items() if life_of(session) == life}
        # nothing was sent in this session yet, so the waiting messages can go to a new one
        if self.out.token is None:
            self.out.session, self.out.asked = names.new(), None
        elif life_of(self.out.token) != life:
            self.out = Outgoing(names.new())
        return is_other

    def forget(self, names: Names) -> None:
        """Discard our session after the other end failed to recognise it: that actor was restarted, but its new start
        is not confirmed yet.
        """
        self.life = self.incoming = None
        self.out = Outgoing(names.new())
