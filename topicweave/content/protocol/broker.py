"""Broker: routes publications, and hands users over to other brokers without losing, repeating or reordering any.

How a user u moves from its home broker H to the foreign broker F:

1.  H asks u (*request_to_move*); u declines, or accepts and holds back what it publishes from now on.
2.  H waits until every broker has dealt with what u published so far, then sends F u's data (*replicate*). H still
    serves u. If F dies now, H tells u to stay, and nothing has happened.
3.  F answers (*replicated*). H tells u where to go (*moved*) and from now on forwards to F what arrives for u
    (*redirect*).
4.  u connects to F (*connect*) and publishes there. F tells all brokers where u is now (*placed*).
5.  Each broker switches at once: what it sends for u before goes to H, after to F; it tells H so (*switched*). F keeps
    what arrives for u directly until H has told it (*settled*) that all brokers have switched: everything sent
    the old way has by then been redirected, on the same link, before that word. Then F lets go of what it kept.

Links keep order, so each publisher's publications reach u in order: those before its broker's switch by H, the rest
after. A publisher that moves itself publishes anew only when step 2 has brought the old ones to their brokers. H
forwards until all have switched; a broker that has not within the TTL is taken for dead.

When the broker that serves u dies, at whatever step, u *registers* with another one, the foreign broker if it was about
to move there, and says what it has seen last of each publisher. It sends again what it published in the last minute,
for the dead broker may not have passed it on; and every broker sends it again what its own users published in the last
minute and u has not seen. What users get twice by this, they know by its number. The same is done when u has moved but
not all brokers have switched, and H or one of those dies (*lost_some*).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from topicweave.content.protocol.guests import Departed, Guest, Return
from topicweave.content.protocol.links import Links, Message
from topicweave.content.protocol.log import WINDOW, Log

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicweave.content.protocol.transport import Transport

TTL = 30.0

MOVED, DECLINED, FAILED = "moved", "declined", "failed"


class Broker:
    """A broker actor.

    Parameters
    ----------
    name
        Its name.
    peers
        The names of all brokers.
    transport
        What carries packets.
    ttl
        The longest time, in seconds, that a home broker forwards for a user that has moved.
    """

    def __init__(self, name: str, peers: Iterable[str], transport: Transport, *, ttl: float = TTL) -> None:
        self.name = name
        self.peers = {peer for peer in peers if peer != name}
        self.ttl = ttl
        self.place: dict[str, str] = {}  # where each user is, as far as this broker has heard
        self._wanting: dict[str, dict[str, None]] = {}  # channel -> users
        self._guests: dict[str, Guest] = {}
        self._departed: dict[str, Departed] = {}
        self._registering: dict[str, set[str]] = {}
        self._returns: dict[str, Return] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._links = Links(name, transport, self._receive, self._lose)

    async def start(self) -> None:
        await self._links.open()

    async def stop(self) -> None:
        """Stop, or die: nothing is said to anybody."""
        for task in self._tasks:
            task.cancel()
        for departed in self._departed.values():
            departed.expiry.cancel()
        for guest in self._guests.values():
            guest.end_move(FAILED)
        await self._links.close()

    @property
    def users(self) -> list[str]:
        """The users that are connected here."""
        return [user for user, guest in self._guests.items() if guest.is_connected]

    def can_move(self, user: str) -> bool:
        """Whether the user sits here and no move of it is under way."""
        guest = self._guests.get(user)
        if guest is None or user in self._registering:
            return False
        return guest.is_connected and guest.is_settled and guest.leaving is None

    def summarize(self, user: str) -> dict[str, int]:
        """How many publications the user has made on each channel: its generating function (CONTENT §V)."""
        return dict(self._guests[user].published)

    async def move(self, user: str, target: str) -> str:
        """Ask a user to move; returns ``"moved"``, ``"declined"``, or ``"failed"`` if a broker is not there."""
        if not self.can_move(user) or target == self.name or target not in self.peers:
            return FAILED
        guest = self._guests[user]
        guest.leaving = target
        guest.outcome = asyncio.get_running_loop().create_future()
        self._links.send(user, {"kind": "request_to_move", "target": target})
        return await guest.outcome

    # ---- what arrives from users ------------------------------------------------------------------------------

    def _receive(self, source: str, message: Message) -> None:
        getattr(self, f"_on_{message['kind']}")(source, message)

    def _on_register(self, user: str, message: Message) -> None:
        known = self._guests.get(user)
        guest = Guest(message["channels"], known.log if known else Log(), is_connected=True)
        if known is not None:
            guest.published = known.published
            known.end_move(FAILED)
        self._guests[user] = guest
        self._registering[user] = set(self.peers)
        placed = {"kind": "placed", "user": user, "home": None, "channels": guest.channels, "seen": message["seen"]}
        self._tell_all(placed)
        self._take_back(user, self.name, placed)
        self._end_registering()

    def _on_publish(self, user: str, message: Message) -> None:
        guest = self._guests.get(user)
        if guest is None:  # taken for lost by the user, which has registered elsewhere and publishes this there again
            return
        publication = {
            "kind": "deliver",
            "publisher": user,
            "number": message["number"],
            "channel": message["channel"],
            "body": message["body"],
        }
        if guest.log.add(publication):
            guest.published[message["channel"]] += 1
        by_broker: dict[str, list[str]] = {}
        for receiver in self._wanting.get(message["channel"], ()):
            if receiver != user:
                by_broker.setdefault(self.place[receiver], []).append(receiver)
        for broker, receivers in by_broker.items():
            self._forward(broker, receivers, publication)

    def _on_accept(self, user: str, message: Message) -> None:
        task = asyncio.get_running_loop().create_task(self._replicate(user, message["target"]))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_decline(self, user: str, message: Message) -> None:
        if user in self._guests:
            self._guests[user].end_move(DECLINED)

    def _on_connect(self, user: str, message: Message) -> None:
        guest = self._guests.get(user)
        if guest is None or guest.home is None:
            return
        guest.is_connected = True
        for publication in guest.redirected:
            self._links.send(user, publication)
        guest.redirected = []
        self._tell_all({"kind": "placed", "user": user, "home": guest.home, "channels": guest.channels})
        self._put(user, self.name, guest.channels)
        self._links.send(guest.home, {"kind": "switched", "user": user})
        if guest.home not in self.peers:
            self._links.send(user, {"kind": "lost_some"})

    def _on_ping(self, user: str, message: Message) -> None:
        """A user makes sure that we are there: that the message is answered is all it wants."""

    # ---- what arrives from brokers ----------------------------------------------------------------------------

    def _on_forward(self, source: str, message: Message) -> None:
        for user in message["users"]:
            if not self._is_stale(user, source):
                self._pass_on(user, message["publication"])

    def _on_replicate(self, home: str, message: Message) -> None:
        user = message["user"]
        log = Log([(age, publication) for age, publication in message["log"]])
        self._guests[user] = Guest(message["channels"], log, home=home, published=Counter(message["published"]))
        # who came back while this publisher's log was on its way was told of it by its old broker; but what the
        # publisher sends from here must not arrive before that
        for returned, about in self._returns.items():
            self._send_again(returned, about, user)
        self._links.send(home, {"kind": "replicated", "user": user})

    def _on_replicated(self, target: str, message: Message) -> None:
        user = message["user"]
        guest = self._guests.get(user)
        if guest is None or guest.leaving != target:
            return
        self._links.send(user, {"kind": "moved", "target": target})
        del self._guests[user]
        expiry = asyncio.get_running_loop().call_later(self.ttl, self._expire, user)
        self._departed[user] = Departed(target, {*self.peers, self.name}, expiry)
        guest.end_move(MOVED)

    def _on_placed(self, broker: str, message: Message) -> None:
        user, home = message["user"], message["home"]
        if home is None:
            stale = self._guests.pop(user, None)
            if stale is not None:
                stale.end_move(FAILED)
            self._links.send(broker, {"kind": "switched", "user": user})
            self._take_back(user, broker, message)
            return
        self._put(user, broker, message["channels"])
        if home == self.name:
            self._count_switch(user, self.name)
        else:
            self._links.send(home, {"kind": "switched", "user": user})

    def _on_switched(self, broker: str, message: Message) -> None:
        user = message["user"]
        if user in self._registering:
            self._registering[user].discard(broker)
            self._end_registering()
        else:
            self._count_switch(user, broker)

    def _on_redirect(self, home: str, message: Message) -> None:
        user = message["user"]
        guest = self._guests.get(user)
        if guest is None or self._is_stale(user, home):
            return
        if guest.is_connected:
            self._links.send(user, message["publication"])
        else:
            guest.redirected.append(message["publication"])

    def _on_settled(self, home: str, message: Message) -> None:
        guest = self._guests.get(message["user"])
        if guest is None or guest.home != home:
            return
        if message["is_sure"]:
            guest.home = None
            self._let_go(message["user"], guest)
        else:  # a broker died that had sent some the old way: what it sent directly must not overtake those
            self._links.send(message["user"], {"kind": "lost_some"})

    # ---- what follows from it ---------------------------------------------------------------------------------

    def _put(self, user: str, broker: str, channels: Iterable[str]) -> None:
        self.place[user] = broker
        for channel in channels:
            self._wanting.setdefault(channel, {})[user] = None

    def _tell_all(self, message: Message) -> None:
        for peer in sorted(self.peers):
            self._links.send(peer, message)

    def _forward(self, broker: str, receivers: list[str], publication: Message) -> None:
        if broker != self.name:
            self._links.send(broker, {"kind": "forward", "users": receivers, "publication": publication})
            return
        for receiver in receivers:
            self._pass_on(receiver, publication)

    def _pass_on(self, user: str, publication: Message) -> None:
        """Bring a publication to a user that is here, was here, or is just arriving."""
        guest = self._guests.get(user)
        departed = self._departed.get(user)
        if departed is not None and guest is None:
            self._links.send(departed.target, {"kind": "redirect", "user": user, "publication": publication})
        elif guest is not None and guest.is_settled:
            self._links.send(user, publication)
        elif guest is not None:
            guest.direct.append(publication)

    def _let_go(self, user: str, guest: Guest) -> None:
        if guest.is_settled and guest.is_connected:
            for publication in guest.direct:
                self._links.send(user, publication)
            guest.direct = []

    async def _replicate(self, user: str, target: str) -> None:
        await self._links.drained()
        guest = self._guests.get(user)
        if guest is None or guest.leaving != target:
            return
        if target not in self.peers:
            self._stay(user, guest)
            return
        data = {"channels": guest.channels, "published": dict(guest.published), "log": guest.log.entries()}
        self._links.send(target, {"kind": "replicate", "user": user, **data})

    def _stay(self, user: str, guest: Guest) -> None:
        self._links.send(user, {"kind": "stay"})
        guest.end_move(FAILED)

    def _count_switch(self, user: str, broker: str, *, is_dead: bool = False) -> None:
        departed = self._departed.get(user)
        if departed is None or broker not in departed.missing:
            return
        departed.missing.discard(broker)
        departed.is_sure &= not is_dead
        if not departed.missing:
            self._links.send(departed.target, {"kind": "settled", "user": user, "is_sure": departed.is_sure})
            self._forget(user)

    def _forget(self, user: str) -> None:
        departed = self._departed.pop(user, None)
        if departed is not None:
            departed.expiry.cancel()

    def _end_registering(self) -> None:
        for user in [user for user, missing in self._registering.items() if not missing]:
            del self._registering[user]
            self._links.send(user, {"kind": "registered"})

    def _expire(self, user: str) -> None:
        """The TTL has passed: whoever has not switched will not."""
        for broker in sorted(self._departed[user].missing):
            self._count_switch(user, broker, is_dead=True)

    # ---- brokers that die -------------------------------------------------------------------------------------

    def _lose(self, actor: str) -> None:
        """An actor does not answer any more."""
        if actor not in self.peers:
            return
        self.peers.discard(actor)
        for user, guest in list(self._guests.items()):
            if guest.leaving == actor:
                self._stay(user, guest)
            if guest.home == actor and guest.is_connected:  # what it had not redirected yet is gone
                self._links.send(user, {"kind": "lost_some"})
        for user in list(self._departed):
            self._count_switch(user, actor, is_dead=True)
        for missing in self._registering.values():
            missing.discard(actor)
        self._end_registering()

    def _is_stale(self, user: str, source: str) -> bool:
        """Whether a broker sent this before it heard that the user has registered anew: then it will send it again."""
        return source in self._registering.get(user, ())

    def _take_back(self, user: str, broker: str, message: Message) -> None:
        """A user has registered, for the first time or again: it gets what our users published and it has not seen."""
        self._put(user, broker, message["channels"])
        self._forget(user)
        now = asyncio.get_running_loop().time()
        self._returns = {name: about for name, about in self._returns.items() if now - about.time < WINDOW}
        if message["seen"] is None:
            return
        about = Return(frozenset(message["channels"]), message["seen"], now)
        self._returns[user] = about
        for publisher in self._guests:
            self._send_again(user, about, publisher)

    def _send_again(self, user: str, about: Return, publisher: str) -> None:
        if publisher == user:
            return
        for publication in self._guests[publisher].log.after(about.seen.get(publisher, -1)):
            if publication["channel"] in about.channels:
                self._forward(self.place[user], [user], publication)
