"""Broker: routes publications and hands users over to other brokers, so that no publication is lost, repeated or
reordered.

Delivery does not depend on which broker forwards what when. Every user numbers its publications. Its broker keeps a log
of them without a gap, and sends each to its receivers with the number of the *previous* one that the same receiver
should get; so a receiver delivers a publication that follows the last one it has seen, keeps one that comes too early,
and drops one that comes again. Every beat, brokers tell each other which users they have and the latest numbers
(*roster*), and users tell their brokers what they have *seen*. A broker whose guest falls behind asks the publisher's
broker for what is *missing*, again and again, until it arrives. This finds everything that was lost, for whatever
reason.

How a user u moves from its home broker H to the foreign broker F:

1.  H asks u (*request_to_move*); u declines, or accepts and holds back what it publishes from then on.
2.  H sends F u's data, the log (*replicate*). H still serves u. If F dies now, H tells u to *stay*, and nothing has
    changed.
3.  F answers (*replicated*). H tells u where to go (*moved*) and from then on sends to F what arrives for u
    (*redirect*).
4.  u connects to F (*connect*) and publishes there, if F's log is complete. F tells all brokers that u is there
    (*placed*).

If the broker that serves u dies at any step, or seems to, u *registers* with another one (with F, if it was about to
move there) and sends its own log and what it has seen. A broker that hears from a user that is not, or no longer, its
guest says so (*unknown*), and the user registers. Users count their visits to brokers: if two brokers claim the same
user, the number of the visit tells which of them is right. If a lost message leaves a user waiting, it waits for no
longer than the TTL and then registers.

A guest that says goodbye (*leave*) or falls silent is listed without channels from then on, so that nothing is
forwarded for it. Its log is kept for receivers that have not got everything. When the log is old, the guest is no
longer listed, and a user that no broker lists is forgotten.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from topicweave.content.protocol.guest_book import GuestBook, claims
from topicweave.content.protocol.guests import DECLINED, FAILED, MOVED, Guest, Registration, Replica
from topicweave.content.protocol.links import Links, end
from topicweave.content.protocol.log import Log, newest
from topicweave.content.protocol.rosters import Rosters
from topicweave.content.protocol.user_directory import UserDirectory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicweave.content.protocol.sessions import Message
    from topicweave.content.protocol.transport import Transport

TTL = 30.0
BEAT = 1.0  # seconds between the reports (rosters) that brokers send each other
# a user that has been silent for this many beats (report periods) is not waited for any more; users send a message
# every beat
SILENCE = 10
LINGER = 60.0  # how many seconds a broker remembers a user that no broker lists any more


class Broker:
    """A broker actor.

    Parameters
    ----------
    name
        Its name.
    peers
        The names of all brokers.
    transport
        The transport for packets.
    ttl
        The longest time, in seconds, that a move may take: how long a home broker waits for the user and the foreign
        broker, and how long a foreign broker keeps what is redirected to it for a user that has not connected.
    """

    def __init__(self, name: str, peers: Iterable[str], transport: Transport, *, ttl: float = TTL) -> None:
        self.name = name
        self.peers = {peer for peer in peers if peer != name}
        self.ttl = ttl
        self._directory = UserDirectory()
        self._guests = GuestBook()
        self._replicas: dict[str, Replica] = {}
        self._registering: dict[str, Registration] = {}
        self._rosters = Rosters()
        self._beating: asyncio.Task[None] | None = None
        self._links = Links(name, transport, self._receive, lost=self._lose, restarted=self._lose)

    async def start(self) -> None:
        await self._links.open()
        self._beating = asyncio.get_running_loop().create_task(self._beat())

    async def stop(self) -> None:
        """Stop at once, as in a crash: nobody is informed."""
        await end(self._beating)
        await self._links.close()
        for guest in self._guests.values():
            guest.end_move(FAILED)
        self._guests.clear()

    @property
    def users(self) -> list[str]:
        """The users that are connected to this broker."""
        return [user for user, guest in self._guests.items() if guest.is_connected]

    @property
    def place(self) -> dict[str, str]:
        """The broker of each connected user, as far as this broker knows."""
        return self._directory.all()

    @property
    def num_known(self) -> int:
        """How many users this broker knows of, including those that left or fell silent recently."""
        return len(self._directory)

    def can_move(self, user: str) -> bool:
        """Whether the user is here and not already being moved."""
        guest = self._guests.get(user)
        return guest is not None and guest.is_connected and guest.leaving is None and user not in self._registering

    def summarize(self, user: str) -> dict[str, int]:
        """How many publications the user has made on each channel (the paper's generating function, CONTENT §V)."""
        return dict(self._guests[user].log.published)

    async def move(self, user: str, target: str) -> str:
        """Ask a user to move; returns ``"moved"``, ``"declined"``, or ``"failed"`` if a broker does not answer."""
        if not self.can_move(user) or target not in self.peers - self._links.suspected:
            return FAILED
        guest = self._guests[user]
        guest.leaving = target
        guest.attempt += 1
        guest.until = self._now() + self.ttl
        guest.outcome = asyncio.get_running_loop().create_future()
        request = {"visit": guest.visit, "attempt": guest.attempt, "target": target, "ttl": self.ttl}
        self._links.send(user, {"kind": "request_to_move", **request})
        return await guest.outcome

    # ---- messages from users ------------------------------------------------------------------------------------

    def _receive(self, source: str, message: Message) -> None:
        getattr(self, f"_on_{message['kind']}")(source, message)

    def _on_register(self, user: str, message: Message) -> None:
        latest = self._directory.visit(user)
        if message["visit"] <= latest:  # the user has moved again since then, or a new user has the same name
            self._links.send(user, {"kind": "outdated", "visit": message["visit"], "latest": latest})
            return
        is_new = message["seen"] is None
        guest = Guest(user, message["visit"], message["channels"], Log(message["log"]), dict(message["seen"] or {}))
        start = self._guests.latest(user, guest.channels) if is_new else None
        self._registering[user] = Registration(guest.visit, self.peers - self._links.suspected, start)
        self._welcome(guest, is_new=is_new)
        self._end_registering()

    def _on_connect(self, user: str, message: Message) -> None:
        replica = self._replicas.pop(user, None)
        visit = message["visit"]
        if replica is None or replica.log.last + 1 != message["number"] or visit <= self._directory.visit(user):
            self._links.send(user, {"kind": "unknown", "visit": visit})
            return
        self._welcome(Guest(user, visit, replica.channels, replica.log, dict(message["seen"])))
        for previous, publication in replica.redirected:
            self._pass_on(user, previous, publication)

    def _on_ping(self, user: str, message: Message) -> None:
        guest = self._guests.known(user, message)
        if guest is None or guest.log.last + 1 != message["number"]:
            self._links.send(user, {"kind": "unknown", "visit": message["visit"]})
        else:
            guest.silent_beats = 0
            guest.has_seen(message["seen"])

    def _on_leave(self, user: str, message: Message) -> None:
        """Stop forwarding to a user that leaves; its publications are kept for receivers that have not seen
        them yet.
        """
        guest = self._guests.get(user)
        if guest is None or guest.visit != message["visit"] or guest.log.last + 1 != message["number"]:
            self._links.send(user, {"kind": "unknown", "visit": message["visit"]})
            return
        self._part(guest)
        self._links.send(user, {"kind": "left", "visit": message["visit"]})

    def _on_publish(self, user: str, message: Message) -> None:
        guest = self._guests.known(user, message)
        publication = message["publication"]
        if guest is None or guest.log.last + 1 != publication["number"]:
            return  # not our user any more: it will be told so when it next reports to us
        by_broker: dict[str, dict[str, int]] = {}
        for receiver, broker, channels in self._directory.wanting(publication["channel"]):
            if receiver != user:
                by_broker.setdefault(broker, {})[receiver] = newest(guest.log.heads, channels)
        guest.log.add(publication)
        for broker, receivers in by_broker.items():
            self._forward(broker, receivers, publication)

    def _on_accept(self, user: str, message: Message) -> None:
        guest = self._guests.known(user, message)
        if guest is None:
            return  # not our user any more: it will be told so when it next reports to us
        if guest.attempt != message["attempt"] or guest.leaving is None or guest.leaving in self._links.suspected:
            self._stay(guest, message["attempt"])
            return
        data = {"user": user, "visit": guest.visit, "attempt": guest.attempt}
        data |= {"channels": guest.channels, "log": guest.log.state()}
        self._links.send(guest.leaving, {"kind": "replicate", **data})

    def _on_decline(self, user: str, message: Message) -> None:
        guest = self._guests.known(user, message)
        if guest is not None and guest.attempt == message["attempt"]:
            guest.end_move(DECLINED)

    # ---- handlers of messages from other brokers -----------------------------------------------------------------

    def _on_forward(self, source: str, message: Message) -> None:
        for user, previous in message["users"].items():
            self._pass_on(user, previous, message["publication"])

    def _on_redirect(self, home: str, message: Message) -> None:
        for user, previous in message["users"].items():
            # a message for a user that we believe to be at the sender would go back and forth
            if self._directory.broker(user) != home or user in self._replicas:
                self._pass_on(user, previous, message["publication"])

    def _on_replicate(self, home: str, message: Message) -> None:
        user, visit, channels = message["user"], message["visit"], message["channels"]
        self._note(user, visit, home, channels)
        self._replicas[user] = Replica(visit, channels, Log(message["log"]), until=self._now() + self.ttl)
        self._links.send(home, {"kind": "replicated", "user": user, "visit": visit, "attempt": message["attempt"]})

    def _on_replicated(self, target: str, message: Message) -> None:
        user = message["user"]
        guest = self._guests.known(user, message)
        if guest is None or guest.leaving != target or guest.attempt != message["attempt"]:
            return
        data = {"visit": guest.visit, "attempt": guest.attempt, "target": target}
        self._links.send(user, {"kind": "moved", **data})
        # keep the user's log until its new broker reports it, because the user may never arrive there
        guest.is_connected, guest.sent_on = False, True
        guest.until = self._now() + self.ttl
        self._directory.send_on(user, target)
        guest.end_move(MOVED)

    def _on_placed(self, broker: str, message: Message) -> None:
        user = message["user"]
        self._note(user, message["visit"], broker, message["channels"])
        start = self._guests.latest(user, message["channels"]) if message["is_new"] else {}
        self._links.send(broker, {"kind": "noted", "user": user, "visit": message["visit"], "start": start})

    def _on_noted(self, broker: str, message: Message) -> None:
        registration = self._registering.get(message["user"])
        if registration is not None and registration.visit == message["visit"]:
            registration.heard(broker, message["start"])
            self._end_registering()

    def _on_roster(self, broker: str, message: Message) -> None:
        for user, (visit, channels, _) in message["users"].items():
            self._note(user, visit, broker, channels)
        self._rosters.note(broker, claims(message["users"]))

    def _on_missing(self, broker: str, message: Message) -> None:
        user, channels = message["user"], message["channels"]
        for publisher, seen in message["seen"].items():
            guest = self._guests.get(publisher)
            if guest is None:
                continue
            forgotten = guest.log.forgotten(channels)
            if forgotten > seen:
                data = {"user": user, "publisher": publisher, "number": forgotten}
                self._links.send(broker, {"kind": "forgotten", **data})
            for previous, publication in guest.log.missing(channels, seen):
                self._forward(broker, {user: previous}, publication)

    def _on_forgotten(self, broker: str, message: Message) -> None:
        if message["user"] in self._guests:
            self._links.send(message["user"], message)

    # ---- reactions ----------------------------------------------------------------------------------------------

    def _welcome(self, guest: Guest, *, is_new: bool = False) -> None:
        self._note(guest.name, guest.visit, self.name, guest.channels)
        self._guests[guest.name] = guest
        placed = {"user": guest.name, "visit": guest.visit, "channels": guest.channels, "is_new": is_new}
        self._tell_all({"kind": "placed", **placed})

    def _part(self, guest: Guest) -> None:
        """Stop forwarding to a user that does not answer, did not arrive at its new broker, or has left."""
        guest.part()
        self._directory.send_on(guest.name, self.name)
        self._note_guest(guest)

    def _note_guest(self, guest: Guest) -> None:
        self._directory.note(guest.name, guest.visit, self.name, guest.wanted, self._now())

    def _note(self, user: str, visit: int, broker: str, channels: list[str] | None) -> None:
        """Record where a user is; if that is news, drop what is known about where it was before."""
        if not self._directory.note(user, visit, broker, channels, self._now()):
            return
        stale = self._guests.pop(user, None)
        if stale is not None:
            stale.end_move(FAILED)
        if user in self._registering and self._registering[user].visit < visit:
            del self._registering[user]
        if user in self._replicas and self._replicas[user].visit < visit:
            del self._replicas[user]

    def _tell_all(self, message: Message) -> None:
        for peer in sorted(self.peers):
            self._links.send(peer, message)

    def _forward(self, broker: str, receivers: dict[str, int], publication: Message, kind: str = "forward") -> None:
        if broker != self.name:
            self._links.send(broker, {"kind": kind, "users": receivers, "publication": publication})
            return
        for receiver, previous in receivers.items():
            self._pass_on(receiver, previous, publication)

    def _pass_on(self, user: str, previous: int, publication: Message) -> None:
        """Pass a publication on to a user that is here, about to arrive here, or has moved to another broker."""
        guest = self._guests.get(user)
        broker = self._directory.broker(user)
        if guest is not None and guest.is_connected:
            self._links.send(user, {"kind": "deliver", "previous": previous, "publication": publication})
        elif user in self._replicas:
            self._replicas[user].redirected.append((previous, publication))
        elif broker not in (None, self.name):
            self._forward(str(broker), {user: previous}, publication, "redirect")

    def _stay(self, guest: Guest, attempt: int) -> None:
        self._links.send(guest.name, {"kind": "stay", "visit": guest.visit, "attempt": attempt})
        if attempt == guest.attempt:
            guest.end_move(FAILED)

    def _end_registering(self) -> None:
        for user, registration in list(self._registering.items()):
            if registration.missing:
                continue
            del self._registering[user]
            if registration.start is not None and user in self._guests:
                self._guests[user].has_seen(registration.start)
            self._links.send(user, {"kind": "registered", "visit": registration.visit, "start": registration.start})

    def _lose(self, actor: str) -> None:
        """Handle a user or broker that does not answer and may be dead, or that was restarted and lost its memory."""
        if actor in self._guests and not self._guests[actor].sent_on:
            self._part(self._guests[actor])
        self._rosters.forget(actor)
        for guest in self._guests.values():
            if guest.leaving == actor:
                self._stay(guest, guest.attempt)
        for registration in self._registering.values():
            registration.missing.discard(actor)
        self._end_registering()

    # ---- the beat ---------------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            self._tidy()
            self._tell_all({"kind": "roster", "users": self._guests.roster()})
            self._catch_up()

    def _tidy(self) -> None:
        now = self._now()
        self._replicas = {user: replica for user, replica in self._replicas.items() if now < replica.until}
        for user, guest in list(self._guests.items()):
            if guest.leaving is not None and now > guest.until:
                self._stay(guest, guest.attempt)
            guest.silent_beats += 1
            is_silent = guest.is_connected and guest.silent_beats > SILENCE
            if is_silent or (guest.sent_on and now > guest.until):
                self._part(guest)
            if not guest.is_connected and guest.log.is_old:
                del self._guests[user]
            else:
                self._note_guest(guest)
        self._directory.forget(before=now - max(LINGER, 2 * self.ttl))

    def _catch_up(self) -> None:
        """Ask for publications that users of this broker have not seen although they were published some time ago."""
        self._rosters.note(self.name, claims(self._guests.roster()))
        beginners = {user for user, registration in self._registering.items() if registration.start is not None}
        for broker, question in list(self._guests.missing(self._rosters.newest(), beginners, self._now())):
            if broker == self.name:
                self._on_missing(self.name, question)
            else:
                self._links.send(broker, question)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
