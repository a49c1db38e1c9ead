"""Annealing that starts from a good assignment and takes little time, because a step computes only what it changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import Moves
from topicweave.content.cost import total_cost
from topicweave.content.migration import improve_if_cheaper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance
    from topicweave.kernels.content.reach import Pricing

MOST_PAIRS = 20_000  # users × brokers; beyond that, random steps find good moves too rarely to be worth the time
_STEPS, _LEAST_STEPS = 25, 2_000  # annealing steps per user, and the minimum in all
# a step takes time for every channel of a user, so users with many channels get fewer steps each
_CHANNELS = 50
_HOT, _COLD = 0.7, 0.01  # temperature at the beginning and at the end, as multiples of the average cost per user


def anneal_briefly(
    instance: Instance, start: NDArray[np.int64], pricing: Pricing, *, seed: int
) -> tuple[NDArray[np.int64], Moves]:
    """Simulated annealing by moving, swapping and ejecting users, followed by migration.

    Returns the start unless that is cheaper, and if the instance is large.
    """
    from topicweave.kernels.content.anneal_changes import anneal_changes
    from topicweave.kernels.content.trees import gather

    total = total_cost(instance, start, pricing)
    if instance.num_brokers == 1 or total == 0 or instance.access_price.size > MOST_PAIRS:
        return start, Moves.none()
    publishes = instance.rate > 0
    user, channel = np.nonzero(publishes | instance.subscribe.astype(bool))
    first = np.searchsorted(user, np.arange(instance.num_users + 1))
    published, subscribers = gather(instance.rate, instance.subscribe, start, instance.num_brokers)
    publishers, _ = gather(publishes.astype(np.float64), instance.subscribe, start, instance.num_brokers)
    broker = start.copy()
    steps = int(instance.num_users * min(_STEPS, _CHANNELS * instance.num_users / max(len(user), 1)))
    anneal_changes(
        pricing,
        instance.access_price,
        instance.need,
        instance.rate,
        instance.subscribe,
        instance.limit,
        first,
        channel,
        np.random.default_rng(seed).random((max(steps, _LEAST_STEPS), 5)),
        _HOT * total / instance.num_users,
        _COLD * total / instance.num_users,
        broker,
        np.ascontiguousarray(published.T),
        np.ascontiguousarray(publishers.T).astype(np.int64),
        np.ascontiguousarray(subscribers.T),
    )
    return improve_if_cheaper(instance, start, total, broker, pricing)
