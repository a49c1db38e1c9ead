"""Result files, and the view of them that claims are judged by."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from experiments.description import Asked, Run, Workload, reduced

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray


def load(folder: Path, run: Run) -> dict[str, Any] | None:
    """The result of a run, or None if there is none of this very run and this version of the package."""
    try:
        found = json.loads((folder / run.path).read_text(encoding="utf-8"))
        known = found["run"] == _plain(run) and found["topicweave"] == tw.__version__
        result: dict[str, Any] = found["result"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return result if known else None


def save(folder: Path, run: Run, result: Mapping[str, Any]) -> None:
    """Write a result; a file is there whole or not at all, whenever the process is killed."""
    file = folder / run.path
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {"run": _plain(run), "topicweave": tw.__version__, "result": dict(result)}
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(content) + "\n", encoding="utf-8")
    unfinished.replace(file)


def _plain(run: Run) -> Any:
    """As JSON gives it back: lists for tuples."""
    return json.loads(json.dumps(run.as_dict()))


@dataclass(frozen=True)
class Results:
    """What claims look at: a measure over the seeds, for a workload and an algorithm as declared.

    In a quick run the workloads were reduced; declared names find their reduced results.
    """

    found: Mapping[Run, Mapping[str, Any]]
    num_seeds: int
    quick: bool = False

    def __call__(self, workload: Workload, asked: Asked, measure: str) -> NDArray[np.float64]:
        """The measure for seed 0, 1, …"""
        runs = [Run(workload, asked, seed) for seed in range(self.num_seeds)]
        return np.array([self.found[reduced(run) if self.quick else run][measure] for run in runs], dtype=np.float64)


def mean(values: NDArray[np.float64]) -> float:
    return float(values.mean())


def spread(values: NDArray[np.float64], form: str = ".2f") -> str:
    """Mean ± standard deviation over the seeds."""
    deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return f"{mean(values):{form}} ± {deviation:{form}}"
