"""Random assignment (CONTENT §VI-B): the baseline for the other methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import MethodResult
from topicweave.content.capacity import no_room

if TYPE_CHECKING:
    from topicweave.content.instance import Instance


def random_assignment(instance: Instance, *, seed: int) -> MethodResult:
    """Assign every user to a random broker with room; users with the most traffic go first, so that there is room for
    them.
    """
    from topicweave.kernels.content.clusters import draw

    broker = np.empty(instance.num_users, dtype=np.int64)
    load = np.zeros(instance.num_brokers)
    failed = draw(
        np.ones((instance.num_users, instance.num_brokers)),
        instance.access_price,
        instance.need,
        instance.limit,
        instance.by_need,
        np.random.default_rng(seed).random(instance.num_users),
        broker,
        load,
    )
    if failed >= 0:
        raise no_room(instance, failed, load)
    return MethodResult(broker)
