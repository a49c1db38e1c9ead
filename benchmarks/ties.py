"""The effect of the tie rules on GM: its number of links and its maximum degree under each rule."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from benchmarks.checks import Row, at_most
from benchmarks.subjects import Designing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.instances import Instance
    from benchmarks.lab import Demand, Lab

TIE_RULES = ("balanced", "random", "lexicographic")


@dataclass(frozen=True)
class TieQuality:
    """The tie rule ``balanced`` compared with the others: for each instance a row for information, then averages with
    limits.
    """

    instances: tuple[Instance, ...]

    def demands(self) -> Sequence[Demand]:
        return [(i, Designing("gm", ties=rule, rounds=1)) for i in self.instances for rule in TIE_RULES]

    def rows(self, lab: Lab) -> Iterator[Row]:
        degrees: dict[str, list[float]] = {rule: [] for rule in TIE_RULES}
        links: dict[str, list[float]] = {rule: [] for rule in TIE_RULES}
        for declared in self.instances:
            facts = {rule: lab[declared, Designing("gm", ties=rule)].facts for rule in TIE_RULES}
            for rule in TIE_RULES:
                degrees[rule].append(facts["balanced"]["maximum_degree"] / facts[rule]["maximum_degree"])
                links[rule].append(facts["balanced"]["links"] / facts[rule]["links"])
            yield Row(
                f"Δ balanced / lexicographic: {lab.instance(declared).name}",
                degrees["lexicographic"][-1],
                detail="Δ "
                + " / ".join(f"{facts[rule]['maximum_degree']}" for rule in TIE_RULES)
                + ", links "
                + " / ".join(f"{facts[rule]['links']:,}" for rule in TIE_RULES),
            )
        order = " / ".join(TIE_RULES)
        for rule, limit in (("lexicographic", 0.75), ("random", 0.9)):
            values = degrees[rule]
            yield Row(
                f"Δ balanced / {rule}, average of {len(values)} instances",
                mean(values),
                bar=at_most(limit),
                detail=f"from {min(values):.3f} to {max(values):.3f}; rows above list {order}",
            )
        for rule in ("lexicographic", "random"):
            values = links[rule]
            yield Row(
                f"links balanced / {rule}, average of {len(values)} instances",
                mean(values),
                bar=at_most(1.005) if rule == "lexicographic" else None,
                detail=f"from {min(values):.4f} to {max(values):.4f}",
            )
