"""Arrivals: how users register with a broker, and how the other brokers learn about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicweave.content.protocol.broker_state import BrokerState
from topicweave.content.protocol.guests import Guest, Registration, as_guest_ranges
from topicweave.content.protocol.log import NONE, Log
from topicweave.content.protocol.registrations import first_number, former_life, memory, restored

if TYPE_CHECKING:
    from topicweave.content.protocol.sessions import Message


class Arrivals(BrokerState):
    """The part of a broker that registers users."""

    def _on_register(self, user: str, message: Message) -> None:
        if self.membership.is_leaving:
            self._links.send(user, {"kind": "closing"})
            return
        latest = self._directory.visit(user)
        if message["visit"] <= latest:  # the user has already moved on, or a new user has the same name
            self._links.send(user, {"kind": "outdated", "visit": message["visit"], "latest": latest})
            return
        if message.get("resume"):
            holder = self._directory.broker(user)
            if user in self._guests:
                state = former_life(self._guests[user], message)
                message = message if state is None else restored(message, state)
            elif holder in self.peers - self._links.suspected:
                self._registering.recall(message, user, str(holder), self._now())
                question = {"kind": "recall", "user": user, "visit": message["visit"], "life": message.get("life")}
                self._links.send(str(holder), question)
                return
        self._admit(user, message)

    def _admit(self, user: str, message: Message) -> None:
        """Serve a user that has registered, and announce it to all brokers."""
        former = message.get("former", [] if message["seen"] is None else None)
        seen = dict(message["seen"] or {})
        guest = Guest(user, message["visit"], message["channels"], Log(message["log"]), seen)
        guest.ranges, guest.prices = as_guest_ranges(message.get("ranges")), dict(message.get("prices") or {})
        guest.wished, guest.life = message.get("wished", guest.visit), message.get("life")
        guest.is_resumed = message.get("is_resumed", False)
        registration = Registration(guest.visit, self.peers - self._links.suspected, former)
        registration.is_resumed = guest.is_resumed
        # a broker that does not answer, or a user that has lost its broker, may know more about an earlier process of
        # this user
        registration.is_certain = not message.get("resume") and not self.peers & self._links.suspected
        if former is not None:
            start = self._guests.start(user, former, guest.channels)
            registration.heard(self.name, start, self._guests.last_number(user))
        self._registering[user] = registration
        self._welcome(guest, former=former)
        self._end_registering()

    def _on_recall(self, broker: str, message: Message) -> None:
        """A user has restarted without memory at another broker: send that broker its log and what it had seen."""
        guest = self._guests.get(message["user"])
        state = None if guest is None else former_life(guest, message)
        self._links.send(
            broker, {"kind": "recalled", "user": message["user"], "visit": message["visit"], "state": state}
        )

    def _on_recalled(self, broker: str, message: Message) -> None:
        waiting = self._registering.recalled(message["user"], message["visit"])
        if waiting is not None:
            state = message["state"]
            self._admit(message["user"], restored(waiting, state) if state is not None else waiting)

    def _on_placed(self, broker: str, message: Message) -> None:
        user = message["user"]
        former = message["former"]
        last_number = self._guests.last_number(user) if former is not None else NONE
        self._note(user, message["visit"], broker, message["channels"])
        start = {} if former is None else self._guests.start(user, former, message["channels"])
        answer = {"user": user, "visit": message["visit"], "start": start, "last_number": last_number}
        self._links.send(broker, {"kind": "noted", **answer})

    def _on_noted(self, broker: str, message: Message) -> None:
        self._registering.heard(broker, message)
        self._end_registering()

    def _end_registering(self) -> None:
        self._registering.close(self._reply)

    def _reply(self, user: str, registration: Registration) -> None:
        """Tell a user that all brokers know about it, and from which publications on it will receive."""
        answer: Message = {"kind": "registered", "visit": registration.visit, "start": registration.start}
        guest = self._guests.get(user)
        if guest is not None and registration.is_new:
            guest.has_seen({publisher: number for publisher, (_, number) in registration.start.items()})
        if guest is not None and (registration.is_new or registration.is_resumed):
            number = first_number(registration, guest.log.last)
            if number is not None:
                guest.log.begin_at(number)
                answer["first_number"] = number
        if guest is not None and registration.is_resumed:
            answer["resumed"] = memory(guest)
        self._links.send(user, answer)
