"""The best single answer: several starts, each improved by migration, then a search over the brokers to use at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import MethodResult, Moves
from topicweave.content.clustering import clustering
from topicweave.content.cost import cost
from topicweave.content.exchange import exchange_users
from topicweave.content.greedy_packing import greedy_packing
from topicweave.content.migration import improve
from topicweave.content.opening import close_brokers, open_brokers
from topicweave.content.steiner_mixing import draw_mixing, tree_weights
from topicweave.errors import InfeasibleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from topicweave.content.instance import Instance


def best(instance: Instance, *, seeds: int, seed: int) -> MethodResult:
    """Mixing with several seeds, packing and clustering; each improved by migration; the cheapest improved further.

    The last steps close brokers as long as that saves, anneal the set of open brokers, and exchange users where there
    is no room to move; each is followed by migration.

    Parameters
    ----------
    instance
        The problem.
    seeds
        How many draws of Steiner mixing to start from.
    seed
        The first of them.
    """
    broker, moves = _cheapest_start(instance, seeds, seed)
    for step in (close_brokers, open_brokers, exchange_users):
        broker, made = step(instance, broker, seed=seed)
        moves = Moves.join([moves, made])
    return MethodResult(broker, moves)


def _cheapest_start(instance: Instance, seeds: int, seed: int) -> tuple[NDArray[np.int64], Moves]:
    """The cheapest assignment that migration reaches from any start, and the moves that led to it."""
    winner: tuple[NDArray[np.int64], Moves] | None = None
    total = np.inf
    failure: InfeasibleError | None = None
    for start in _starts(instance, seeds, seed):
        try:
            broker, moves, _ = improve(instance, start())
        except InfeasibleError as error:  # another start may fit
            failure = error
            continue
        reached = cost(instance, broker).total
        if reached < total:
            winner, total = (broker, moves), reached
    if winner is None:
        assert failure is not None
        raise failure
    return winner


def _starts(instance: Instance, seeds: int, seed: int) -> Iterator[Callable[[], NDArray[np.int64]]]:
    weights = tree_weights(instance)
    for number in range(seeds):
        yield lambda number=number: draw_mixing(instance, weights, seed + number)  # type: ignore[misc]
    yield lambda: greedy_packing(instance, seed=seed).broker
    yield lambda: clustering(instance, seed=seed).broker
