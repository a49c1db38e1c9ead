"""The named instances: generator, parameters, seed, and a digest that identifies the result."""

from __future__ import annotations

from typing import Any, NamedTuple

import topicweave as tw
from benchmarks.records.checker import digest_of

TEN: dict[str, Any] = {"num_topics": 100, "subscriptions": 10}
LAWS: dict[str, dict[str, Any]] = {
    "uniform": {"popularity": "uniform"},
    "zipf": {"popularity": "zipf", "alpha": 0.5},
    "exponential": {"popularity": "exponential"},
}


class Instance(NamedTuple):
    """The parameters and seed for ``tw.workloads.synthetic``, and whether the record is in the source tree."""

    parameters: dict[str, Any]
    is_stored: bool

    def draw(self) -> tw.Interest:
        return tw.workloads.synthetic(**self.parameters)


def _ten_each(num_nodes: int, law: str, seed: int) -> dict[str, Any]:
    return {"num_nodes": num_nodes, **TEN, **LAWS[law], "seed": seed}


INSTANCES = {
    **{f"{law}-100-{seed}": Instance(_ten_each(100, law, seed), True) for law in LAWS for seed in (1, 2)},
    **{f"{law}-300-1": Instance(_ten_each(300, law, 1), True) for law in LAWS},
    "mixed-100-1": Instance(
        {"num_nodes": 100, "num_topics": 60, "popularity": "uniform", "subscriptions": (6, 40), "seed": 1}, True
    ),
    **{f"{law}-1000-1": Instance(_ten_each(1000, law, 1), False) for law in LAWS},
    "power-2000-1": Instance(
        {"num_nodes": 2000, "num_topics": 200, "popularity": "uniform", "subscriptions": (10, 90), "seed": 1}, False
    ),
}


def digest(interest: tw.Interest) -> str:
    """The digest by which the checker recognises an instance."""
    return digest_of(interest.indptr, interest.indices)
