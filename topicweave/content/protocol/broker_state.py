"""BrokerState: what a broker knows, and operations that several of its tasks share."""

from __future__ import annotations

import abc
import asyncio
import math
from collections import deque
from typing import TYPE_CHECKING, Any

from topicweave.content.protocol.deliveries import Deliveries
from topicweave.content.protocol.forwarding import Forwarding
from topicweave.content.protocol.guest_book import GuestBook
from topicweave.content.protocol.guests import FAILED, Guest, Replica
from topicweave.content.protocol.links import Links
from topicweave.content.protocol.membership import Membership
from topicweave.content.protocol.registrations import Registrations
from topicweave.content.protocol.rosters import Rosters
from topicweave.content.protocol.traffic import PUBLICATIONS, WINDOW, Meter, Traffic
from topicweave.content.protocol.trees import DirectTrees
from topicweave.content.protocol.user_directory import UserDirectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from topicweave.content.protocol.sessions import Message
    from topicweave.content.protocol.transport import Transport
    from topicweave.content.protocol.trees import Trees

TTL = 30.0
REMEMBERED = 60.0  # seconds within which a user that does not answer may come back without its memory
FAREWELL = 3.0  # seconds for which other brokers are told that a user has left


class BrokerState(abc.ABC):
    """A broker's tables; the parameters are those of :class:`Broker`."""

    def __init__(
        self,
        name: str,
        peers: Iterable[str],
        transport: Transport,
        *,
        ttl: float = TTL,
        trees: Trees | None = None,
        capacity: float = math.inf,
        unit: str = PUBLICATIONS,
        window: float = WINDOW,
        card: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.window = window
        self.ttl = ttl
        self.capacity = capacity
        self.advice: Callable[[str, Message], None] | None = None  # called with each report of another broker
        self.meter = Meter(unit)
        self.traffic: dict[str, Traffic] = {}
        self.num_published = 0  # counts publications by this broker's users
        # time and forwarded traffic at every beat, by broker
        self._forwarded: deque[tuple[float, Mapping[str, float]]] = deque()
        self._directory = UserDirectory()
        self._guests = GuestBook()
        self._replicas: dict[str, Replica] = {}
        self._registering = Registrations()
        self._rosters = Rosters()
        self._beating: asyncio.Task[None] | None = None
        self._links = Links(name, transport, self._receive, lost=self._lose, restarted=self._lose)
        self.membership = Membership(name, peers, self._links.send, self._rosters.forget, card)
        self.deliveries = Deliveries(name, self._guests, self._replicas, self._directory, self._links.send)
        self.deliveries.on_delivered = self._count_delivery
        self.forwarding = Forwarding(
            name, trees or DirectTrees(), self._links.send, self.deliveries.pass_on, self._links.suspected, self.meter
        )

    @property
    def peers(self) -> set[str]:
        """The names of the other brokers."""
        return self.membership.peers

    @property
    def suspected(self) -> set[str]:
        """The actors that are not answering at present."""
        return self._links.suspected

    @property
    def targets(self) -> set[str]:
        """The brokers to which users can be moved."""
        return self.peers - self._links.suspected - self.membership.leaving

    @property
    def load(self) -> float:
        """The traffic per second of the users that are here or about to arrive."""
        now = self._now()
        return sum(traffic.need(now) for traffic in self.traffic.values())

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
        """The number of users that this broker knows about, including those that recently left or fell silent."""
        return len(self._directory)

    def can_move(self, user: str) -> bool:
        """Whether the user is here and not already being moved."""
        guest = self._guests.get(user)
        return guest is not None and guest.is_connected and guest.leaving is None and user not in self._registering

    def channels(self, user: str) -> list[str]:
        """The channels to which a user that is here subscribes."""
        return self._guests[user].channels

    def prices(self, user: str) -> Mapping[str, float]:
        """The prices of traffic to brokers, as reported by a user here."""
        return self._guests[user].prices

    def core_rate(self, prices: Mapping[str, float]) -> float:
        """The recent cost per second of the publications that this broker forwarded, given the prices of its links."""
        if not self._forwarded:
            return 0.0
        since, before = self._forwarded[0]
        sent = self.forwarding.amount_sent
        cost = sum((amount - before.get(peer, 0.0)) * prices.get(peer, 0.0) for peer, amount in sent.items())
        return cost / max(self._now() - since, 1.0)

    def _count_forwarded(self) -> None:
        self._forwarded.append((self._now(), dict(self.forwarding.amount_sent)))
        while self._forwarded[0][0] < self._now() - self.window:
            self._forwarded.popleft()

    def tell_all(self, message: Message) -> None:
        """Send a message to all other brokers."""
        self.membership.tell_all(message)

    def _receive(self, source: str, message: Message) -> None:
        getattr(self, f"_on_{message['kind']}")(source, message)

    def _welcome(self, guest: Guest, *, former: list[str] | None = None) -> None:
        self._note(guest.name, guest.visit, self.name, guest.channels)
        self._guests[guest.name] = guest
        self.traffic.setdefault(guest.name, Traffic(self._now(), self.window))
        self.deliveries.note(guest.name)
        placed = {"user": guest.name, "visit": guest.visit, "channels": guest.channels, "former": former}
        self.tell_all({"kind": "placed", **placed})

    def _forget(self, user: str) -> None:
        """Delete the counts and ranges of a user that is no longer served here."""
        self.traffic.pop(user, None)
        self.deliveries.note(user)

    def _part(self, guest: Guest, *, is_goodbye: bool = False) -> None:
        """Stop forwarding to a user that does not answer, never arrived at its new broker, or has left."""
        guest.part(self._now() + (FAREWELL if is_goodbye else REMEMBERED))
        self._forget(guest.name)
        self._directory.send_on(guest.name, self.name)
        self._note_guest(guest)

    def _note_guest(self, guest: Guest) -> None:
        self._directory.note(guest.name, guest.visit, self.name, guest.wanted, self._now())

    def _note(self, user: str, visit: int, broker: str, channels: list[str] | None) -> None:
        """Record where a user is; if that is new information, delete what was known about its previous place."""
        if not self._directory.note(user, visit, broker, channels, self._now()):
            return
        stale = self._guests.pop(user, None)
        if stale is not None:
            stale.end_move(FAILED)
            self._forget(user)
        if user in self._registering and self._registering[user].visit < visit:
            del self._registering[user]
        if user in self._replicas and self._replicas[user].visit < visit:
            del self._replicas[user]

    def _stay(self, guest: Guest, attempt: int) -> None:
        self._links.send(guest.name, {"kind": "stay", "visit": guest.visit, "attempt": attempt})
        if attempt == guest.attempt:
            guest.end_move(FAILED)

    def _count_delivery(self, user: str, publication: Message) -> None:
        if user in self.traffic:
            self.traffic[user].receive(self._now(), self.meter.amount(publication))

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    @abc.abstractmethod
    def _lose(self, actor: str) -> None:
        """Handle a user or broker that does not answer and may be dead, or that has restarted without its memory."""
