"""Greedy packing (CONTENT §III-A, Algorithm 1): each user goes to the cheapest broker that still has room."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import MethodResult
from topicweave.content.capacity import no_room

if TYPE_CHECKING:
    from topicweave.content.instance import Instance


def greedy_packing(instance: Instance, *, seed: int) -> MethodResult:
    """Assign users one after the other to the broker with the lowest access price that still has room.

    Parameters
    ----------
    instance
        The problem.
    seed
        Not used: the result is not random.
    """
    from topicweave.kernels.content.clusters import pack

    broker = np.empty(instance.num_users, dtype=np.int64)
    load = np.zeros(instance.num_brokers)
    failed = pack(instance.access_price, instance.need, instance.limit, broker, load)
    if failed >= 0:
        raise no_room(instance, failed, load)
    return MethodResult(broker)
