"""Two-stage clustering (CONTENT §III-B, Algorithm 2): users with much traffic between them share a broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import MethodResult
from topicweave.content.capacity import no_room

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance

_BLOCK = 1024  # number of users for whom the traffic with all others is held in memory at once


def clustering(instance: Instance, *, seed: int) -> MethodResult:
    """First each broker gets the pair of users with the highest ratio of traffic to price; then every user joins the
    cluster that suits it best.

    Where the paper is silent: a pair that does not fit is skipped; a price of 0 counts as the smallest positive one;
    the users of the second loop come in descending order of traffic.
    """
    from topicweave.kernels.content.clusters import best_pair, join_clusters

    price = _positive(instance.access_price)
    most = partner_bound(instance)
    broker = np.full(instance.num_users, -1, dtype=np.int64)
    load = np.zeros(instance.num_brokers)
    published = np.zeros((instance.num_channels, instance.num_brokers))
    subscribers = np.zeros((instance.num_channels, instance.num_brokers))
    for j in range(instance.num_brokers):
        free = np.flatnonzero(broker < 0)
        column = np.ascontiguousarray(price[:, j])
        pair = best_pair(instance.rate, instance.subscribe, most, column, instance.need, instance.limit[j], free)
        for user in pair:
            if user >= 0:
                broker[user] = j
                load[j] += instance.need[user]
                published[:, j] += instance.rate[user]
                subscribers[:, j] += instance.subscribe[user]
    rest = instance.by_need[broker[instance.by_need] < 0]
    failed = join_clusters(
        instance.rate,
        instance.subscribe,
        price,
        instance.need,
        instance.limit,
        rest,
        broker,
        load,
        published,
        subscribers,
    )
    if failed >= 0:
        raise no_room(instance, failed, load)
    return MethodResult(broker)


def partner_bound(instance: Instance) -> NDArray[np.float64]:
    """An upper bound on the traffic between each user and any other user: the row maxima of a matrix product in single
    precision.
    """
    rate = instance.rate.astype(np.float32)
    wanted = instance.subscribe.astype(np.float32)
    one, other = np.hstack((rate, wanted)), np.hstack((wanted, rate))
    most = np.zeros(instance.num_users, dtype=np.float32)
    for start in range(0, instance.num_users, _BLOCK):
        stop = min(start + _BLOCK, instance.num_users)
        traffic = one[start:stop] @ other[start:].T
        traffic[np.arange(stop - start), np.arange(stop - start)] = 0.0
        np.maximum(most[start:stop], traffic.max(axis=1), out=most[start:stop])
        np.maximum(most[start:], traffic.max(axis=0), out=most[start:])
    # A sum in single precision has a relative error of about a millionth per hundred terms; it does no harm if the
    # bound is slightly too large.
    return most.astype(np.float64) * (1 + 1e-4)


def _positive(price: NDArray[np.float64]) -> NDArray[np.float64]:
    positive = price[price > 0]
    return np.where(price > 0, price, positive.min() if len(positive) else 1.0)
