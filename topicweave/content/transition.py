"""From the users' current brokers to the brokers of a plan: which users move, in which order, and what each saves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import Assignment, Moves
from topicweave.content.places import as_placement
from topicweave.content.seating import current_brokers
from topicweave.parameters import check_kind
from topicweave.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicweave.content.places import UserTable


@dataclass(frozen=True, eq=False)
class Transition:
    """The moves that lead from the users' current brokers to an assignment.

    Attributes
    ----------
    moves
        The users that move, in order, and the saving of each move: the cost before it less the cost after it.
    arrivals
        Numbers of the users without a current broker: new users, and those whose broker is no longer in the instance or
        no longer reachable. They connect to their broker first, and save nothing.
    num_overloading
        Moves for which no order finds room: for a while, some broker carries more than its capacity.
    cost_before
        The cost with all other users at their current brokers, under the trees of the plan; minus all savings, it is
        the cost of the plan.
    notes
        Sentences for the user.
    """

    assignment: Assignment = field(repr=False)
    moves: Moves
    arrivals: tuple[int, ...]
    num_overloading: int
    cost_before: float
    notes: tuple[str, ...] = ()

    def rows(self) -> list[tuple[int, str, str | None, str, float | None]]:
        """One row per move: step, user, old broker, new broker, and saving; users without an old broker come first."""
        instance, moves = self.assignment.instance, self.moves
        found: list[tuple[int, str, str | None, str, float | None]] = [
            (step, instance.users[i], None, instance.brokers[self.assignment.broker[i]], None)
            for step, i in enumerate(self.arrivals, 1)
        ]
        for step, (i, here, there, saved) in enumerate(
            zip(moves.user, moves.origin, moves.target, moves.saved, strict=True), len(found) + 1
        ):
            found.append((step, instance.users[i], instance.brokers[here], instance.brokers[there], float(saved)))
        return found


def transition(assignment: Assignment, current: UserTable) -> Transition:
    """List the moves from the users' current brokers to an assignment, in order.

    Users move once, those with the largest savings first, and only when there is room at their new broker; if no such
    order is left, one user moves anyway, and ``num_overloading`` counts it. The saving of a move depends on where the
    other users are by then.

    Parameters
    ----------
    assignment
        The plan.
    current
        The current broker of each user, both by name: a mapping, a data frame of ``user`` and ``broker``, or a file.
    """
    from topicweave.kernels.content.ordering import order_moves
    from topicweave.kernels.content.trees import gather

    check_kind(assignment, Assignment, "transition() needs an Assignment", "find one with assign()")
    instance, today = assignment.instance, as_placement(current)
    placed = current_brokers(instance, today)
    arrivals = np.flatnonzero(placed < 0)
    placed[arrivals] = assignment.broker[arrivals]
    broker = placed.copy()
    load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
    published, subscribers = gather(instance.rate, instance.subscribe, broker, instance.num_brokers)
    moved, saved = np.empty(instance.num_users, dtype=np.int64), np.empty(instance.num_users)
    count, num_overloading = order_moves(
        assignment.routing.pricing,
        instance.access_price,
        instance.need,
        instance.rate,
        instance.subscribe,
        instance.limit,
        broker,
        assignment.broker,
        load,
        np.ascontiguousarray(published.T),
        np.ascontiguousarray(subscribers.T),
        moved,
        saved,
    )
    users = moved[:count]
    moves = Moves(users, placed[users], assignment.broker[users], saved[:count])
    return Transition(
        assignment,
        moves,
        tuple(arrivals.tolist()),
        num_overloading,
        assignment.cost.total + float(moves.saved.sum()),
        _notes(assignment, today, len(arrivals), num_overloading),
    )


def _notes(assignment: Assignment, current: Mapping[str, str], arrivals: int, overloading: int) -> tuple[str, ...]:
    gone = len(set(current) - set(assignment.instance.users))
    return tuple(
        note
        for amount, note in (
            (
                arrivals,
                f"{counted(arrivals, 'user')} had no broker to move from: they are new, or cannot reach their old one.",
            ),
            (gone, f"No longer publishing or subscribing: {counted(gone, 'user')} of the current placement."),
            (
                overloading,
                f"Until others have left, {counted(overloading, 'move')} will overload a broker.",
            ),
        )
        if amount
    )
