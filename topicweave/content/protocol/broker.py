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
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from topicweave.content.protocol.links import Links, Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicweave.content.protocol.transport import Transport

TTL = 30.0

MOVED, DECLINED, FAILED = "moved", "declined", "failed"


@dataclass
class _Guest:
    """A user this broker serves, or is about to."""

    channels: list[str]
    is_connected: bool = False
    is_settled: bool = False  # False: others may still send the old way
    published: Counter[str] = field(default_factory=Counter)
    redirected: list[Message] = field(default_factory=list)  # before u has connected
    direct: list[Message] = field(default_factory=list)  # before all brokers have switched
    leaving: str | None = None
    outcome: asyncio.Future[str] | None = None


@dataclass
class _Departed:
    """A user this broker forwards for."""

    target: str
    missing: set[str]
    expiry: asyncio.TimerHandle


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
        self._guests: dict[str, _Guest] = {}
        self._departed: dict[str, _Departed] = {}
        self._registering: dict[str, set[str]] = {}
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
        await self._links.close()

    @property
    def users(self) -> list[str]:
        """The users that are connected here."""
        return [user for user, guest in self._guests.items() if guest.is_connected]

    def can_move(self, user: str) -> bool:
        """Whether the user sits here and no move of it is under way."""
        guest = self._guests.get(user)
        return guest is not None and guest.is_connected and guest.is_settled and guest.leaving is None

    def summarize(self, user: str) -> dict[str, int]:
        """How many publications the user has made on each channel: its generating function (CONTENT §V)."""
        return dict(self._guests[user].published)

    async def move(self, user: str, target: str) -> str:
        """Ask a user to move; returns ``"moved"``, ``"declined"``, or ``"failed"`` if the target is not there."""
        if not self.can_move(user) or target == self.name or target not in self.peers:
            return FAILED
        guest = self._guests[user]
        guest.leaving = target
        guest.outcome = asyncio.get_running_loop().create_future()
        self._links.send(user, {"kind": "request_to_move", "target": target})
        return await guest.outcome

    # ---- what arrives -----------------------------------------------------------------------------------------

    def _receive(self, source: str, message: Message) -> None:
        getattr(self, f"_on_{message['kind']}")(source, message)

    def _on_register(self, user: str, message: Message) -> None:
        self._guests[user] = _Guest(message["channels"], is_connected=True, is_settled=True)
        self._registering[user] = set(self.peers)
        self._put(user, self.name, message["channels"])
        self._tell_all({"kind": "placed", "user": user, "home": None, "channels": message["channels"]})
        self._end_registering()

    def _on_publish(self, user: str, message: Message) -> None:
        self._guests[user].published[message["channel"]] += 1
        publication = {
            "kind": "deliver",
            "publisher": user,
            "number": message["number"],
            "channel": message["channel"],
            "body": message["body"],
        }
        by_broker: dict[str, list[str]] = {}
        for receiver in self._wanting.get(message["channel"], ()):
            if receiver != user:
                by_broker.setdefault(self.place[receiver], []).append(receiver)
        for broker, receivers in by_broker.items():
            if broker == self.name:
                for receiver in receivers:
                    self._pass_on(receiver, publication)
            else:
                self._links.send(broker, {"kind": "forward", "users": receivers, "publication": publication})

    def _on_forward(self, source: str, message: Message) -> None:
        for user in message["users"]:
            self._pass_on(user, message["publication"])

    def _on_accept(self, user: str, message: Message) -> None:
        task = asyncio.get_running_loop().create_task(self._replicate(user, message["target"]))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_decline(self, user: str, message: Message) -> None:
        self._end_move(user, DECLINED)

    def _on_replicate(self, home: str, message: Message) -> None:
        self._guests[message["user"]] = _Guest(message["channels"], published=Counter(message["published"]))
        self._links.send(home, {"kind": "replicated", "user": message["user"]})

    def _on_replicated(self, target: str, message: Message) -> None:
        user = message["user"]
        guest = self._guests.get(user)
        if guest is None or guest.leaving != target:
            return
        self._links.send(user, {"kind": "moved", "target": target})
        del self._guests[user]
        expiry = asyncio.get_running_loop().call_later(self.ttl, self._expire, user)
        self._departed[user] = _Departed(target, {*self.peers, self.name}, expiry)
        if guest.outcome is not None and not guest.outcome.done():
            guest.outcome.set_result(MOVED)

    def _on_connect(self, user: str, message: Message) -> None:
        guest = self._guests[user]
        guest.is_connected = True
        for publication in guest.redirected:
            self._links.send(user, publication)
        guest.redirected = []
        home = self.place[user]
        self._tell_all({"kind": "placed", "user": user, "home": home, "channels": guest.channels})
        self._put(user, self.name, guest.channels)
        if home != self.name:
            self._links.send(home, {"kind": "switched", "user": user})
        self._let_go(user, guest)

    def _on_placed(self, broker: str, message: Message) -> None:
        user, home = message["user"], message["home"]
        self._put(user, broker, message["channels"])
        if home is None:
            self._links.send(broker, {"kind": "switched", "user": user})
        elif home == self.name:
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
        guest = self._guests[user]
        if guest.is_connected:
            self._links.send(user, message["publication"])
        else:
            guest.redirected.append(message["publication"])

    def _on_settled(self, home: str, message: Message) -> None:
        guest = self._guests[message["user"]]
        guest.is_settled = True
        self._let_go(message["user"], guest)

    # ---- what follows from it ---------------------------------------------------------------------------------

    def _put(self, user: str, broker: str, channels: Iterable[str]) -> None:
        self.place[user] = broker
        for channel in channels:
            self._wanting.setdefault(channel, {})[user] = None

    def _tell_all(self, message: Message) -> None:
        for peer in sorted(self.peers):
            self._links.send(peer, message)

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

    def _let_go(self, user: str, guest: _Guest) -> None:
        if guest.is_settled and guest.is_connected:
            for publication in guest.direct:
                self._links.send(user, publication)
            guest.direct = []

    async def _replicate(self, user: str, target: str) -> None:
        await self._links.drained()
        guest = self._guests[user]
        if target not in self.peers:
            self._stay(user)
            return
        self._links.send(
            target,
            {"kind": "replicate", "user": user, "channels": guest.channels, "published": dict(guest.published)},
        )

    def _stay(self, user: str) -> None:
        self._links.send(user, {"kind": "stay"})
        self._end_move(user, FAILED)

    def _end_move(self, user: str, outcome: str) -> None:
        guest = self._guests[user]
        guest.leaving = None
        if guest.outcome is not None and not guest.outcome.done():
            guest.outcome.set_result(outcome)

    def _count_switch(self, user: str, broker: str) -> None:
        departed = self._departed.get(user)
        if departed is None:
            return
        departed.missing.discard(broker)
        if not departed.missing:
            self._links.send(departed.target, {"kind": "settled", "user": user})
            departed.expiry.cancel()
            del self._departed[user]

    def _end_registering(self) -> None:
        for user in [user for user, missing in self._registering.items() if not missing]:
            del self._registering[user]
            self._links.send(user, {"kind": "registered"})

    def _expire(self, user: str) -> None:
        """The TTL has passed: whoever has not switched will not."""
        for broker in sorted(self._departed[user].missing):
            self._count_switch(user, broker)

    def _lose(self, actor: str) -> None:
        """An actor does not answer any more."""
        if actor not in self.peers:
            return
        self.peers.discard(actor)
        for user, guest in list(self._guests.items()):
            if guest.leaving == actor:
                self._stay(user)
        for user in list(self._departed):
            self._count_switch(user, actor)
        for missing in self._registering.values():
            missing.discard(actor)
        self._end_registering()
