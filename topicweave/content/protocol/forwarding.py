"""Forwarding: passes publications on from broker to broker along trees, around brokers that do not answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from topicweave.content.protocol.sessions import Message
    from topicweave.content.protocol.trees import Branches, Trees

# user -> number of the previous publication that the same user should get, and the latest visit of the user that the
# sender knows: it tells to which channels the user subscribed then
Receivers = Mapping[str, Sequence[int]]


class Forwarding:
    """Sends publications to brokers, each over every link of its tree once.

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
    """

    def __init__(
        self,
        name: str,
        trees: Trees,
        send: Callable[[str, Message], None],
        deliver: Callable[[Receivers, Message], None],
        suspected: Collection[str],
    ) -> None:
        self.name = name
        self.trees = trees
        self.num_sent = Counter[str]()  # publications sent along trees, by the broker they were sent to
        self._send = send
        self._deliver = deliver
        self._suspected = suspected

    def publish(self, publication: Message, receivers: Mapping[str, Receivers]) -> None:
        """Send a publication from here to the receivers at each broker."""
        here = receivers.get(self.name)
        if here:
            self._deliver(here, publication)
        targets = frozenset(receivers)
        if here is None or len(targets) > 1:
            branches = self.trees.branches(self.name, targets, self._suspected)
            self._pass_on(publication, _with_receivers(branches, receivers))

    def on_forward(self, message: Message) -> None:
        """Handle a publication that came from another broker: deliver it here, and pass it on."""
        self._deliver(message["users"], message["publication"])
        self._pass_on(message["publication"], message.get("next", ()))

    def _pass_on(self, publication: Message, branches: Any) -> None:
        for broker, users, further in branches:
            if broker in self._suspected and further:
                # it may be dead, so those behind it get the publication from here; what it lacks it will ask for
                self._pass_on(publication, [[broker, users, []], *further])
                continue
            message = {"kind": "forward", "users": users, "publication": publication}
            self.num_sent[broker] += 1
            self._send(broker, message | {"next": further} if further else message)


def _with_receivers(branches: Branches, receivers: Mapping[str, Receivers]) -> list[Any]:
    """A tree as it is sent: for every broker its name, the receivers there, and the branches behind it."""
    return [[broker, receivers.get(broker, {}), _with_receivers(further, receivers)] for broker, further in branches]
