"""The two simple methods: random assignment, and greedy packing (CONTENT §III-A, Algorithm 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import Found
from topicweave.content.room import no_room

if TYPE_CHECKING:
    from topicweave.content.instance import Instance


def random(instance: Instance, *, seed: int) -> Found:
    """Every user at a random broker with room; those with most traffic choose first, so that room is found."""
    from topicweave.kernels.content import clusters as content_clusters

    broker = np.empty(instance.num_users, dtype=np.int64)
    load = np.zeros(instance.num_brokers)
    failed = content_clusters.draw(
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
    return Found(broker)


def greedy_packing(instance: Instance, *, seed: int) -> Found:
    """Every user, in order of number, at the broker of least access price that has room."""
    from topicweave.kernels.content import clusters as content_clusters

    broker = np.empty(instance.num_users, dtype=np.int64)
    load = np.zeros(instance.num_brokers)
    failed = content_clusters.pack(instance.access_price, instance.need, instance.limit, broker, load)
    if failed >= 0:
        raise no_room(instance, failed, load)
    return Found(broker)
