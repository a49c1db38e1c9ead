"""Compares brokers that decide for themselves with central methods: cost window by window, moves, and recovery from
drift.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import topicweave as tw
from benchmarks.checks import Row, at_least, at_most
from topicweave.content.capacity import equal_capacity
from topicweave.content.protocol.adviser import Adviser, GuestFacts, Report, facts_of, moved_message
from topicweave.content.protocol.placement import MOST_MOVES, TURNS_PER_WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from benchmarks.lab import Demand, Lab
    from topicweave.content import Instance

WINDOWS = 5
LEAST_SAVING = 0.001  # if the best method saves less than this share, there is nothing to recover
MARKETS = {"dense": tw.content.evaluation_instance, "sparse": tw.content.sparse_instance}


class Rehearsal:
    """The advisers of all brokers of an instance, which take turns as in a running network.

    Rates are known exactly, and moves succeed at once unless the target has no room.
    """

    def __init__(self, instance: Instance, broker: NDArray[np.int64]) -> None:
        self.instance = instance
        self.broker = broker.copy()
        self.num_moves = np.zeros(instance.num_users, dtype=np.int64)
        self.num_messages = 0
        self._advisers = [Adviser(name, instance.brokers, instance.core_price) for name in instance.brokers]
        self._facts = _facts(instance)
        for number in range(instance.num_brokers):
            self._tell(number, [])

    @property
    def cost(self) -> float:
        """The cost of the present placement."""
        return tw.content.cost(self.instance, self.broker).total

    def window(self) -> float:
        """Give every broker its turns of one window; returns the cost afterwards."""
        for _ in range(TURNS_PER_WINDOW):
            for number in range(self.instance.num_brokers):
                self._turn(number)
        return self.cost

    def _guests(self, number: int) -> dict[str, GuestFacts]:
        users = self.instance.users
        return {users[i]: self._facts[users[i]] for i in np.flatnonzero(self.broker == number)}

    def _turn(self, number: int) -> None:
        instance, adviser = self.instance, self._advisers[number]
        guests = self._guests(number)
        resting = {user for user in guests if self.num_moves[instance.user_numbers[user]] >= MOST_MOVES}
        others = [name for name in instance.brokers if name != adviser.name]
        moved = []
        for user, target, _ in adviser.propose(guests, others, resting):
            i, there = instance.user_numbers[user], instance.brokers.index(target)
            load = float(instance.need[self.broker == there].sum())
            if load + instance.need[i] <= instance.limit[there]:
                self.broker[i] = there
                self.num_moves[i] += 1
                moved.append(moved_message(guests[user], target))
                adviser.reports[target].change(facts_of(moved[-1]), 1)
        self._tell(number, moved)

    def _tell(self, number: int, moved: list[dict[str, object]]) -> None:
        name = self.instance.brokers[number]
        report = Report.of(self._guests(number).values(), float(self.instance.limit[number])).message()
        for adviser in self._advisers:
            if adviser.name != name:
                adviser.hear(name, report | {"moved": moved})
                self.num_messages += 1


def _facts(instance: Instance) -> dict[str, GuestFacts]:
    channels, brokers = instance.channels, instance.brokers
    return {
        user: GuestFacts(
            {channels[c]: float(instance.rate[i, c]) for c in np.flatnonzero(instance.rate[i])},
            [channels[c] for c in np.flatnonzero(instance.subscribe[i])],
            float(instance.need[i]),
            dict(zip(brokers, instance.access_price[i].tolist(), strict=True)),
        )
        for i, user in enumerate(instance.users)
    }


def drifted(instance: Instance, seed: int) -> Instance:
    """The same users after a third of them have exchanged the channels they publish on, with rates multiplied by 0.1 to
    10; capacities are again twice the demand.
    """
    rng = np.random.default_rng(seed)
    some = rng.permutation(instance.num_users)[: instance.num_users // 3]
    publish = instance.publish.copy()
    publish[some] = publish[np.roll(some, 1)] * np.exp(rng.uniform(np.log(0.1), np.log(10.0), (len(some), 1)))
    free = instance.replace(publish=publish, capacity=np.inf)
    return free.replace(capacity=equal_capacity(free, 2.0))


@dataclass(frozen=True)
class Distributed:
    """The cost that brokers reach by themselves in five windows from a random placement, and then after a drift."""

    market: str
    num_users: int = 1_000
    num_brokers: int = 10
    seeds: int = 3

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        users, brokers = (60, 5) if lab.quick else (self.num_users, self.num_brokers)
        for seed in range(1 if lab.quick else self.seeds):
            instance = MARKETS[self.market](users, brokers, seed=seed)
            lab.tell(f"{self.market}, seed {seed}")
            start = tw.content.assign(instance, "random", seed=seed)
            network = Rehearsal(instance, start.broker)
            costs = [network.window() for _ in range(WINDOWS)]
            migrated = tw.content.assign(instance, "migrate", start=start).cost.total
            best = tw.content.assign(instance, "best").cost.total
            what = f"{self.market}, {users:,} users, {brokers} brokers, seed {seed}"
            windows = " ".join(f"{cost / migrated:.3f}" for cost in costs)
            yield Row(f"cost / migrate: {what}", costs[-1] / migrated, bar=at_most(1.05), detail=f"by window {windows}")
            yield Row(f"cost / best: {what}", costs[-1] / best, bar=at_most(1.10))
            most, mean = int(network.num_moves.max()), float(network.num_moves.mean())
            detail = f"mean {mean:.2f}; {network.num_messages:,} reports"
            yield Row(f"most moves of a user: {what}", most, "", bar=at_most(3), detail=detail)
            yield self._drift(instance, seed, what)
            lab.tell(None)

    def _drift(self, instance: Instance, seed: int, what: str) -> Row:
        """Starting from the best placement before the drift: how much of what ``best`` would save is saved within five
        windows?
        """
        changed = drifted(instance, seed)
        network = Rehearsal(changed, tw.content.assign(instance, "best").broker)
        before = network.cost
        costs = [network.window() for _ in range(WINDOWS)]
        best = tw.content.assign(changed, "best").cost.total
        gain = before - best
        shares = [(before - cost) / gain if gain > 0 else 1.0 for cost in costs]
        windows = " ".join(f"{share:.2f}" for share in shares)
        detail = f"by window {windows}; best saves {gain / before:.2%}"
        matters = gain > LEAST_SAVING * before
        return Row(
            f"recovered after a drift: {what}", shares[-1], bar=at_least(0.9) if matters else None, detail=detail
        )
