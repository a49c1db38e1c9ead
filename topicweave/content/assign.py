"""assign(): assign users to brokers by any of the methods in the table."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.content.assignment import Assignment
from topicweave.content.core import DEFAULT_CORE, check_core
from topicweave.content.cost import cost
from topicweave.content.instance import check_instance
from topicweave.content.random_assignment import random_assignment
from topicweave.content.registry import DEFAULT, find_method
from topicweave.errors import InfeasibleError
from topicweave.parameters import check_seed, fill

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicweave.content.assignment import MethodResult
    from topicweave.content.cost import Cost
    from topicweave.content.instance import Instance


def assign(
    instance: Instance, method: str = DEFAULT, *, core: str = DEFAULT_CORE, seed: int = 0, **parameters: Any
) -> Assignment:
    """Assign every user to a broker, within every broker's capacity, at low cost.

    Parameters
    ----------
    instance
        Users, brokers, prices, capacities.
    method
        A name from ``METHODS``: random, greedy_packing, clustering, steiner_mixing, migrate, exact or best.
    core
        Which trees carry the traffic between brokers, as in :func:`topicweave.content.cost`; migrate, exact and best
        minimise the cost with these trees, and all are evaluated with them.
    seed
        The same seed gives the same result, whatever the number of threads.
    parameters
        Parameters of the method, as listed in ``METHODS``.

    Raises
    ------
    InfeasibleError
        The method found no broker with room for a user; the message names it.
    ParameterError
        Unknown method or parameter, or a value outside its range.

    Examples
    --------
    >>> from topicweave.content import Instance, assign
    >>> two = Instance([[1], [0]], [[0], [1]], access_price=[[1, 9], [9, 1]], core_price=[[0, 3], [3, 0]], capacity=2)
    >>> assign(two, "greedy_packing").broker.tolist()
    [0, 1]
    """
    check_instance(instance, "assign()")
    chosen = find_method(method)
    seed = check_seed(seed)
    core = check_core(core)
    filled = fill(method, chosen.parameters, parameters)
    before = time.perf_counter()
    about_core = {"core": core} if chosen.minimises_core else {}
    found = chosen.function(instance, seed=seed, **about_core, **filled)
    seconds = time.perf_counter() - before
    shown = {name: value for name, value in filled.items() if not isinstance(value, (Assignment, np.ndarray, list))}
    return evaluated(instance, found, method, shown, core=core, seconds=seconds, seed=seed)


def evaluated(
    instance: Instance,
    found: MethodResult,
    method: str,
    parameters: Mapping[str, Any],
    *,
    core: str,
    seconds: float,
    seed: int,
) -> Assignment:
    """What a method found, with its cost and that of a random assignment."""
    return Assignment(
        instance=instance,
        broker=_frozen(found.broker),
        method=method,
        parameters={**parameters, "seed": seed},
        core=core,
        cost=cost(instance, found.broker, core, tree=found.tree),
        random_cost=_random_cost(instance, core, seed),
        moves=found.moves,
        bound=found.bound,
        seconds=seconds,
        notes=found.notes,
    )


def _frozen(broker: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    broker.setflags(write=False)
    return broker


def _random_cost(instance: Instance, core: str, seed: int) -> Cost | None:
    """The cost of a random assignment, for comparison; if capacities are tight, a random one may not exist."""
    try:
        return cost(instance, random_assignment(instance, seed=seed).broker, core)
    except InfeasibleError:
        return None
