"""Instances: the workloads on which times are measured, given by their parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import topicweave as tw

if TYPE_CHECKING:
    from topicweave.model import Interest

QUICK_NODES, QUICK_TOPICS = 50, 10  # with --quick, numbers of nodes and topics are divided by these


@dataclass(frozen=True)
class Instance:
    """A synthetic workload; ``subscriptions`` is the number per node, or a (smallest, largest) range of it."""

    num_nodes: int
    num_topics: int
    popularity: str
    subscriptions: int | tuple[int, int]
    alpha: float | None = None
    seed: int = 0

    @property
    def name(self) -> str:
        """The name used in tables, such as ``10,000 × 1,000, zipf 2.0, s=20-600``."""
        law = self.popularity if self.alpha is None else f"{self.popularity} {self.alpha}"
        sizes = self.subscriptions
        span = f"{sizes[0]}-{sizes[1]}" if isinstance(sizes, tuple) else f"{sizes}"
        return f"{self.num_nodes:,} × {self.num_topics:,}, {law}, s={span}"

    @property
    def num_pairs(self) -> int:
        return self.num_nodes * (self.num_nodes - 1) // 2

    def generate(self) -> Interest:
        """Draw the interest."""
        law = {} if self.alpha is None else {"alpha": self.alpha}
        return tw.workloads.synthetic(
            self.num_nodes,
            self.num_topics,
            popularity=self.popularity,
            subscriptions=self.subscriptions,
            seed=self.seed,
            **law,
        )

    def reduced(self) -> Instance:
        """An instance of the same kind that is small enough to run at once; for trying out the code, not for
        measuring.
        """
        topics = max(20, self.num_topics // QUICK_TOPICS)

        def fewer(size: int) -> int:
            return max(2, size * topics // self.num_topics)

        sizes = self.subscriptions
        return replace(
            self,
            num_nodes=max(40, self.num_nodes // QUICK_NODES),
            num_topics=topics,
            subscriptions=(fewer(sizes[0]), fewer(sizes[1])) if isinstance(sizes, tuple) else fewer(sizes),
        )


WARM_UP = Instance(300, 100, "uniform", (5, 40))
