"""Registrations: users that are being announced to all brokers, and users that ask for what their former life left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from topicweave.content.protocol.guests import Registration

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.content.protocol.guests import Guest
    from topicweave.content.protocol.sessions import Message

# a user without memory begins to number this far above what brokers know, because receivers may know later ones
GAP = 1_000_000
RECALLING = 3.0  # how many seconds to wait for what another broker knows of a user


class Registrations(dict[str, Registration]):
    """The users that are being announced, and the registrations that wait for an answer from the user's last broker."""

    def __init__(self) -> None:
        super().__init__()
        self._recalls: dict[str, tuple[Message, str, float]] = {}

    @property
    def beginners(self) -> set[str]:
        """Users that do not know yet which publications they will receive first."""
        return {user for user, registration in self.items() if registration.is_new}

    def close(self, reply: Callable[[str, Registration], None]) -> None:
        """Reply to users of which all brokers know."""
        for user, registration in list(self.items()):
            if not registration.missing:
                del self[user]
                reply(user, registration)

    def heard(self, broker: str, message: Message) -> None:
        """Record that a broker has noted a user."""
        registration = self.get(message["user"])
        if registration is not None and registration.visit == message["visit"]:
            registration.heard(broker, message["start"], message["last_number"])

    def lose(self, broker: str) -> None:
        """Wait no longer for a broker that does not answer."""
        for registration in self.values():
            if broker in registration.missing:
                registration.missing.remove(broker)
                registration.is_certain = False

    # ---- users that have lost their memory ----------------------------------------------------------------------

    def recall(self, message: Message, user: str, holder: str, now: float) -> None:
        """Keep a registration until the user's last broker has said what it knows."""
        self._recalls[user] = message, holder, now + RECALLING

    def recalled(self, user: str, visit: int) -> Message | None:
        """The registration that waited for an answer; ``None`` if the user has registered again since then."""
        kept = self._recalls.get(user)
        if kept is None or kept[0]["visit"] != visit:
            return None
        del self._recalls[user]
        return kept[0]

    def unanswered(self, now: float, lost: str | None = None) -> list[tuple[str, Message]]:
        """The registrations that have waited long enough, or for a broker that does not answer."""
        due = [
            (user, message)
            for user, (message, holder, until) in self._recalls.items()
            if now >= until or holder == lost
        ]
        for user, _ in due:
            del self._recalls[user]
        return due


def first_number(registration: Registration, own: int) -> int | None:
    """The number at which a user that has no memory of its own goes on, if it is not the next after its ``own`` last
    one: others may remember higher ones. Where these are not known, they are below the time in microseconds.
    """
    known = registration.last_number
    if not registration.is_certain:
        return max(known + GAP, time.time_ns() // 1_000)
    return known + GAP if known > own else None


def restored(message: Message, guest: Message) -> Message:
    """The registration of a user without memory, completed by what a broker remembers of its former life."""
    former = {"seen": guest["seen"], "log": guest["log"], "former": guest["channels"], "resume": False}
    if guest["channels"] == message["channels"]:
        former["wished"] = guest["wished"]
    return message | former | {"is_resumed": True}


def former_life(guest: Guest, message: Message) -> Message | None:
    """What a broker remembers of a former life of a user; ``None`` if it knows no more than an earlier attempt of the
    present life to register, of which it did not hear the answer.
    """
    is_present = guest.life is not None and guest.life == message.get("life")
    return memory(guest) if guest.is_resumed or not is_present else None


def memory(guest: Guest) -> Message:
    """What a broker remembers of a user, to be given back to it."""
    return guest.state() | {"seen": dict(guest.seen)}
