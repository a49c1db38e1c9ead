"""Swapping users: when brokers are full, a user can often move only if another user leaves its new broker."""

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

# above this number of users times brokers, random steps find good moves too rarely to be worth the time
_MOST_PAIRS = 20_000
_STEPS, _LEAST_STEPS = 100, 5_000  # number of annealing steps per user, and the minimum in all
_HOT, _COLD = 0.3, 0.003  # temperature at the beginning and at the end, as multiples of the average cost per user


def exchange_users(
    instance: Instance, start: NDArray[np.int64], pricing: Pricing, *, steps: int = _STEPS, seed: int
) -> tuple[NDArray[np.int64], Moves]:
    """Simulated annealing by moving, swapping and ejecting users with ``steps`` steps per user, followed by migration.

    Returns the start if cheaper or if the instance is large.

    If the new broker of a user is full, one of the users there moves to the old broker of the first, or to a third
    broker.
    """
    from topicweave.kernels.content.anneal import anneal_users
    from topicweave.kernels.content.trees import gather

    total = total_cost(instance, start, pricing)
    if instance.num_brokers == 1 or total == 0 or instance.access_price.size > _MOST_PAIRS:
        return start, Moves.none()
    broker = start.copy()
    published, subscribers = gather(instance.rate, instance.subscribe, broker, instance.num_brokers)
    count = max(_LEAST_STEPS, steps * instance.num_users)
    anneal_users(
        pricing,
        instance.access_price,
        instance.need,
        instance.rate,
        instance.subscribe,
        instance.limit,
        np.random.default_rng(seed).random((count, 5)),
        _HOT * total / instance.num_users,
        _COLD * total / instance.num_users,
        broker,
        published,
        subscribers,
    )
    return improve_if_cheaper(instance, start, total, broker, pricing)
