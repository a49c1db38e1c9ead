"""Migration (CONTENT §IV-C): each user, starting with those with the most traffic, moves to the broker that lowers the
total cost most.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import Assignment, MethodResult, Moves
from topicweave.content.capacity import check_load
from topicweave.content.clustering import clustering
from topicweave.content.cost import total_cost
from topicweave.content.greedy_packing import greedy_packing
from topicweave.content.placement import as_assignment
from topicweave.content.random_assignment import random_assignment
from topicweave.content.routing import Routing
from topicweave.content.steiner_mixing import steiner_mixing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from topicweave.content.instance import Instance
    from topicweave.kernels.content.reach import Pricing

# The methods that can make the initial assignment for migration.
STARTS: Mapping[str, Callable[..., MethodResult]] = MappingProxyType(
    {
        "random": random_assignment,
        "greedy_packing": greedy_packing,
        "clustering": clustering,
        "steiner_mixing": steiner_mixing,
    }
)
_LEAST = 1e-12  # a move must save at least this share of the cost, because smaller savings may be rounding errors


def migrate(
    instance: Instance, *, start: str | Assignment | ArrayLike, passes: int | None, core: str, seed: int
) -> MethodResult:
    """Improve an assignment by moving single users, in descending order of traffic, until no move lowers the cost.

    Parameters
    ----------
    instance
        The problem.
    start
        An assignment, its broker numbers, or the name of the method that makes it.
    passes
        The most passes over all users; ``None``: stop when a pass moves no user.
    core
        Which kind of trees the cost of the core is computed with. With ``"tree"``, moving users and choosing the tree
        alternate.
    seed
        Seed of the method that makes the start.
    """
    notes = []
    if isinstance(start, str):
        start = STARTS[start](instance, seed=seed).broker
    begun = as_assignment(instance, start.broker if isinstance(start, Assignment) else start)
    check_load(instance, begun)
    broker, moves, is_finished = improve_on_core(instance, begun, core, passes)
    if not is_finished:
        notes.append(f"Stopped after {passes} passes; more moves may help.")
    return MethodResult(broker, moves, notes=tuple(notes))


def improve_on_core(
    instance: Instance, start: NDArray[np.int64], core: str, passes: int | None = None
) -> tuple[NDArray[np.int64], Moves, bool]:
    """Do what :func:`improve` does, given the name of a way to price the traffic between brokers.

    If all brokers share a single tree, moving users and choosing the tree take turns as long as that lowers the cost.

    In that case the users are also moved under spanning trees first, and then in alternation with the tree. The cheaper
    of the two results is taken, so it is never above what moves under spanning trees would cost on the minimum spanning
    tree.
    """
    if core != "tree":
        return improve(instance, start, pricing_for(instance, start, core), passes)
    if passes is not None:
        return _take_turns(instance, start, passes)[:3]
    begun, _, is_finished = improve(instance, start, pricing_for(instance, start, "multicast"))
    one, other = _take_turns(instance, start, passes), _take_turns(instance, begun, passes)
    if one[3] <= other[3]:
        return one[:3]
    saved = total_cost(instance, start, pricing_for(instance, start, core)) - other[3]  # in all
    first = Moves.of_change(start, begun, saved - float(other[1].saved.sum()))
    return other[0], Moves.join([first, other[1]]), other[2] and is_finished


def _take_turns(
    instance: Instance, start: NDArray[np.int64], passes: int | None
) -> tuple[NDArray[np.int64], Moves, bool, float]:
    """Alternate between moving users and choosing the tree; return the assignment, the moves and, last, the cost."""
    core, broker = "tree", start
    pricing = pricing_for(instance, broker, core)
    parts: list[Moves] = []
    total, is_finished = total_cost(instance, broker, pricing), True
    while passes is None or passes > 0:
        moved, moves, is_finished = improve(instance, broker, pricing, passes)
        next_pricing = pricing_for(instance, moved, core)
        reached = total_cost(instance, moved, next_pricing)
        if not len(moves) or not reached < total * (1 - _LEAST):
            break
        parts.append(moves.adding_up_to(total - reached))
        broker, pricing, total = moved, next_pricing, reached
        passes = None if passes is None else passes - 1
    return broker, Moves.join(parts), is_finished, total


def pricing_for(instance: Instance, broker: NDArray[np.int64], core: str) -> Pricing:
    """The prices of traffic between brokers for an assignment; if all brokers share one tree, it is chosen for this
    traffic.
    """
    return Routing(instance, broker, core).pricing


def improve_if_cheaper(
    instance: Instance, start: NDArray[np.int64], total: float, changed: NDArray[np.int64], pricing: Pricing
) -> tuple[NDArray[np.int64], Moves]:
    """Improve a changed assignment by migration; if the result is cheaper than the start, return it with the moves that
    lead to it.

    Otherwise return the start, which costs ``total``, and no moves.
    """
    between = total_cost(instance, changed, pricing)
    moved, moves, _ = improve(instance, changed, pricing)
    if total_cost(instance, moved, pricing) >= total:
        return start, Moves.none()
    return moved, Moves.join([Moves.of_change(start, changed, total - between), moves])


def improve(
    instance: Instance,
    start: NDArray[np.int64],
    pricing: Pricing,
    passes: int | None = None,
    *,
    users: NDArray[np.int64] | None = None,
    least: float = 0.0,
) -> tuple[NDArray[np.int64], Moves, bool]:
    """Improve an assignment by moving single users; return the new assignment, the moves, and whether no single move
    would help any more.

    Parameters
    ----------
    instance, start, pricing
        The problem, the assignment to improve, and the prices of traffic between brokers.
    passes
        The most passes over the users; ``None``: stop when a pass moves no user.
    users
        The users that may move, in this order; all by default, those with most traffic first.
    least
        What a move must save, at least; in any case more than a rounding error.
    """
    from topicweave.kernels.content.moves import migrate_pass
    from topicweave.kernels.content.reach import MULTICAST
    from topicweave.kernels.content.reach_moves import reach_pass
    from topicweave.kernels.content.trees import gather

    broker = start.copy()
    load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
    wanted_start = np.concatenate(([0], np.cumsum(instance.subscribe.sum(axis=1)))).astype(np.int64)
    wanted = np.nonzero(instance.subscribe)[1]
    least = max(_LEAST * total_cost(instance, broker, pricing), least)
    users = instance.by_need if users is None else users
    parts: list[Moves] = []
    done = 0
    while passes is None or done < passes:
        published, subscribers = gather(instance.rate, instance.subscribe, broker, instance.num_brokers)
        user = np.empty(instance.num_users, dtype=np.int64)
        origin = np.empty_like(user)
        saved = np.empty(instance.num_users)
        # Adding a broker may make a spanning tree cheaper, but never any other kind of tree; so there are two kernels.
        step = migrate_pass if pricing.code == MULTICAST else reach_pass
        count = step(
            pricing.price if pricing.code == MULTICAST else pricing,
            instance.access_price,
            instance.need,
            instance.rate,
            wanted_start,
            wanted,
            instance.limit,
            users,
            least,
            broker,
            load,
            np.ascontiguousarray(published.T),
            np.ascontiguousarray(subscribers.T),
            user,
            origin,
            saved,
        )
        done += 1
        if count == 0:
            return broker, Moves.join(parts), True
        parts.append(Moves(user[:count], origin[:count], broker[user[:count]], saved[:count]))
    return broker, Moves.join(parts), False
