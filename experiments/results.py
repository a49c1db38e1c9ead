"""Result files, and an object through which claims and figures read them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.digest import digest_of
from experiments.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from experiments.run import Action, Subject

    Found = dict[Run, Mapping[str, Any]]
    Published = Mapping[tuple[str, str, int], tuple[str, Mapping[str, Any]]]
    """By the key of a run: the digest of the code, and the result."""


def load(folder: Path, run: Run, published: Published | None = None) -> Mapping[str, Any] | None:
    """The result of a run; None if there is none for exactly this run with the current code.

    Results beside the page, ``published``, stand in for those that the folder lacks.
    """
    found = _read(folder, run)
    code, result = (found["code"], found["result"]) if found else (published or {}).get(run.key, ("", None))
    return result if code == digest_of(run) else None


def _read(folder: Path, run: Run) -> dict[str, Any] | None:
    """The content of a run's result file; None if there is no file that can be trusted."""
    try:
        found: dict[str, Any] = json.loads((folder / run.path).read_text(encoding="utf-8"))
        is_known = found["run"] == _plain(run) and {"code", "result"} <= found.keys()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if is_known else None


def save(folder: Path, run: Run, result: Mapping[str, Any]) -> None:
    """Write a result so that its file is either complete or absent, even if the process is killed."""
    content = {"run": _plain(run), "code": digest_of(run), "result": dict(result)}
    file = folder / run.path
    file.parent.mkdir(parents=True, exist_ok=True)
    # not forced to disk, because a lost result can be computed again
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(content) + "\n", encoding="utf-8")
    unfinished.replace(file)


def load_all(folder: Path, runs: Iterable[Run], published: Published) -> tuple[Found, frozenset[Run]]:
    """The results of runs, and which of them are stale, that is, measured with code that has changed since.

    Parameters
    ----------
    folder
        Results of this checkout.
    runs
        The runs.
    published
        Results beside the page, which replace those that the folder lacks.
    """
    found: Found = {}
    stale: set[Run] = set()
    for run in runs:
        read = _read(folder, run)
        code, result = (read["code"], read["result"]) if read is not None else published.get(run.key, ("", None))
        if result is not None:
            found[run] = result
            if code != digest_of(run):
                stale.add(run)
    return found, frozenset(stale)


def _plain(run: Run) -> Any:
    """The description of a run after a round trip through JSON, which turns tuples into lists."""
    return json.loads(json.dumps(run.as_dict()))


@dataclass(frozen=True)
class Results:
    """Gives access to measured values by subject and action, one value per seed.

    In a quick run, small versions of subjects and actions are used: whoever asks for the results of a declared subject
    and action gets those of the small versions.

    Attributes
    ----------
    found
        The result of every run.
    num_seeds, quick
        As given to the runs.
    stale
        The runs whose code has changed since.
    looked_at
        The runs whose results were used so far.
    """

    found: Mapping[Run, Mapping[str, Any]]
    num_seeds: int
    quick: bool = False
    stale: frozenset[Run] = frozenset()
    looked_at: set[Run] = field(default_factory=set, compare=False)

    def __call__(self, subject: Subject, action: Action, measure: str) -> NDArray[np.float64]:
        """The values of a measure for seed 0, 1, …; if a value is a list, it becomes a row."""
        runs = self._runs(subject, action)
        self.looked_at.update(runs)
        return np.array([self.found[run][measure] for run in runs], dtype=np.float64)

    def kept(self, subject: Subject, action: Action, measure: str) -> int:
        """For how many seeds, counted from 0, results exist."""
        found = [self.found.get(run, {}) for run in self._runs(subject, action)]
        return next((seed for seed, result in enumerate(found) if measure not in result), len(found))

    def _runs(self, subject: Subject, action: Action) -> list[Run]:
        declared = [Run(subject, action, seed) for seed in range(self.num_seeds)]
        return [run.reduced() for run in declared] if self.quick else declared

    def of(self, num_seeds: int) -> Results:
        """The same results, limited to the first seeds."""
        return replace(self, num_seeds=num_seeds)

    def unread(self) -> Results:
        """The same results, with no record of which were used."""
        return replace(self, looked_at=set())

    @property
    def is_stale(self) -> bool:
        """Whether any of the results that were used is stale."""
        return not self.stale.isdisjoint(self.looked_at)


def mean(values: NDArray[np.float64]) -> float:
    return float(values.mean())


def deviation(values: NDArray[np.float64]) -> float:
    """The standard deviation over the seeds."""
    return float(values.std(ddof=1)) if len(values) > 1 else 0.0


def correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The correlation over the seeds; 0 if it is undefined."""
    if min(deviation(one), deviation(other)) == 0:
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])


def spread(values: NDArray[np.float64], form: str = ".2f") -> str:
    """Mean ± standard deviation over the seeds."""
    return f"{mean(values):{form}} ± {deviation(values):{form}}"


def from_to(values: Sequence[NDArray[np.float64]], form: str = ".2f") -> str:
    """The smallest and the largest of several means, each with its standard deviation."""
    least, most = min(values, key=mean), max(values, key=mean)
    return f"{spread(least, form)} to {spread(most, form)}"


def percent(values: NDArray[np.float64]) -> str:
    return spread(100 * values, ".1f")
