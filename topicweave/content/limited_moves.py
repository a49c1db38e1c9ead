"""Migration that limits how many users may end up away from the broker where they started.

A first search spends the moves where they save most. Then, as long as that lowers the cost, all users move freely, and
the moves that save least are taken back until the limit is kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.best import take_step
from topicweave.content.brief_annealing import anneal_briefly
from topicweave.content.cost import total_cost
from topicweave.content.migration import improve, improve_on_core, pricing_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.content.assignment import Moves
    from topicweave.content.instance import Instance
    from topicweave.kernels.content.reach import Pricing

_STEPS = 10  # the saving that a move must bring is halved this many times
_ROUNDS = 20  # how many times, at most, all users migrate without a limit


def has_moved(home: NDArray[np.int64], broker: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which users are not at their home broker; users without a home (-1) never count."""
    return np.asarray((home >= 0) & (broker != home))


def improve_freely(instance: Instance, start: NDArray[np.int64], core: str, seed: int) -> NDArray[np.int64]:
    """Migration without a limit, then random exchanges of users if brokers and users are few."""
    broker, _, _ = improve_on_core(instance, start, core)
    total = total_cost(instance, broker, pricing_for(instance, broker, core))
    changed, _, reached = take_step(anneal_briefly, instance, broker, core, seed)
    return changed if reached < total else broker


def improve_within(
    instance: Instance, home: NDArray[np.int64], start: NDArray[np.int64], core: str, max_moves: int, seed: int
) -> NDArray[np.int64]:
    """Improve an assignment such that at most ``max_moves`` users are away from home, or, if more are away at the
    start, no more than that.

    Parameters
    ----------
    instance
        The problem.
    home
        The broker that each user is at now, -1 for those without one, who may go anywhere.
    start
        An assignment within capacity with at most ``max_moves`` users away from home.
    core
        Which kind of trees the cost of the core is computed with; a single tree for all brokers is chosen again
        after every round.
    max_moves
        The limit.
    seed
        Seed of the random exchanges.
    """
    broker = start
    pricing = pricing_for(instance, broker, core)
    total = total_cost(instance, broker, pricing)
    changed = _spend(instance, home, broker, pricing, max_moves)
    for number in range(_ROUNDS):
        next_pricing = pricing_for(instance, changed, core)
        reached = total_cost(instance, changed, next_pricing)
        if not reached < total * (1 - 1e-12):
            break
        broker, pricing, total = changed, next_pricing, reached
        freely = improve_freely(instance, broker, core, seed + number)
        changed = _polish(instance, home, _take_back(instance, home, freely, pricing, max_moves), pricing)
        if has_moved(home, changed).sum() > max_moves:
            break
    return broker


def _spend(
    instance: Instance, home: NDArray[np.int64], start: NDArray[np.int64], pricing: Pricing, max_moves: int
) -> NDArray[np.int64]:
    """Make moves up to the limit: first moves with a large saving, then moves that save half as much, and so on."""
    broker = _polish(instance, home, start, pricing)
    possible = improve(instance, broker, pricing, 1)[1].saved
    least = float(possible.max()) if len(possible) else 0.0
    for _ in range(_STEPS if least > 0 else 0):
        if has_moved(home, broker).sum() >= max_moves:
            break
        least /= 2
        moves = improve(instance, broker, pricing, 1, least=least)[1]
        broker = _polish(instance, home, _made(home, broker, moves, max_moves), pricing)
    return broker


def _made(home: NDArray[np.int64], start: NDArray[np.int64], moves: Moves, max_moves: int) -> NDArray[np.int64]:
    """The assignment after these moves, made in order until the next one would exceed the limit."""
    broker, away = start.copy(), int(has_moved(home, start).sum())
    for user, target in zip(moves.user.tolist(), moves.target.tolist(), strict=True):
        if home[user] >= 0:
            away += int(target != home[user]) - int(broker[user] != home[user])
        if away > max_moves:
            break
        broker[user] = target
    return broker


def _polish(
    instance: Instance, home: NDArray[np.int64], start: NDArray[np.int64], pricing: Pricing
) -> NDArray[np.int64]:
    """Migrate only users that are away from home, so that no further user leaves home."""
    is_free = (start != home)[instance.by_need]
    return improve(instance, start, pricing, users=instance.by_need[is_free])[0]


def _take_back(
    instance: Instance, home: NDArray[np.int64], start: NDArray[np.int64], pricing: Pricing, max_moves: int
) -> NDArray[np.int64]:
    """Send users home until no more are away than the limit allows. Each step sends home half of the users in excess,
    starting with the users whose return costs least. If brokers have no room, more users may remain away.
    """
    from topicweave.kernels.content.ordering import order_moves
    from topicweave.kernels.content.trees import gather

    broker = start.copy()
    while True:
        is_away = has_moved(home, broker)
        too_many = int(is_away.sum()) - max_moves
        if too_many <= 0:
            return broker
        target = np.where(is_away, home, broker)
        load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
        published, subscribers = gather(instance.rate, instance.subscribe, broker, instance.num_brokers)
        order, saved = np.empty(instance.num_users, dtype=np.int64), np.empty(instance.num_users)
        count, _ = order_moves(
            pricing,
            instance.access_price,
            instance.need,
            instance.rate,
            instance.subscribe,
            instance.limit,
            broker.copy(),
            target,
            load.copy(),
            np.ascontiguousarray(published.T),
            np.ascontiguousarray(subscribers.T),
            order,
            saved,
        )
        returned = 0
        for i in order[:count].tolist():
            if returned < max(1, too_many // 2) and load[home[i]] + instance.need[i] <= instance.limit[home[i]]:
                load[broker[i]] -= instance.need[i]
                load[home[i]] += instance.need[i]
                broker[i] = home[i]
                returned += 1
        if not returned:
            return broker
