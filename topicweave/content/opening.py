"""Opening and closing brokers: a search for the set of brokers that should be used.

Migration moves one user at a time, so it cannot see that trees shrink only when the last user of a broker has left, or
that a group of brokers near each other but far from the rest is expensive as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import Moves
from topicweave.content.cost import total_cost
from topicweave.content.migration import improve, improve_if_cheaper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance
    from topicweave.kernels.content.reach import Pricing

_TRIALS = 400  # at most this many brokers are tried in a round, because each trial evaluates the whole assignment
_STEPS, _LEAST_STEPS = 30, 500  # number of annealing steps per broker, and the minimum in all
_HOT, _COLD = 0.003, 0.0001  # temperature at the beginning and at the end, as shares of the total cost


def close_brokers(
    instance: Instance, start: NDArray[np.int64], pricing: Pricing, *, seed: int = 0
) -> tuple[NDArray[np.int64], Moves]:
    """Close brokers as long as that lowers the cost, the least loaded first; users migrate after every round."""
    broker = start.copy()
    parts: list[Moves] = []
    total = total_cost(instance, broker, pricing)
    is_open = np.ones(instance.num_brokers, dtype=bool)
    while True:
        load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
        used = np.flatnonzero(np.bincount(broker, minlength=instance.num_brokers))
        before = total
        is_open[:] = False
        is_open[used] = True
        for j in used[np.argsort(load[used], kind="stable")][:_TRIALS]:
            trial = _emptied(instance, broker, int(j), is_open)
            if trial is None:
                continue
            reached = total_cost(instance, trial, pricing)
            if reached < total:
                parts.append(Moves.of_change(broker, trial, total - reached))
                broker, total = trial, reached
                is_open[j] = False
        if total == before:
            return broker, Moves.join(parts)
        broker, moves, _ = improve(instance, broker, pricing)
        parts.append(moves)
        total = total_cost(instance, broker, pricing)


def open_brokers(
    instance: Instance, start: NDArray[np.int64], pricing: Pricing, *, seed: int
) -> tuple[NDArray[np.int64], Moves]:
    """Simulated annealing over the set of open brokers, with each user at its cheapest open broker; then users migrate.

    Returns the start if cheaper.

    A step opens or closes a broker, swaps an open one for a closed one, or opens or closes a whole group of brokers
    that are near each other.
    """
    from topicweave.kernels.content.anneal import anneal_open
    from topicweave.kernels.content.trees import gather

    total = total_cost(instance, start, pricing)
    if instance.num_brokers == 1 or total == 0:
        return start, Moves.none()
    broker = start.copy()
    published, subscribers = gather(instance.rate, instance.subscribe, broker, instance.num_brokers)
    steps = max(_LEAST_STEPS, _STEPS * instance.num_brokers)
    anneal_open(
        pricing,
        instance.access_price,
        np.argsort(instance.access_price, axis=1, kind="stable").astype(np.int32),
        instance.need,
        instance.rate,
        instance.subscribe,
        instance.limit,
        instance.by_need,
        nearby(instance.path_price),
        np.random.default_rng(seed).random((steps, 5)),
        _HOT * total,
        _COLD * total,
        broker,
        published,
        subscribers,
    )
    return improve_if_cheaper(instance, start, total, broker, pricing)


def nearby(core_price: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The groups that form when brokers are linked one by one, by the cheapest links first; the final group of all
    brokers is left out.

    Returns bool, groups × brokers.
    """
    count = len(core_price)
    if count < 3:
        return np.zeros((0, count), dtype=bool)
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    joined = linkage(squareform(core_price, checks=False), "single")[:-1, :2].astype(np.int64)
    members = np.vstack((np.eye(count, dtype=bool), np.zeros((len(joined), count), dtype=bool)))
    for number, (one, other) in enumerate(joined):
        members[count + number] = members[one] | members[other]
    return members[count:]


def _emptied(
    instance: Instance, broker: NDArray[np.int64], closing: int, is_open: NDArray[np.bool_]
) -> NDArray[np.int64] | None:
    """The assignment after closing one broker, whose users move to their cheapest open brokers; ``None`` if they do not
    fit.
    """
    trial = broker.copy()
    load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
    leaving = instance.by_need[broker[instance.by_need] == closing]
    others = is_open.copy()
    others[closing] = False
    for i in leaving:
        fits = others & (load + instance.need[i] <= instance.limit) & np.isfinite(instance.access_price[i])
        if not fits.any():
            return None
        k = int(np.where(fits, instance.access_price[i], np.inf).argmin())
        trial[i] = k
        load[k] += instance.need[i]
    return trial
