"""Adviser: what a broker knows about all traffic, and which of its users it would ask to move, and where to.

This is the distributed algorithm of CONTENT §IV-C. A broker knows for each of its users what it publishes, receives and
subscribes to, and the prices of links from the user to all brokers; and for every other broker, from its last report,
how much its users publish on each channel, how many of them subscribe to it, its load and its capacity. So it can price
a move by the difference that it makes: each user, those with most traffic first, goes to the broker where it lowers the
cost most.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from topicweave.content.core import CORES, DEFAULT_CORE, check_core, core_pricing, spanning_tree
from topicweave.content.instance import Instance
from topicweave.content.protocol.move_table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from topicweave.content.protocol.sessions import Message
    from topicweave.kernels.content.reach import Pricing

HYSTERESIS = 0.02  # a user is asked to move only if that saves at least this share of what it costs now


@dataclass(frozen=True)
class GuestFacts:
    """What a broker knows about one of its users.

    Attributes
    ----------
    published
        The rate at which it publishes, by channel.
    channels
        The channels to which it subscribes.
    need
        The rate at which it sends and receives.
    prices
        The price of a unit of traffic to each broker that it can reach.
    """

    published: Mapping[str, float]
    channels: Collection[str]
    need: float
    prices: Mapping[str, float]


@dataclass
class Report:
    """The totals over a broker's users, which it reports to the others."""

    published: dict[str, float] = field(default_factory=dict)
    wanted: dict[str, int] = field(default_factory=dict)
    load: float = 0.0
    capacity: float = math.inf

    @classmethod
    def of(cls, guests: Iterable[GuestFacts], capacity: float) -> Report:
        """The totals over some users."""
        report = cls(capacity=capacity)
        for guest in guests:
            report.change(guest, 1)
        return report

    def change(self, guest: GuestFacts, sign: int) -> None:
        """Add a user (``sign`` 1) or remove it (-1)."""
        for channel, rate in guest.published.items():
            self.published[channel] = max(self.published.get(channel, 0.0) + sign * rate, 0.0)
        for channel in guest.channels:
            self.wanted[channel] = max(self.wanted.get(channel, 0) + sign, 0)
        self.load = max(self.load + sign * guest.need, 0.0)

    def message(self) -> Message:
        """The report in a form that can be sent; an unlimited capacity becomes ``None``."""
        return {
            "published": {channel: rate for channel, rate in self.published.items() if rate > 0},
            "wanted": {channel: count for channel, count in self.wanted.items() if count > 0},
            "load": self.load,
            "capacity": self.capacity if math.isfinite(self.capacity) else None,
        }

    @classmethod
    def heard(cls, message: Mapping[str, Any]) -> Report:
        """Rebuild a report from a message."""
        capacity = message["capacity"]
        published, wanted = dict(message["published"]), dict(message["wanted"])
        return cls(published, wanted, message["load"], math.inf if capacity is None else capacity)


class Proposal(NamedTuple):
    """A user that would be cheaper at another broker, and the cost per second that moving it saves."""

    user: str
    target: str
    saved: float


