"""The best single answer: several starts, each improved by migration, and brokers closed where that pays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import Found, Moves
from topicweave.content.clustering import clustering
from topicweave.content.cost import cost
from topicweave.content.migration import improve
from topicweave.content.simple import greedy_packing
from topicweave.content.steiner import draw_mixing, tree_weights
from topicweave.errors import InfeasibleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from topicweave.content.instance import Instance

_TRIALS = 400  # closings tried in a round at most: each is an evaluation of the whole


def best(instance: Instance, *, seeds: int, seed: int) -> Found:
    """Mixing with several seeds, packing and clustering; each improved by migration; the cheapest improved further.

    Migration moves one user at a time, so it cannot see that a channel's tree shrinks only when the last of several
    subscribers leaves a broker. The last step therefore tries to empty whole brokers, and lets migration follow.

    Parameters
    ----------
    instance
        The problem.
    seeds
        How many draws of Steiner mixing to start from.
    seed
        The first of them.
    """
    winner: NDArray[np.int64] | None = None
    moves = Moves.none()
    total = np.inf
    failure: InfeasibleError | None = None
    for start in _starts(instance, seeds, seed):
        try:
            broker, made, _ = improve(instance, start())
        except InfeasibleError as error:  # another start may fit
            failure = error
            continue
        reached = cost(instance, broker).total
        if reached < total:
            winner, moves, total = broker, made, reached
    if winner is None:
        assert failure is not None
        raise failure
    closed, closings = close_brokers(instance, winner)
    return Found(closed, Moves.join([moves, closings]))


def _starts(instance: Instance, seeds: int, seed: int) -> Iterator[Callable[[], NDArray[np.int64]]]:
    weights = tree_weights(instance)
    for number in range(seeds):
        yield lambda number=number: draw_mixing(instance, weights, seed + number)  # type: ignore[misc]
    yield lambda: greedy_packing(instance, seed=seed).broker
    yield lambda: clustering(instance, seed=seed).broker


def close_brokers(instance: Instance, start: NDArray[np.int64]) -> tuple[NDArray[np.int64], Moves]:
    """Empty brokers as long as that saves, the least loaded first, with a migration after every round."""
    broker = start.copy()
    parts: list[Moves] = []
    total = cost(instance, broker).total
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
            reached = cost(instance, trial).total
            if reached < total:
                parts.append(_step(broker, trial, total - reached))
                broker, total = trial, reached
                is_open[j] = False
        if total == before:
            return broker, Moves.join(parts)
        broker, moves, _ = improve(instance, broker)
        parts.append(moves)
        total = cost(instance, broker).total


def _emptied(
    instance: Instance, broker: NDArray[np.int64], closing: int, is_open: NDArray[np.bool_]
) -> NDArray[np.int64] | None:
    """The assignment with one broker's users moved to their cheapest open brokers; ``None`` if they do not fit."""
    trial = broker.copy()
    load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
    leaving = instance.by_need[broker[instance.by_need] == closing]
    others = is_open.copy()
    others[closing] = False
    for i in leaving:
        fits = others & (load + instance.need[i] <= instance.limit)
        if not fits.any():
            return None
        k = int(np.where(fits, instance.access_price[i], np.inf).argmin())
        trial[i] = k
        load[k] += instance.need[i]
    return trial


def _step(before: NDArray[np.int64], after: NDArray[np.int64], saved: float) -> Moves:
    """A closing as moves: what it saved as a whole is shared out among them."""
    users = np.flatnonzero(before != after)
    return Moves(users, before[users], after[users], np.full(len(users), saved / max(len(users), 1)))
