"""Adapting an assignment after some users have changed: time and cost, compared with a new assignment."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from benchmarks.checks import Row, at_most
from benchmarks.content_quality import MARKETS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.lab import Demand, Lab

CHANGED = 0.05  # the share of users that have left, and as many are new


@dataclass(frozen=True)
class Adapting:
    """CPU time and cost of ``adapt`` after 5 % of the users have changed, divided by the time and cost of ``best`` with
    the same core; ``best`` also made the earlier assignment.
    """

    sizes: tuple[tuple[int, int], ...] = ((1_000, 10), (3_000, 30))
    ratios: tuple[float, ...] = (0.1, 1.0, 10.0)
    cores: tuple[str, ...] = ("steiner",)
    num_instances: int = 5

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        sizes = ((60, 4),) if lab.quick else self.sizes
        for (users, brokers), market, core, ratio in product(sizes, MARKETS, self.cores, self.ratios):
            where = f"{market} market, {users:,} users, {brokers} brokers, price ratio {ratio:g}, {core}"
            found = []
            for seed in range(2 if lab.quick else self.num_instances):
                lab.tell(f"{where}, instance {seed}")
                found.append(adapted(market, users, brokers, ratio, core, seed))
                lab.tell(None)
            seconds, costs = ([one[name] for one in found] for name in ("time", "cost"))
            yield Row(
                f"CPU time of adapt / best: {where}", statistics.median(seconds), bar=at_most(0.1),
                detail=f"from {min(seconds):.3f} to {max(seconds):.3f}",
            )  # fmt: skip
            moves = statistics.mean(one["moves"] for one in found)
            yield Row(
                f"cost of adapt / best, mean: {where}", statistics.mean(costs), bar=at_most(1.02),
                detail=f"from {min(costs):.4f} to {max(costs):.4f}; {moves:,.0f} users moved on average",
            )  # fmt: skip


def adapted(market: str, num_users: int, num_brokers: int, ratio: float, core: str, seed: int) -> dict[str, float]:
    """Time and cost of ``adapt``, divided by those of ``best``, and how many users it moved."""
    before, after = changed_instances(market, num_users, num_brokers, ratio, seed)
    small = MARKETS[market](30, min(num_brokers, 20))
    tw.content.adapt(small, tw.content.assign(small, core=core))  # compile and load
    earlier = tw.content.assign(before, core=core, seed=seed)
    start = time.process_time()
    found = tw.content.adapt(after, earlier)
    between = time.process_time()
    made = tw.content.assign(after, core=core, seed=seed)
    end = time.process_time()
    return {
        "time": (between - start) / (end - between),
        "cost": found.assignment.cost.total / made.cost.total,
        "moves": len(found.moves),
    }


def changed_instances(
    market: str, num_users: int, num_brokers: int, ratio: float, seed: int
) -> tuple[tw.content.Instance, tw.content.Instance]:
    """Two instances with the same brokers and the same number of users, of whom 5 % differ."""
    new = round(CHANGED * num_users)
    whole = MARKETS[market](num_users + new, num_brokers, price_ratio=ratio, seed=seed)
    names = [f"user {number}" for number in range(num_users + new)]

    def part(first: int, last: int, **more: Any) -> tw.content.Instance:
        arrays = {name: getattr(whole, name)[first:last] for name in ("publish", "subscribe", "access_price")}
        return whole.replace(**arrays, users=names[first:last], **more)

    free = part(0, num_users, capacity=np.inf), part(new, num_users + new, capacity=np.inf)
    capacity = max(2 * max(one.need.sum() for one in free) / num_brokers, *(one.need.max() for one in free))
    one, other = free
    return one.replace(capacity=capacity), other.replace(capacity=capacity)
