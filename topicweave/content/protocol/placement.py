"""Placement: brokers take turns asking their users to move, each on the basis of what it knows (CONTENT §IV-C).

Whoever has the turn proposes moves, makes them, and then reports to all others what its users publish and want, which
users it has sent where, and whose turn is next: one message to each other broker. If nothing is heard of a turn for
long, because the broker that had it has died, the next one in the order of names takes it. Two brokers that hold the
turn at the same time do no harm: a broker takes in a user only within its own capacity.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from topicweave.content.protocol.adviser import GuestFacts, Report, facts_of, moved_message
from topicweave.content.protocol.guests import MOVED
from topicweave.content.protocol.links import end

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from topicweave.content.protocol.adviser import Adviser, Proposal
    from topicweave.content.protocol.broker import Broker
    from topicweave.content.protocol.sessions import Message

TURNS_PER_WINDOW = 2  # how many turns each broker gets during one window of the traffic counts
MOST_MOVES = 3  # how often a user may be moved within REST windows
REST = 10
AT_ONCE = 16  # how many users may be moving at the same time
LATE = 3.0  # a turn counts as lost after this many times its length, plus some more for every broker in between
LEAST_PAUSE = 0.05


class Placement:
    """Lets a broker improve the placement of its users while the network runs.

    Parameters
    ----------
    broker
        The broker.
    adviser
        Proposes moves.
    prices
        Returns for a user the price of a unit of traffic to each broker that it can reach.
    window
        Over how many seconds rates are averaged; a broker moves nobody before it has counted for half a window.
    """

    def __init__(
        self,
        broker: Broker,
        adviser: Adviser,
        prices: Callable[[str], Mapping[str, float]],
        *,
        window: float,
    ) -> None:
        self.broker = broker
        self.adviser = adviser
        self.prices = prices
        self.window = window
        self.num_moved = self.num_refused = 0
        self.saved = 0.0  # the total saving of all moves, each as estimated when it was made
        self.latest: deque[tuple[float, str, str, str, float]] = deque(maxlen=200)  # time, user, from, to, saved
        self.turn = 0  # the number of the latest turn that this broker has heard about
        self._next = ""
        self._heard = 0.0
        self._since = 0.0
        self._wake = asyncio.Event()
        self._moved: dict[str, deque[float]] = {}
        self._task: asyncio.Task[None] | None = None
        broker.advice = self._hear

    def start(self) -> None:
        """Start taking turns."""
        self._heard = self._since = self._now()
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def stop(self) -> None:
        """Stop taking turns."""
        await end(self._task)

    @property
    def pause(self) -> float:
        """The number of seconds between two turns."""
        return max(self.window / (TURNS_PER_WINDOW * (len(self.broker.peers) + 1)), LEAST_PAUSE)

    def guests(self) -> dict[str, GuestFacts]:
        """What this broker knows about its users."""
        now, found = self._now(), {}
        for user in self.broker.users:
            traffic = self.broker.traffic[user]
            found[user] = GuestFacts(
                traffic.published(now), self.broker.channels(user), traffic.need(now), self.prices(user)
            )
        return found

    def report(self) -> Report:
        """The totals over this broker's users, for the others."""
        report = Report.of(self.guests().values(), self.broker.capacity)
        report.load = max(report.load, self.broker.load)
        return report

    def _hear(self, broker: str, message: Message) -> None:
        self.adviser.hear(broker, message)
        for moved in message["moved"]:
            self._moved.setdefault(moved["user"], deque()).append(self._now())
        if message["turn"] >= self.turn:
            self.turn, self._next, self._heard = message["turn"], message["next"], self._now()
            self._wake.set()

    async def _run(self) -> None:
        while True:
            wait = self._heard + self._patience() - self._now()
            self._wake.clear()
            try:
                async with asyncio.timeout(max(wait, LEAST_PAUSE)):
                    await self._wake.wait()
                continue
            except TimeoutError:
                pass
            if self._now() - self._since >= self.window / 2:
                await self._take_turn()
            else:
                self._tell([])  # nothing is known about traffic yet

    def _patience(self) -> float:
        """How long to wait before taking the turn: if the turn is ours, only until the next pause ends, otherwise
        longer.
        """
        order = self._order()
        if self._next == self.broker.name or len(order) == 1:
            return self.pause
        distance = (order.index(self.broker.name) - self._position(order)) % len(order)
        return self.pause * LATE * (1 + distance)

    def _order(self) -> list[str]:
        return sorted({self.broker.name, *self.broker.targets})

    def _position(self, order: list[str]) -> int:
        """The position of the broker whose turn it is; if that broker is gone, of the one after it."""
        return next((number for number, name in enumerate(order) if name >= self._next), 0)

    async def _take_turn(self) -> None:
        guests = self.guests()
        for known in list(self.adviser.reports):
            if known not in self.broker.peers:
                self.adviser.forget(known)
        proposals = self.adviser.propose(guests, self.broker.targets, self._resting())
        limit = asyncio.Semaphore(AT_ONCE)
        outcomes = await asyncio.gather(*(self._move(proposal, limit) for proposal in proposals))
        done = [proposal for proposal, outcome in zip(proposals, outcomes, strict=True) if outcome == MOVED]
        self.num_moved += len(done)
        self.num_refused += len(proposals) - len(done)
        moved = [moved_message(guests[one.user], one.target) | {"user": one.user} for one in done]
        now = self._now()
        for one, message in zip(done, moved, strict=True):
            self.saved += one.saved
            self.latest.append((now, one.user, self.broker.name, one.target, one.saved))
            if one.target in self.adviser.reports:
                self.adviser.reports[one.target].change(facts_of(message), 1)
        self._tell(moved)

    async def _move(self, proposal: Proposal, limit: asyncio.Semaphore) -> str:
        async with limit:
            return await self.broker.move(proposal.user, proposal.target)

    def _resting(self) -> set[str]:
        """Users that have moved so often recently that they are left alone."""
        since = self._now() - REST * self.window
        for user, times in list(self._moved.items()):
            while times and times[0] < since:
                times.popleft()
            if not times:
                del self._moved[user]
        return {user for user, times in self._moved.items() if len(times) >= MOST_MOVES}

    def _tell(self, moved: list[Message]) -> None:
        """Report to all other brokers and pass on the turn."""
        order = self._order()
        self._next = order[(order.index(self.broker.name) + 1) % len(order)]
        self.turn += 1
        self._heard = self._now()
        for one in moved:
            self._moved.setdefault(one["user"], deque()).append(self._heard)
        report = self.report().message() | {"moved": moved, "turn": self.turn, "next": self._next}
        self.broker.tell_all({"kind": "report", **report})

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