class Adviser:
    """Proposes moves for a broker's users.

    Parameters
    ----------
    name
        The broker.
    brokers, core_price, core, tree
        As for :class:`topicweave.content.protocol.trees.PlannedTrees`.
    hysteresis
        The share of its own cost that a user's move must save.
    """

    def __init__(
        self,
        name: str,
        brokers: Sequence[str],
        core_price: ArrayLike,
        core: str = DEFAULT_CORE,
        tree: ArrayLike | None = None,
        *,
        hysteresis: float = HYSTERESIS,
    ) -> None:
        self.name = name
        self.brokers = tuple(brokers)
        self.hysteresis = hysteresis
        self.reports: dict[str, Report] = {}
        self._numbers = {broker: number for number, broker in enumerate(self.brokers)}
        self._core = check_core(core)
        self._core_price = np.array(core_price, dtype=np.float64)
        self._tree = tree

    @cached_property
    def _pricing(self) -> Pricing:
        """How to price traffic between brokers; computed on first use, because it needs compiled code that a starting
        broker should not wait for.
        """
        count = len(self.brokers)
        prices = Instance([[0.0]], [[False]], np.zeros((1, count)), self._core_price, np.inf, brokers=self.brokers)
        is_missing = self._core == "tree" and self._tree is None
        return core_pricing(prices, self._core, spanning_tree(prices) if is_missing else self._tree)

    def hear(self, broker: str, message: Mapping[str, Any]) -> None:
        """Store what a broker reports: its users' traffic, and which users it has just sent to others."""
        self.reports[broker] = Report.heard(message)
        for moved in message.get("moved", ()):
            target = moved["target"]
            if target in self.reports and target != self.name:
                self.reports[target].change(facts_of(moved), 1)

    def forget(self, broker: str) -> None:
        """Delete the report of a broker that has left or died."""
        self.reports.pop(broker, None)

    def propose(
        self, guests: Mapping[str, GuestFacts], targets: Collection[str], resting: Collection[str] = ()
    ) -> list[Proposal]:
        """Moves that lower the cost, in the order in which they should be made.

        Parameters
        ----------
        guests
            The users of this broker.
        targets
            The brokers to which users can be moved now.
        resting
            Users that are not to be moved now.
        """
        here = self._numbers.get(self.name)
        if here is None or not guests:
            return []
        names = list(guests)
        facts = [guests[name] for name in names]
        published, subscribers, load, limit, numbers = self._tables(facts, targets)
        count, num_brokers = len(names), len(self.brokers)
        rate = np.zeros((count, len(numbers)))
        access = np.full((count, num_brokers), np.inf)
        total_wanted = subscribers.sum(axis=1)
        wanted: list[list[int]] = []
        for i, guest in enumerate(facts):
            for target, price in guest.prices.items():
                if target in self._numbers:
                    access[i, self._numbers[target]] = price
            own = {numbers[channel] for channel in guest.channels}
            wanted.append(sorted(own))
            for channel, amount in guest.published.items():
                c = numbers[channel]
                rate[i, c] = amount if total_wanted[c] > (c in own) else 0.0
        need = np.array([guest.need for guest in facts])
        is_known = np.isfinite(access[:, here])
        order = np.argsort(-need, kind="stable")
        is_resting = np.array([name in resting for name in names])
        order = order[is_known[order] & ~is_resting[order]].astype(np.int64)
        table = Table(
            self._pricing,
            CORES.index(self._core),
            here,
            access,
            need,
            rate,
            wanted,
            limit,
            load,
            published,
            subscribers,
        )
        return [
            Proposal(names[user], self.brokers[target], saved)
            for user, target, saved in table.moves(order, self.hysteresis)
        ]

    def _tables(
        self, facts: list[GuestFacts], targets: Collection[str]
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], dict[str, int]]:
        """Publishing rates and subscribers (channels × brokers), loads, limits, and the numbers of channels."""
        reports = {name: report for name, report in self.reports.items() if name in self._numbers}
        reports[self.name] = Report.of(facts, math.inf)
        numbers: dict[str, int] = {}
        for report in reports.values():
            for channel in (*report.published, *report.wanted):
                numbers.setdefault(channel, len(numbers))
        shape = len(numbers), len(self.brokers)
        published, subscribers = np.zeros(shape), np.zeros(shape, dtype=np.int32)
        load, limit = np.zeros(len(self.brokers)), np.full(len(self.brokers), -np.inf)
        for name, report in reports.items():
            j = self._numbers[name]
            for channel, rate in report.published.items():
                published[numbers[channel], j] = rate
            for channel, count in report.wanted.items():
                subscribers[numbers[channel], j] = count
            load[j] = report.load
            if name in targets:
                limit[j] = report.capacity
        return published, subscribers, load, limit, numbers


def facts_of(message: Mapping[str, Any]) -> GuestFacts:
    """The facts about a user that was sent to another broker, taken from a report."""
    return GuestFacts(message["published"], message["channels"], message["need"], {})


def moved_message(guest: GuestFacts, target: str) -> Message:
    """What a report says about a user that was sent to another broker; the inverse of :func:`facts_of`."""
    published, channels = dict(guest.published), list(guest.channels)
    return {"target": target, "published": published, "channels": channels, "need": guest.need}
