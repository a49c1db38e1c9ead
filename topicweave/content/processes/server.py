"""Server: one broker of a planned network as a process, which makes its own decisions and serves metrics and state over
HTTP.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from typing import TYPE_CHECKING, Any

from topicweave.content.processes.metrics import metrics_text
from topicweave.content.processes.names import user_name
from topicweave.content.processes.sockets import BROKER, Sockets
from topicweave.content.processes.web import Web
from topicweave.content.protocol.adviser import Adviser, GuestFacts
from topicweave.content.protocol.broker import Broker
from topicweave.content.protocol.placement import Placement
from topicweave.content.protocol.traffic import WINDOW
from topicweave.errors import InputError

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping

    from topicweave.content.processes.limits import Limits
    from topicweave.content.processes.network_plan import NetworkPlan


class Server:
    """A broker that listens at the address given in the plan.

    Parameters
    ----------
    plan
        The network.
    name
        Which of its brokers this is.
    token, tls, server_tls, limits
        See :class:`topicweave.content.processes.sockets.Sockets`.
    web
        ``"host:port"`` for metrics and state over HTTP; none by default.
    window
        Over how many seconds rates are averaged.
    is_deciding
        Whether the broker asks its users to move when that lowers the cost.
    """

    def __init__(
        self,
        plan: NetworkPlan,
        name: str,
        *,
        token: str = "",
        tls: ssl.SSLContext | None = None,
        server_tls: ssl.SSLContext | None = None,
        limits: Limits | None = None,
        web: str | None = None,
        window: float = WINDOW,
        is_deciding: bool = True,
    ) -> None:
        if name not in plan.addresses:
            raise InputError(f"There is no broker {name!r} in the plan; there are {', '.join(plan.brokers)}.")
        self.plan = plan
        self.name = name
        self.sockets = Sockets(
            BROKER, plan.addresses, token=token, tls=tls, server_tls=server_tls, limits=limits, about=_about(plan)
        )
        self.broker = Broker(
            name,
            plan.brokers,
            self.sockets,
            trees=plan.trees(),
            capacity=plan.capacity.get(name, float("inf")),
            unit=plan.unit,
            window=window,
            card={"address": plan.addresses[name]},
        )
        self.broker.membership.listeners.append(self._member_changed)
        self.placement: Placement | None = None
        if is_deciding:
            adviser = Adviser(name, plan.brokers, plan.core_price, plan.core, plan.tree)
            self.placement = Placement(self.broker, adviser, self._prices, window=window)
        self._web = None if web is None else Web(web, {"/metrics": self._metrics, "/state": self.state})

    async def start(self, *, is_joining: bool = True) -> None:
        """Listen, and announce this broker to the others."""
        await asyncio.to_thread(self._load)
        await self.broker.start(is_joining=is_joining)
        if self.placement is not None:
            self.placement.start()
        if self._web is not None:
            await self._web.start()

    def _load(self) -> None:
        """Load compiled code before anyone depends on this broker, because that takes seconds on a busy machine."""
        self.broker.forwarding.trees.branches(self.name, frozenset(self.plan.brokers))
        if self.placement is not None:
            others = [name for name in self.plan.brokers if name != self.name]
            guest = GuestFacts({"": 1.0}, [""], 2.0, dict.fromkeys(self.plan.brokers, 1.0))
            self.placement.adviser.propose({"": guest}, others)

    async def stop(self) -> None:
        """Stop at once; users switch to other brokers."""
        if self.placement is not None:
            await self.placement.stop()
        await self.broker.stop()
        if self._web is not None:
            await self._web.stop()

    async def drain(self) -> None:
        """First move users to the cheapest other brokers that have room, then stop."""
        await self.broker.drain(self._next_broker)
        await self.stop()

    def _prices(self, user: str) -> Mapping[str, float]:
        return self.plan.prices.get(self._user_name(user)) or self.broker.prices(user)

    def _user_name(self, wire: str) -> str:
        return user_name(wire, self.plan.addresses)

    def _next_broker(self, user: str) -> str | None:
        """The cheapest broker for a user among the brokers that had room when they last reported."""
        prices = self._prices(user)
        reports = self.placement.adviser.reports if self.placement is not None else {}
        need = self.broker.traffic[user].need(asyncio.get_running_loop().time()) if user in self.broker.traffic else 0.0
        room = [
            target
            for target in sorted(self.broker.targets)
            if target not in reports or reports[target].load + need <= reports[target].capacity
        ]
        return min(room, key=lambda target: prices.get(target, float("inf")), default=None)

    def _member_changed(self, broker: str) -> None:
        """Store the address of a broker that has joined, and delete that of one that has left."""
        card = self.broker.membership.cards.get(broker)
        if card is None:
            self.sockets.addresses.pop(broker, None)
        elif isinstance(card.get("address"), str):
            self.sockets.addresses[broker] = card["address"]

    def state(self) -> tuple[str, Any]:
        """The state of this broker, as shown on the network's page."""
        broker, placement = self.broker, self.placement
        now = asyncio.get_running_loop().time()
        guests = placement.guests() if placement is not None else {}
        access = sum(guest.need * guest.prices.get(self.name, 0.0) for guest in guests.values())
        moves = [] if placement is None else list(placement.latest)[-20:]
        state = {
            "name": self.name,
            "address": self.plan.addresses[self.name],
            "unit": broker.meter.unit,
            "load": broker.load,
            "capacity": broker.capacity if broker.capacity != float("inf") else None,
            "users": {
                self._user_name(user): broker.traffic[user].need(now)
                for user in sorted(broker.users)
                if user in broker.traffic
            },
            "suspected": sorted(broker.suspected & broker.peers),
            "peers": sorted(broker.peers),
            "access": access,
            "core": broker.core_rate(self._core_prices()),
            "moved": 0 if placement is None else placement.num_moved,
            "saved": 0.0 if placement is None else placement.saved,
            "moves": [
                {"ago": now - time, "user": self._user_name(user), "from": a, "to": b, "saved": saved}
                for time, user, a, b, saved in moves
            ],
            "expected": dict(self.plan.expected),
        }
        return "application/json", state

    def _core_prices(self) -> dict[str, float]:
        here = self.plan.brokers.index(self.name)
        return dict(zip(self.plan.brokers, self.plan.core_price[here], strict=True))

    def _metrics(self) -> tuple[str, Any]:
        return "text/plain; version=0.0.4; charset=utf-8", metrics_text(self)


