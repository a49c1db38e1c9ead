"""Forwarding: passes publications from broker to broker along trees, bypassing brokers that do not answer."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from topicweave.content.protocol.sessions import Message
    from topicweave.content.protocol.traffic import Meter
    from topicweave.content.protocol.trees import Branches, Trees

# user -> number of the previous publication meant for the same user, and the user's latest visit that the sender knew
# about (which says what the user then subscribed to)
Receivers = Mapping[str, Sequence[int]]


class Forwarding:
    """Sends publications to other brokers, once over each link of the tree.

    Parameters
    ----------
    name
        The broker that forwards.
    trees
        Computes the trees.
    send
        Sends a message to another broker.
    deliver
        Called with the receivers at this broker and the publication.
    suspected
        The actors that are suspected to be dead at present.
    meter
        Says how much traffic a publication is.
    """

    def __init__(
        self,
        name: str,
        trees: Trees,
        send: Callable[[str, Message], None],
        deliver: Callable[[Receivers, Message], None],
        suspected: Collection[str],
        meter: Meter,
    ) -> None:
        self.name = name
        self.trees = trees
        self.num_sent = Counter[str]()  # number of publications sent along trees, by the broker they were sent to
        self.amount_sent: defaultdict[str, float] = defaultdict(float)  # the same, as traffic
        self._send = send
        self._deliver = deliver
        self._suspected = suspected
        self._meter = meter

    def publish(self, publication: Message, receivers: Mapping[str, Receivers]) -> None:
        """Send a publication from this broker to the receivers at each of the others."""
        here = receivers.get(self.name)
        if here:
            self._deliver(here, publication)
        targets = frozenset(receivers)
        if here is None or len(targets) > 1:
            branches = self.trees.branches(self.name, targets, self._suspected)
            self._pass_on(publication, _with_receivers(branches, receivers))

    def on_forward(self, message: Message) -> None:
        """Handle a publication from another broker: deliver it here and pass it on."""
        self._deliver(message["users"], message["publication"])
        self._pass_on(message["publication"], message.get("next", ()))

    def _pass_on(self, publication: Message, branches: Any) -> None:
        for broker, users, further in branches:
            if broker in self._suspected and further:
                # the relay may be dead, so the brokers behind it get the publication directly; if it is alive, it will
                # ask for what it missed
                self._pass_on(publication, [[broker, users, []], *further])
                continue
            message = {"kind": "forward", "users": users, "publication": publication}
            self.num_sent[broker] += 1
            self.amount_sent[broker] += self._meter.amount(publication)
            self._send(broker, message | {"next": further} if further else message)


def _with_receivers(branches: Branches, receivers: Mapping[str, Receivers]) -> list[Any]:
    """A tree in the form in which it is sent: for each broker its name, the receivers there, and the branches behind
    it.
    """
    return [[broker, receivers.get(broker, {}), _with_receivers(further, receivers)] for broker, further in branches]
