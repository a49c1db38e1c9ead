"""How many links differ between two designs from scratch when one node has left in between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from experiments.workload import Workload, interest_of

if TYPE_CHECKING:
    from experiments.designing import Asked
    from experiments.run import Find

LEAVERS = 6


@dataclass(frozen=True)
class OneLess:
    """Compares a design of all nodes with designs of all nodes but one.

    Attributes
    ----------
    asked
        The algorithm, its parameters and ties.
    """

    asked: Asked

    @property
    def path(self) -> str:
        return f"one-less_{self.asked.path}"

    @property
    def algorithms(self) -> tuple[str, ...]:
        return self.asked.algorithms

    @property
    def is_timed(self) -> bool:
        return False

    def reduced(self) -> OneLess:
        return OneLess(self.asked.reduced())

    def cost(self, subject: Workload) -> float:
        return (1 + LEAVERS) * self.asked.cost(subject)

    def measure(self, subject: Workload, seed: int, find: Find) -> dict[str, Any]:
        interest = interest_of(subject, seed, find)
        leavers = np.random.default_rng(seed).choice(interest.nodes, LEAVERS, replace=False).tolist()
        before = self._links(interest, seed)
        topics_of = {node: interest.topics_of(node) for node in interest.nodes}
        changed = []
        for leaver in leavers:
            left = tw.Interest.from_sets({node: topics for node, topics in topics_of.items() if node != leaver})
            changed.append(len(before ^ self._links(left, seed)))
        return {"changed": float(np.mean(changed)), "changed_share": float(np.mean(changed) / len(before))}

    def _links(self, interest: tw.Interest, seed: int) -> set[tuple[str, str]]:
        options: dict[str, Any] = {**dict(self.asked.parameters), "ties": self.asked.ties or "balanced"}
        return set(tw.design(interest, self.asked.algorithm, seed=seed, **options).overlay.pairs())
