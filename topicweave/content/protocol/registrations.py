"""Registrations: users that are being announced to all brokers, and users that resume where an earlier process of the
same name ended.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from topicweave.content.protocol.guests import Registration

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.content.protocol.guests import Guest
    from topicweave.content.protocol.sessions import Message

# a user without memory numbers its publications from this far above the highest number that brokers know, because
# receivers may know higher ones
GAP = 1_000_000
RECALLING = 3.0  # how many seconds to wait for another broker to say what it knows about a user


class Registrations(dict[str, Registration]):
    """Users that are being announced, and registrations that wait for an answer from the user's last broker."""

    def __init__(self) -> None:
        super().__init__()
        self._recalls: dict[str, tuple[Message, str, float]] = {}

    @property
    def beginners(self) -> set[str]:
        """Users that do not know yet which publications they will receive first."""
        return {user for user, registration in self.items() if registration.is_new}

    def close(self, reply: Callable[[str, Registration], None]) -> None:
        """Answer the users that all brokers now know about."""
        for user, registration in list(self.items()):
            if not registration.missing:
                del self[user]
                reply(user, registration)

    def heard(self, broker: str, message: Message) -> None:
        """Record that a broker knows about a user."""
        registration = self.get(message["user"])
        if registration is not None and registration.visit == message["visit"]:
            registration.heard(broker, message["start"], message["last_number"])

    def lose(self, broker: str) -> None:
        """Stop waiting for a broker that does not answer."""
        for registration in self.values():
            if broker in registration.missing:
                registration.missing.remove(broker)
                registration.is_certain = False

    # ---- users that have lost their memory ----------------------------------------------------------------------

    def recall(self, message: Message, user: str, holder: str, now: float) -> None:
        """Store a registration until the user's last broker has answered."""
        self._recalls[user] = message, holder, now + RECALLING

    def recalled(self, user: str, visit: int) -> Message | None:
        """The registration that was waiting for an answer; ``None`` if the user has registered again meanwhile."""
        kept = self._recalls.get(user)
        if kept is None or kept[0]["visit"] != visit:
            return None
        del self._recalls[user]
        return kept[0]

    def unanswered(self, now: float, lost: str | None = None) -> list[tuple[str, Message]]:
        """The registrations that have waited long enough, or that wait for a broker that does not answer."""
        due = [
            (user, message)
            for user, (message, holder, until) in self._recalls.items()
            if now >= until or holder == lost
        ]
        for user, _ in due:
            del self._recalls[user]
        return due


def first_number(registration: Registration, own: int) -> int | None:
    """The first number for the publications of a user, given ``own``, the last number in its log; None if its numbers
    can simply continue.

    Others may remember higher numbers of the user. If it is not certain which, the result is at least the time in
    microseconds, which exceeds all numbers used before.
    """
    known = registration.last_number
    if not registration.is_certain:
        return max(known + GAP, time.time_ns() // 1_000)
    return known + GAP if known > own else None


def restored(message: Message, guest: Message) -> Message:
    """The registration of a user without memory, completed by what a broker remembers about it."""
    former = {"seen": guest["seen"], "log": guest["log"], "former": guest["channels"], "resume": False}
    if guest["channels"] == message["channels"]:
        former["wished"] = guest["wished"]
    return message | former | {"is_resumed": True}


def former_life(guest: Guest, message: Message) -> Message | None:
    """What a broker remembers about an earlier process of a user; ``None`` if it only knows about an earlier attempt of
    the same process to register, whose answer was lost.
    """
    is_present = guest.life is not None and guest.life == message.get("life")
    return memory(guest) if guest.is_resumed or not is_present else None


def memory(guest: Guest) -> Message:
    """What a broker remembers about a user, to be sent back to it."""
    return guest.state() | {"seen": dict(guest.seen)}
