"""Broker: routes publications and hands users over to other brokers, so that no publication is lost, repeated or
reordered.

Correct delivery does not depend on which broker forwards what, or when. Every user numbers its publications. Its broker
keeps a log of them without a gap, and sends each to its receivers with the number of the *previous* one that the same
receiver should get; so a receiver delivers a publication that follows the last one it has seen, keeps one that comes
too early, and drops one that comes again. Every beat, brokers tell each other which users they have and the latest
numbers (*roster*), and users tell their brokers what they have *seen*. A broker whose guest falls behind asks the
publisher's broker for what is *missing*, again and again, until it arrives. This finds everything that was lost, for
whatever reason.

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

from topicweave.content.protocol.arrivals import Arrivals
from topicweave.content.protocol.broker_state import TTL as TTL
from topicweave.content.protocol.guest_book import claims
from topicweave.content.protocol.guests import FAILED
from topicweave.content.protocol.handover import Handover
from topicweave.content.protocol.links import end

if TYPE_CHECKING:
    from topicweave.content.protocol.forwarding import Receivers
    from topicweave.content.protocol.sessions import Message

BEAT = 1.0  # seconds between the reports (rosters) that brokers send each other
# a user that has been silent for this many beats (report periods) is not waited for any more; users send a message
# every beat
SILENCE = 10
LINGER = 60.0  # how many seconds a broker remembers a user that no broker lists any more


class Broker(Arrivals, Handover):
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
    trees
        The links along which publications travel; by default, publications are sent to every broker directly.
    capacity
        The most traffic (per second, to and from its users, in ``unit``) that may be moved here.
    unit
        How traffic is counted: ``"publications"``, or ``"bytes"`` of their bodies
        (:class:`topicweave.content.protocol.traffic.Meter`).
    window
        The number of seconds over which the rates of users are averaged.
    card
        What other brokers are told about this one.
    """

    async def start(self, *, is_joining: bool = False) -> None:
        """Start to serve; with ``is_joining``, also announce the broker to a network that is already running."""
        await self._links.open()
        if is_joining:
            self.membership.hello()
        self._beating = asyncio.get_running_loop().create_task(self._beat())

    async def stop(self) -> None:
        """Stop at once, as in a crash: nobody is told."""
        await end(self._beating)
        await self._links.close()
        for guest in self._guests.values():
            guest.end_move(FAILED)
        self._guests.clear()

    def summarize(self, user: str) -> dict[str, int]:
        """How many publications the user has made on each channel (the paper's generating function, CONTENT §V)."""
        return dict(self._guests[user].log.published)

    # ---- messages from users ------------------------------------------------------------------------------------

    def _on_ping(self, user: str, message: Message) -> None:
        guest = self._guests.known(user, message)
        if guest is None or guest.log.last + 1 != message["number"]:
            self._links.send(user, {"kind": "unknown", "visit": message["visit"]})
        else:
            guest.silent_beats = 0
            guest.has_seen(message["seen"])

    def _on_leave(self, user: str, message: Message) -> None:
        """Stop forwarding to a user that is leaving; its publications are kept for receivers that have not seen them
        yet.
        """
        guest = self._guests.get(user)
        if guest is None or guest.visit != message["visit"] or guest.log.last + 1 != message["number"]:
            self._links.send(user, {"kind": "unknown", "visit": message["visit"]})
            return
        self._part(guest, is_goodbye=True)
        self._links.send(user, {"kind": "left", "visit": message["visit"]})

    def _on_publish(self, user: str, message: Message) -> None:
        guest = self._guests.known(user, message)
        publication = message["publication"]
        if guest is None or guest.log.last + 1 != publication["number"]:
            return  # the user is no longer ours, and will be told so when it next reports to us
        receivers = self._directory.receivers(publication["channel"], user, guest.log.heads)
        guest.log.add(publication)
        self.num_published += 1
        if user in self.traffic:
            self.traffic[user].publish(publication["channel"], self._now(), self.meter.amount(publication))
        if receivers:
            self.forwarding.publish(publication, receivers)

    # ---- handlers of messages from other brokers -----------------------------------------------------------------

    def _on_forward(self, source: str, message: Message) -> None:
        self.forwarding.on_forward(message)

    def _on_redirect(self, home: str, message: Message) -> None:
        for user, link in message["users"].items():
            # a message for a user that we believe to be at the sender would only go back and forth
            if self._directory.broker(user) != home or user in self._replicas:
                self.deliveries.pass_on({user: link}, message["publication"])

    def _on_report(self, broker: str, message: Message) -> None:
        if self.advice is not None:
            self.advice(broker, message)

    def _on_hello(self, broker: str, message: Message) -> None:
        self.membership.on_hello(broker, message)

    def _on_peers(self, broker: str, message: Message) -> None:
        self.membership.on_peers(broker, message)

    def _on_draining(self, broker: str, message: Message) -> None:
        self.membership.on_draining(broker, message)

    def _on_goodbye(self, broker: str, message: Message) -> None:
        self.membership.on_goodbye(broker, message)
        self._lose(broker)

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
                self._answer(broker, {user: (previous, message["visit"])}, publication)

    def _on_forgotten(self, broker: str, message: Message) -> None:
        if message["user"] in self._guests:
            self._links.send(message["user"], message)

    # ---- reactions ----------------------------------------------------------------------------------------------

    def _answer(self, broker: str, receivers: Receivers, publication: Message) -> None:
        """Send a publication to another broker's users that lack it."""
        if broker == self.name:
            self.deliveries.pass_on(receivers, publication)
        else:
            self._links.send(broker, {"kind": "forward", "users": receivers, "publication": publication})

    def _lose(self, actor: str) -> None:
        """Handle a user or broker that does not answer and may be dead, or that has restarted without its memory."""
        if actor in self._guests and not self._guests[actor].sent_on:
            self._part(self._guests[actor])
        self._rosters.forget(actor)
        for guest in self._guests.values():
            if guest.leaving == actor:
                self._stay(guest, guest.attempt)
        self._registering.lose(actor)
        for user, message in self._registering.unanswered(self._now(), actor):
            self._admit(user, message)
        self._end_registering()

    # ---- the beat ---------------------------------------------------------------------------------------------

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            self._tidy()
            self.deliveries.flush()
            self._count_forwarded()
            self.tell_all({"kind": "roster", "users": self._guests.roster()})
            self._catch_up()

    def _tidy(self) -> None:
        now = self._now()
        for user, replica in list(self._replicas.items()):
            if now >= replica.until:
                del self._replicas[user]
                self.traffic.pop(user, None)
        for user, message in self._registering.unanswered(now):
            self._admit(user, message)
        for user, guest in list(self._guests.items()):
            if guest.leaving is not None and now > guest.until:
                self._stay(guest, guest.attempt)
            guest.silent_beats += 1
            is_silent = guest.is_connected and guest.silent_beats > SILENCE
            if is_silent or (guest.sent_on and now > guest.until):
                self._part(guest)
            if not guest.is_connected and guest.log.is_old and now >= guest.kept_until:
                del self._guests[user]
            else:
                self._note_guest(guest)
        self._directory.forget(before=now - max(LINGER, 2 * self.ttl))

    def _catch_up(self) -> None:
        """Request publications that users of this broker should have received some time ago."""
        self._rosters.note(self.name, claims(self._guests.roster()))
        beginners = self._registering.beginners
        for broker, question in list(self._guests.missing(self._rosters.newest(), beginners, self._now())):
            if broker == self.name:
                self._on_missing(self.name, question)
            else:
                self._links.send(broker, question)
