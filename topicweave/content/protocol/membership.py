"""Membership: which brokers exist, and how they join and leave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from topicweave.content.protocol.sessions import Message


class Membership:
    """The brokers that a broker knows about, and what each says about itself (its *card*: address, prices, capacity).

    A broker that joins says *hello* to those it was told of. They answer with all cards they have, so that it can say
    hello to the others. One that leaves says *goodbye*. A broker that dies stays a member and may return.

    Parameters
    ----------
    name, peers
        The broker, and the others as far as it knows.
    send
        Sends a message to another broker.
    changed
        The first of ``listeners``, which are called with the name of a broker that has joined, left, or told
        something new about itself.
    card
        What it tells others about itself.
    """

    def __init__(
        self,
        name: str,
        peers: Iterable[str],
        send: Callable[[str, Message], None],
        changed: Callable[[str], None] = lambda broker: None,
        card: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.peers = {peer for peer in peers if peer != name}
        self.cards: dict[str, Mapping[str, Any]] = {name: dict(card or {})}
        self.is_leaving = False  # whether this broker itself is about to leave
        self.leaving: set[str] = set()  # brokers whose users are moving away
        self._send = send
        self.listeners: list[Callable[[str], None]] = [changed]

    def tell_all(self, message: Message) -> None:
        """Send a message to all other brokers."""
        for peer in sorted(self.peers):
            self._send(peer, message)

    def hello(self) -> None:
        """Announce this broker to those it knows about."""
        self.tell_all({"kind": "hello", "card": self.cards[self.name]})

    def on_hello(self, broker: str, message: Message) -> None:
        """Handle a broker that has joined or reports something new about itself."""
        is_news = broker not in self.peers or self.cards.get(broker) != message["card"]
        self.peers.add(broker)
        self.leaving.discard(broker)
        self.cards[broker] = message["card"]
        if is_news:
            self._tell_listeners(broker)
            self._send(broker, {"kind": "peers", "cards": self.cards, "names": sorted(self.peers)})

    def on_peers(self, source: str, message: Message) -> None:
        """Greet brokers that another broker knows and this one does not."""
        for broker in message["names"]:
            if broker != self.name and broker not in self.peers:
                self.peers.add(broker)
                self._send(broker, {"kind": "hello", "card": self.cards[self.name]})
        for broker, card in message["cards"].items():
            if broker in self.peers and broker not in self.cards:
                self.cards[broker] = card
                self._tell_listeners(broker)

    def on_draining(self, broker: str, message: Message) -> None:
        """Handle a broker that is about to leave: no more users are moved to it."""
        self.leaving.add(broker)

    def on_goodbye(self, broker: str, message: Message) -> None:
        """Handle a broker that has left for good."""
        self.peers.discard(broker)
        self.leaving.discard(broker)
        self.cards.pop(broker, None)
        self._tell_listeners(broker)

    def _tell_listeners(self, broker: str) -> None:
        for listener in self.listeners:
            listener(broker)
