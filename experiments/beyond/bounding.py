"""Runs that compute certified bounds: values that no overlay, or no assignment of users, can go below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import topicweave as tw
from experiments.content.market import Market, instance_of
from experiments.workload import Interested, interest_of
from topicweave.optimise.bound import lower_bound

if TYPE_CHECKING:
    from experiments.run import Find

SECONDS_PER_ROUND = 1e-8
"""Rough cost of ten steps, per pair of nodes and hundred topics."""


@dataclass(frozen=True)
class Bounded:
    """A bound on the links or the maximum degree of any topic-connected overlay, checked again by SciPy.

    Attributes
    ----------
    objective, rounds
        As in ``lower_bound``.
    """

    objective: str
    rounds: int

    @property
    def path(self) -> str:
        return f"bound_{self.objective}_rounds-{self.rounds}"

    @property
    def is_timed(self) -> bool:
        return False

    def reduced(self) -> Bounded:
        return Bounded(self.objective, 2)

    def cost(self, subject: Interested) -> float:
        return 0.1 + SECONDS_PER_ROUND * self.rounds * subject.num_nodes**2 * subject.num_topics / 100

    def measure(self, subject: Interested, seed: int, find: Find) -> dict[str, Any]:
        bound = lower_bound(interest_of(subject, seed, find), objective=self.objective, rounds=self.rounds, seed=seed)
        return {"value": bound.check(), "least": bound.links}


@dataclass(frozen=True)
class MarketBounded:
    """A bound on the cost of any assignment within capacity, where traffic between brokers is priced as in the
    paper.
    """

    @property
    def path(self) -> str:
        return "bound"

    @property
    def is_timed(self) -> bool:
        return False

    def reduced(self) -> MarketBounded:
        return self

    def cost(self, subject: Market) -> float:
        return 0.05 + 1e-8 * subject.num_users**2

    def measure(self, subject: Market, seed: int, find: Find) -> dict[str, Any]:
        bound = tw.content.lower_bound(instance_of(subject, seed), "multicast")
        return {"access": bound.access, "total": bound.total}
