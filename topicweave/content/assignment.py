"""Assignment: which user is at which broker, what that costs, and how the method arrived there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.content.cost import broker_links
from topicweave.model.labels import find_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from topicweave.content.cost import Cost
    from topicweave.content.instance import Instance
    from topicweave.content.routing import Routing
    from topicweave.model import Overlay


@dataclass(frozen=True, eq=False)
class Moves:
    """The moves of users in the order made: which user moved from which broker to which, and how much that saved.

    The savings add up to the cost of the first placement less that of the last. With ``core="tree"``, each placement
    has the tree chosen for its own traffic; what choosing a new tree saves is divided among the moves before it.
    """

    user: NDArray[np.int64]
    origin: NDArray[np.int64]
    target: NDArray[np.int64]
    saved: NDArray[np.float64]

    @classmethod
    def none(cls) -> Moves:
        """The record of a migration without any moves."""
        return cls.join([])

    @classmethod
    def join(cls, parts: list[Moves]) -> Moves:
        """Several records of moves, joined in order."""
        empty = np.empty(0, dtype=np.int64)
        return cls(
            np.concatenate([empty, *(part.user for part in parts)]),
            np.concatenate([empty, *(part.origin for part in parts)]),
            np.concatenate([empty, *(part.target for part in parts)]),
            np.concatenate([np.empty(0), *(part.saved for part in parts)]),
        )

    @classmethod
    def of_change(cls, before: NDArray[np.int64], after: NDArray[np.int64], saved: float) -> Moves:
        """The moves that change one assignment into another; the total saving is divided equally among them."""
        users = np.flatnonzero(before != after)
        return cls(users, before[users], after[users], np.full(len(users), saved / max(len(users), 1)))

    def adding_up_to(self, saved: float) -> Moves:
        """The same moves, with savings scaled to add up to this total; any part of it due to a change of the tree is
        divided equally among the moves.
        """
        missing = saved - float(self.saved.sum())
        return Moves(self.user, self.origin, self.target, self.saved + missing / max(len(self), 1))

    def __len__(self) -> int:
        return len(self.user)


@dataclass(frozen=True)
class MethodResult:
    """What a method returns to :func:`topicweave.content.assign`."""

    broker: NDArray[np.int64]
    moves: Moves = field(default_factory=Moves.none)
    bound: float | None = None
    notes: tuple[str, ...] = ()
    tree: NDArray[np.int64] | None = None  # the tree over the brokers that the method chose itself, if ``core="tree"``


@dataclass(frozen=True, eq=False)
class Assignment:
    """The result of :func:`topicweave.content.assign`.

    Attributes
    ----------
    instance
        The problem.
    broker
        The broker number of each user.
    method, parameters, core
        The method, its parameters including defaults, and the core.
    cost
        Cost according to the evaluator, with the trees that ``core`` names.
    random_cost
        Cost of a random assignment with the same seed; ``None`` if it found no room.
    moves
        The migration steps, if the method makes any.
    bound
        A proved lower bound on the cost of any assignment under this ``core``, from ``exact``.
    seconds
        How long the assignment took, evaluation not included.
    notes
        Sentences for the user.
    """

    instance: Instance
    broker: NDArray[np.int64] = field(repr=False)
    method: str
    parameters: Mapping[str, Any]
    core: str
    cost: Cost
    random_cost: Cost | None
    moves: Moves = field(repr=False)
    bound: float | None
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def reduction(self) -> float:
        """Cost reduction ratio (CONTENT §VI-B): how many times as much a random assignment costs as this one."""
        if self.random_cost is None:
            return float("nan")
        if self.cost.total == 0:
            return 1.0 if self.random_cost.total == 0 else float("inf")
        return self.random_cost.total / self.cost.total

    @property
    def gap(self) -> float | None:
        """The largest share by which the cost can exceed the optimum; ``None`` if no lower bound is known."""
        if self.bound is None:
            return None
        return (self.cost.total - self.bound) / self.cost.total if self.cost.total else 0.0

    @cached_property
    def overlay(self) -> Overlay:
        """The links between brokers that carry traffic, the busiest first."""
        return broker_links(self.instance, self.cost)

    @property
    def routing(self) -> Routing:
        """The tree that carries the publications of every broker on every channel."""
        return self.cost.routing

    def broker_of(self, user: str) -> str:
        """The label of a user's broker."""
        number = int(find_numbers([user], self.instance.user_numbers, "user")[0])
        return self.instance.brokers[int(self.broker[number])]

    def summary(self) -> str:
        """A short description to print."""
        against = "" if self.random_cost is None else f" (random: {self.random_cost.total:,.6g})"
        lines = [
            f"{self.method} on {self.instance!r}",
            f"  cost            {self.cost.total:,.6g}{against}",
            f"  access, core    {self.cost.access:,.6g}, {self.cost.core:,.6g} ({self.core})",
            f"  reduction       {self.reduction:.3f}",
            f"  broker links    {self.overlay.num_edges:,}",
            f"  moves           {len(self.moves):,}",
            f"  seconds         {self.seconds:.3f}",
        ]
        return "\n".join([*lines, *(f"  note: {note}" for note in (*self.instance.notes, *self.notes))])