def _about(plan: NetworkPlan) -> dict[str, Any]:
    """What a client learns about the network when it connects."""
    return {"edges": {name: list(borders) for name, borders in plan.edges.items()}} if plan.edges else {}


async def serve(server: Server, *, until_eof: bool = False) -> None:
    """Serve until the process is told to end: after SIGTERM users move away first; a second signal or Ctrl-C ends it at
    once, and so does the end of the standard input if ``until_eof`` is true.
    """
    loop = asyncio.get_running_loop()
    asked, again = asyncio.Event(), asyncio.Event()
    await server.start()

    def on_term() -> None:
        (again if asked.is_set() else asked).set()

    def on_interrupt() -> None:
        asked.set()
        again.set()

    for number, handler in ((signal.SIGTERM, on_term), (signal.SIGINT, on_interrupt)):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, handler)
    if until_eof:
        await loop.connect_read_pipe(lambda: _AtEnd(on_interrupt), sys.stdin)
    try:
        await asked.wait()
        draining = asyncio.ensure_future(server.drain() if not again.is_set() else server.stop())
        ending = asyncio.ensure_future(again.wait())
        await asyncio.wait({draining, ending}, return_when=asyncio.FIRST_COMPLETED)
        if not draining.done():
            draining.cancel()
            await asyncio.gather(draining, return_exceptions=True)
            await server.stop()
        ending.cancel()
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(number)


class _AtEnd(asyncio.Protocol):
    """Calls a function when what is read has ended."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def connection_lost(self, error: Exception | None) -> None:
        """Called by asyncio."""
        self._call()
