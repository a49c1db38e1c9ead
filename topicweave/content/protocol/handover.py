"""Handover: how a broker hands one of its users over to another broker (CONTENT §V)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from topicweave.content.protocol.broker_state import BrokerState
from topicweave.content.protocol.guests import DECLINED, FAILED, MOVED, Guest, Replica, as_guest_ranges
from topicweave.content.protocol.log import Log
from topicweave.content.protocol.traffic import Traffic

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.content.protocol.sessions import Message

LINGER = 3.0


class Handover(BrokerState):
    """The part of a broker that moves users, both from this broker (home) and to it (foreign)."""

    async def move(self, user: str, target: str) -> str:
        """Ask a user to move; returns ``"moved"``, ``"declined"``, or ``"failed"`` if a broker did not answer."""
        if not self.can_move(user) or target not in self.targets:
            return FAILED
        guest = self._guests[user]
        guest.leaving = target
        guest.attempt += 1
        guest.until = self._now() + self.ttl
        guest.outcome = asyncio.get_running_loop().create_future()
        request = {"visit": guest.visit, "attempt": guest.attempt, "target": target, "ttl": self.ttl}
        self._links.send(user, {"kind": "request_to_move", **request})
        return await guest.outcome

    def _on_connect(self, user: str, message: Message) -> None:
        replica = self._replicas.pop(user, None)
        visit = message["visit"]
        if replica is None or replica.log.last + 1 != message["number"] or visit <= self._directory.visit(user):
            self._links.send(user, {"kind": "unknown", "visit": visit})
            return
        guest = Guest(user, visit, replica.channels, replica.log, dict(message["seen"]), ranges=replica.ranges)
        guest.prices, guest.wished = replica.prices, replica.wished
        self._welcome(guest)
        for link, publication in replica.redirected:
            self.deliveries.pass_on({user: link}, publication)

    def _on_accept(self, user: str, message: Message) -> None:
        guest = self._guests.known(user, message)
        if guest is None:
            return  # the user is no longer ours, and will be told so when it next reports to us
        if guest.attempt != message["attempt"] or guest.leaving is None or guest.leaving in self._links.suspected:
            self._stay(guest, message["attempt"])
            return
        data = {"user": user, "visit": guest.visit, "attempt": guest.attempt, **guest.state()}
        data["traffic"] = self.traffic[user].state(self._now()) if user in self.traffic else None
        self._links.send(guest.leaving, {"kind": "replicate", **data})

    def _on_decline(self, user: str, message: Message) -> None:
        guest = self._guests.known(user, message)
        if guest is not None and guest.attempt == message["attempt"]:
            guest.end_move(DECLINED)

    def _on_replicate(self, home: str, message: Message) -> None:
        user, visit, channels = message["user"], message["visit"], message["channels"]
        self._note(user, visit, home, channels)
        now = self._now()
        answer = {"user": user, "visit": visit, "attempt": message["attempt"]}
        traffic = Traffic.begun_with(message.get("traffic"), now, self.window)
        if self.load + traffic.need(now) > self.capacity:
            self._links.send(home, {"kind": "refused", **answer})
            return
        self.traffic[user] = traffic
        ranges = as_guest_ranges(message.get("ranges"))
        prices = dict(message.get("prices") or {})
        replica = Replica(visit, channels, Log(message["log"]), now + self.ttl, ranges, prices, message["wished"])
        self._replicas[user] = replica
        self._links.send(home, {"kind": "replicated", **answer})

    def _on_refused(self, target: str, message: Message) -> None:
        """The other broker has no room, so the user stays."""
        guest = self._guests.known(message["user"], message)
        if guest is not None and guest.leaving == target and guest.attempt == message["attempt"]:
            self._stay(guest, message["attempt"])

    def _on_replicated(self, target: str, message: Message) -> None:
        user = message["user"]
        guest = self._guests.known(user, message)
        if guest is None or guest.leaving != target or guest.attempt != message["attempt"]:
            return
        data = {"visit": guest.visit, "attempt": guest.attempt, "target": target}
        self._links.send(user, {"kind": "moved", **data})
        # keep the user's log until its new broker reports the user, which may never arrive there
        guest.is_connected, guest.sent_on = False, True
        self.traffic.pop(user, None)
        self.deliveries.note(user)
        guest.until = self._now() + self.ttl
        self._directory.send_on(user, target)
        guest.end_move(MOVED)

    async def drain(self, choose: Callable[[str], str | None] | None = None, linger: float = LINGER) -> None:
        """Let all users move to other brokers; stop once they are gone and nobody needs their logs.

        Parameters
        ----------
        choose
            Returns the broker that a user is asked to move to, or ``None`` if it shall choose one itself; by default,
            users are spread over the other brokers.
        linger
            How many seconds the broker goes on to answer other brokers' questions afterwards.
        """
        self.membership.is_leaving = True
        self.tell_all({"kind": "draining"})
        for number, user in enumerate(self.users):
            others = sorted(self.targets)
            target = choose(user) if choose is not None else others[number % len(others)] if others else None
            outcome = await self.move(user, target) if target is not None else FAILED
            if outcome != MOVED:
                self._links.send(user, {"kind": "closing"})
        until = self._now() + max(linger, self.ttl)
        while self._now() < until and self._guests:
            for user in self.users:
                self._links.send(user, {"kind": "closing"})
            await asyncio.sleep(1.0)
        await asyncio.sleep(linger)
        self.tell_all({"kind": "goodbye"})
        await asyncio.sleep(1.0)
