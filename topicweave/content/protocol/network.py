"""BrokerNetwork: brokers and users on one transport, with an audit of all deliveries and a method that puts an
assignment into effect.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from topicweave.content.assignment import Assignment
from topicweave.content.protocol.broker import TTL, Broker
from topicweave.content.protocol.delivery_audit import DeliveryAudit
from topicweave.content.protocol.guests import FAILED
from topicweave.content.protocol.user import User
from topicweave.deprecation import warn_renamed
from topicweave.parameters import check_kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from topicweave.content.protocol.transport import Transport
    from topicweave.content.protocol.trees import Trees


class BrokerNetwork:
    """Brokers and users that run together for a while; to be used with ``async with``.

    Parameters
    ----------
    brokers
        Their names.
    users
        For each user its broker and its channels.
    transport
        The transport for packets.
    willing
        Whether a user accepts a move to a broker.
    ttl, trees
        See :class:`Broker`.
    """

    def __init__(
        self,
        brokers: Iterable[str],
        users: Mapping[str, tuple[str, Iterable[str]]],
        transport: Transport,
        *,
        willing: Callable[[str, str], bool] = lambda user, target: True,
        ttl: float = TTL,
        trees: Trees | None = None,
    ) -> None:
        names = list(brokers)
        self._new_broker = partial(Broker, peers=names, transport=transport, ttl=ttl, trees=trees)
        self.audit = DeliveryAudit()
        self.brokers = {name: self._new_broker(name) for name in names}
        self.users = {
            name: User(
                name,
                broker,
                channels,
                transport,
                known=names,
                willing=lambda target, name=name: willing(name, target),  # type: ignore[misc]
                received=lambda publisher, number, channel, body, name=name: self.audit.receive(  # type: ignore[misc]
                    name, publisher, number
                ),
            )
            for name, (broker, channels) in users.items()
        }
        self._wanting: dict[str, list[str]] = {}
        for name, user in self.users.items():
            for channel in user.channels:
                self._wanting.setdefault(channel, []).append(name)

    async def __aenter__(self) -> Self:
        for broker in self.brokers.values():
            await broker.start()
        await asyncio.gather(*(user.start() for user in self.users.values()))
        return self

    async def __aexit__(self, *error: object) -> None:
        for user in self.users.values():
            await user.stop()
        for broker in self.brokers.values():
            await broker.stop()

    def publish(self, user: str, channel: str, body: Any = None) -> None:
        """Let a user publish; the audit records who should receive the publication."""
        receivers = [name for name in self._wanting.get(channel, ()) if name != user]
        self.audit.publish(user, self.users[user].publish(channel, body), receivers)

    @property
    def ledger(self) -> DeliveryAudit:
        """The former name of :attr:`audit`."""
        warn_renamed("Network.ledger", "BrokerNetwork.audit")
        return self.audit

    @property
    def num_dropped(self) -> int:
        """How many publications users received twice and dropped because they knew the number."""
        return sum(user.num_dropped for user in self.users.values())

    def home(self, user: str) -> Broker | None:
        """The broker that can move the user away now; ``None`` during a move."""
        broker = self.brokers.get(self.users[user].broker)
        return broker if broker is not None and broker.can_move(user) else None

    async def move(self, user: str, target: str) -> str:
        """Move a user as soon as possible; returns ``"failed"`` if it is already at the target, or if the target is
        down.
        """
        while (home := self.home(user)) is None:
            await asyncio.sleep(0.005)
        return await home.move(user, target) if home.name != target else FAILED

    async def follow(self, assignment: Assignment) -> dict[str, int]:
        """Move every user to the broker given by an assignment; returns how many moved, declined and failed."""
        check_kind(assignment, Assignment, "follow() needs an Assignment", "make one with content.assign")
        outcomes: dict[str, int] = {}
        for number, user in enumerate(assignment.instance.users):
            target = assignment.instance.brokers[assignment.broker[number]]
            if self.users[user].broker != target:
                outcome = await self.move(user, target)
                outcomes[outcome] = outcomes.get(outcome, 0) + 1
        return outcomes

    async def kill(self, broker: str) -> None:
        """Stop a broker without notice, as in a crash; its users connect to other brokers."""
        await self.brokers.pop(broker).stop()

    async def revive(self, broker: str) -> None:
        """Restart a stopped broker under its old name, without its memory."""
        self.brokers[broker] = self._new_broker(broker)
        await self.brokers[broker].start()

    async def leave(self, user: str) -> bool:
        """Let a user leave; returns whether some broker holds everything that it has published."""
        for wanting in self._wanting.values():
            if user in wanting:
                wanting.remove(user)
        return await self.users.pop(user).leave()

    async def quiet(self, timeout: float = 30.0) -> None:
        """Wait, at most this many seconds, until all publications have arrived and no user is moving."""
        end = asyncio.get_running_loop().time() + timeout
        while asyncio.get_running_loop().time() < end:
            if self.audit.num_arrived >= self.audit.num_expected and all(map(self.home, self.users)):
                break
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.05)  # a repeated packet may still be in flight
