"""adapt(): changes an earlier assignment to suit the present users, rates and brokers, in little time."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from topicweave.content.assign import evaluated
from topicweave.content.assignment import Assignment, MethodResult
from topicweave.content.best import SEARCH
from topicweave.content.clustering import clustering
from topicweave.content.core import DEFAULT_CORE, check_core
from topicweave.content.greedy_packing import greedy_packing
from topicweave.content.instance import check_instance
from topicweave.content.interruption import interruptible
from topicweave.content.limited_moves import has_moved, improve_freely, improve_within
from topicweave.content.places import as_placement
from topicweave.content.random_assignment import random_assignment
from topicweave.content.seating import current_brokers, leaving_users, loads, seat
from topicweave.content.transition import transition
from topicweave.errors import Argument, InfeasibleError
from topicweave.parameters import check_seed, check_whole
from topicweave.wording import counted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance
    from topicweave.content.places import UserTable
    from topicweave.content.transition import Transition


def adapt(
    instance: Instance,
    earlier: Assignment | UserTable,
    *,
    max_moves: int | None = None,
    core: str | None = None,
    seed: int = 0,
) -> Transition:
    """Adapt an earlier assignment to new, departed or changed users, and to new, departed or overloaded brokers.

    Users stay at their brokers at first, except that overloaded brokers give up as few users as possible. These, and
    users without a broker, go to the cheapest broker with room. Then users migrate as long as that lowers the cost. So
    the result costs at most as much as if nobody had moved who did not have to.

    Parameters
    ----------
    instance
        The problem as it is now.
    earlier
        An assignment of an earlier instance, or the broker of each user as a table: a mapping, a data frame of ``user``
        and ``broker``, a file, or a plan folder. Users and brokers are matched by name.
    max_moves
        The most users that may change their broker. Users without a broker do not count: new ones, and those whose
        broker is gone or no longer reachable.
    core
        Which trees carry the traffic between brokers, as in :func:`topicweave.content.cost`; by default as in the
        earlier assignment.
    seed
        The same seed gives the same result.

    Returns
    -------
    Transition
        The new assignment, and the moves that lead to it, in order, each with its saving.

    Raises
    ------
    InfeasibleError
        A user finds no broker with room, or more than ``max_moves`` users have to leave overloaded brokers.

    Examples
    --------
    >>> from topicweave.content import Instance
    >>> two = Instance([[1], [0]], [[0], [1]], access_price=[[1, 9], [9, 1]], core_price=[[0, 3], [3, 0]], capacity=2)
    >>> adapt(two, {"0": "1"}).rows()
    [(1, '1', None, '1', None), (2, '0', '1', '0', 5.0)]
    """
    check_instance(instance, "adapt()")
    if max_moves is not None:
        max_moves = check_whole("max_moves", max_moves, 0)
    seed = check_seed(seed)
    before = time.perf_counter()
    if isinstance(earlier, Assignment):
        names = earlier.instance.brokers
        current = {user: names[j] for user, j in zip(earlier.instance.users, earlier.broker.tolist(), strict=True)}
        core = earlier.core if core is None else core
    else:
        current = as_placement(earlier)
    core = check_core(DEFAULT_CORE if core is None else core)
    home = current_brokers(instance, current)
    start = _start(instance, home, max_moves, seed)
    if max_moves is None:
        broker = interruptible(lambda: improve_freely(instance, start, core, seed), SEARCH)
    else:
        limit = max_moves
        broker = interruptible(lambda: improve_within(instance, home, start, core, limit, seed), SEARCH)
    found = MethodResult(broker, notes=_notes(instance, home, broker, max_moves))
    spent = time.perf_counter() - before
    made = evaluated(instance, found, "adapt", {"max_moves": max_moves}, core=core, seconds=spent, seed=seed)
    return transition(made, current)


def _start(instance: Instance, home: NDArray[np.int64], max_moves: int | None, seed: int) -> NDArray[np.int64]:
    """An assignment in which users stay at home if possible; raises an error if more moves are needed than allowed."""
    fewest = len(leaving_users(instance, home))
    if max_moves is None or fewest <= max_moves:
        start = _seated(instance, home, seed)
        fewest = int(has_moved(home, start).sum())
    if max_moves is not None and fewest > max_moves:
        raise InfeasibleError(
            "{users} must move so that no broker carries more than its capacity, which is more than {limit} allows; "
            "allow more moves, or add capacity.",
            users=counted(fewest, "user"),
            limit=Argument("max_moves", max_moves),
        )
    return start


def _seated(instance: Instance, home: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """An assignment in which users stay at home if possible; if capacity is so tight that this fails, one that ignores
    homes.
    """
    try:
        return seat(instance, home)
    except InfeasibleError:
        for method in (clustering, random_assignment, greedy_packing):
            with suppress(InfeasibleError):
                return method(instance, seed=seed).broker
        raise


def _notes(
    instance: Instance, home: NDArray[np.int64], broker: NDArray[np.int64], max_moves: int | None
) -> tuple[str, ...]:
    overloaded = int((loads(instance, home) > instance.limit).sum())
    notes = []
    if overloaded:
        notes.append(f"{counted(overloaded, 'broker')} would have carried more than its capacity without moves.")
    if max_moves is not None and has_moved(home, broker).sum() == max_moves:
        notes.append(f"No more than {counted(max_moves, 'move')} were allowed; more may save more.")
    return tuple(notes)
