"""A lower bound on the cost of any assignment, cheap enough for every size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from topicweave.content.instance import Instance


@dataclass(frozen=True)
class LowerBound:
    """No assignment has less access cost, less core cost, or less of both together."""

    access: float
    core: float

    @property
    def total(self) -> float:
        return self.access + self.core


def lower_bound(instance: Instance) -> LowerBound:
    """Bound the cost of every assignment within capacity from below.

    Access: every user at its cheapest broker. Core: the subscribers of a channel need a number of brokers, for they
    do not fit into fewer of the largest ones; a tree over k brokers has k - 1 links, and no k - 1 links without a cycle
    are cheaper than the k - 1 cheapest links of the minimum spanning tree over all brokers (Kruskal).
    """
    from topicweave.kernels import content_trees

    count = instance.num_brokers
    access = float(instance.need @ instance.access_price.min(axis=1))
    weight = np.zeros(count)
    room = np.empty(count, dtype=np.int64)
    content_trees.grow_tree(instance.core_price, np.arange(count), count, room, room.copy(), weight)
    cheapest = np.concatenate(([0.0], np.cumsum(np.sort(weight[1:]))))
    largest = np.cumsum(np.sort(instance.limit)[::-1])
    demand = instance.need @ instance.subscribe
    num_links = np.searchsorted(largest, demand, side="left").clip(max=count - 1)
    return LowerBound(access, float(instance.rate.sum(axis=0) @ cheapest[num_links]))
