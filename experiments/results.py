"""Result files, and the view of them that claims are judged by and figures are drawn from."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from experiments.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from experiments.run import Action, Subject

    Found = dict[Run, Mapping[str, Any]]


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


def load_all(folder: Path, runs: Iterable[Run]) -> Found:
    """The results that are there."""
    loaded = ((run, load(folder, run)) for run in runs)
    return {run: result for run, result in loaded if result is not None}


def _plain(run: Run) -> Any:
    """As JSON gives it back: lists for tuples."""
    return json.loads(json.dumps(run.as_dict()))


@dataclass(frozen=True)
class Results:
    """A measure over the seeds, for a subject and an action as declared.

    In a quick run both were reduced; declared ones find their reduced results.
    """

    found: Mapping[Run, Mapping[str, Any]]
    num_seeds: int
    quick: bool = False

    def __call__(self, subject: Subject, action: Action, measure: str) -> NDArray[np.float64]:
        """The measure for seed 0, 1, …; a row each where the measure is a list."""
        runs = [Run(subject, action, seed) for seed in range(self.num_seeds)]
        found = [self.found[run.reduced() if self.quick else run][measure] for run in runs]
        return np.array(found, dtype=np.float64)

    def kept(self, subject: Subject, action: Action, measure: str) -> int:
        """For how many seeds, from 0 on, the measure is there."""
        runs = [Run(subject, action, seed) for seed in range(self.num_seeds)]
        found = [self.found.get(run.reduced() if self.quick else run, {}) for run in runs]
        return next((seed for seed, result in enumerate(found) if measure not in result), len(found))

    def of(self, num_seeds: int) -> Results:
        """The same of the first seeds alone."""
        return Results(self.found, num_seeds, self.quick)


def mean(values: NDArray[np.float64]) -> float:
    return float(values.mean())


def deviation(values: NDArray[np.float64]) -> float:
    """Standard deviation over the seeds."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Over the seeds; 0 where there is nothing to correlate."""
    if min(deviation(one), deviation(other)) == 0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def spread(values: NDArray[np.float64], form: str = ".2f") -> str:
    """Mean ± standard deviation over the seeds."""
    return f"{mean(values):{form}} ± {deviation(values):{form}}"


def from_to(values: Sequence[NDArray[np.float64]], form: str = ".2f") -> str:
    """The least and the largest of several means, each with its deviation."""
    least, most = min(values, key=mean), max(values, key=mean)
    return f"{spread(least, form)} to {spread(most, form)}"


def percent(values: NDArray[np.float64]) -> str:
    return spread(100 * values, ".1f")
