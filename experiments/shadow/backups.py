"""Backups at the start, before any event: how many backups and primaries (nodes it is a backup for) each node has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from experiments.shadow.plain_backups import plain_backups
from experiments.workload import Workload, interest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.run import Find

SIZES = tuple(range(10, 91))
"""Subscription sizes of the paper's workload; means by size are listed in this order, None if no node has the size."""


@dataclass(frozen=True)
class BackupsBuilt:
    """A run that chooses backups by one rule of ``tw.churn.Shadow`` with coverage λ.

    Attributes
    ----------
    rule, coverage
        As in ``tw.churn.Shadow``.
    reading
        ``"ours"``: by ``tw.churn.Shadow``. ``"plain"``: by the plain version, whose ties are random. ``"frozen"``:
        plain, and weights keep their values from before any backup was chosen.
    """

    rule: str
    coverage: int = 3
    reading: str = "ours"

    @property
    def path(self) -> str:
        reading = "" if self.reading == "ours" else f"_{self.reading}"
        return f"backups_{self.rule}_coverage-{self.coverage}{reading}"

    @property
    def algorithms(self) -> tuple[str, ...]:
        return ("low",)

    @property
    def is_timed(self) -> bool:
        return False

    def reduced(self) -> BackupsBuilt:
        return self

    def cost(self, subject: Workload) -> float:
        return 1.0 if self.reading == "ours" else 5.0

    def measure(self, subject: Workload, seed: int, find: Find) -> dict[str, Any]:
        interest = interest_of(subject, seed, find)
        backups, primaries = self._counts(interest, seed)
        sizes = np.diff(interest.indptr)
        by_size = [sizes == size for size in SIZES]
        return {
            "topics_per_node": float(sizes.mean()),
            "backups": float(backups.mean()),
            "backups_share": float(backups.mean() / interest.num_nodes),
            "primaries_least": int(primaries.min()),
            "primaries_most": int(primaries.max()),
            "primaries_below_5": float((primaries < 5).mean()),
            "primaries_quantiles": [float(q) for q in np.quantile(primaries, (0.01, 0.25, 0.5, 0.75, 0.99))],
            "backups_by_size": [float(backups[chosen].mean()) if chosen.any() else None for chosen in by_size],
            "primaries_by_size": [float(primaries[chosen].mean()) if chosen.any() else None for chosen in by_size],
            "primaries_least_by_size": [int(primaries[chosen].min()) if chosen.any() else None for chosen in by_size],
            "primaries_most_by_size": [int(primaries[chosen].max()) if chosen.any() else None for chosen in by_size],
        }

    def _counts(self, interest: tw.Interest, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The number of backups and of primaries of each node."""
        if self.reading != "ours":
            overlay = tw.design(interest, "low", k=3, seed=seed).overlay
            renewed = self.reading == "plain"
            return plain_backups(interest, overlay, self.rule, self.coverage, renewed=renewed, seed=seed)
        shadow = tw.churn.Shadow(interest, coverage=self.coverage, backups=self.rule, seed=seed)
        backups = [len(shadow.backups_of(node)) for node in interest.nodes]
        return np.array(backups), np.array([len(shadow.primaries_of(node)) for node in interest.nodes])
