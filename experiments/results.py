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
    Published = Mapping[tuple[str, str, int], "Known"]
    """The results in the tables beside the page, by the key of a run."""


@dataclass(frozen=True)
class Known:
    """A result that exists.

    Attributes
    ----------
    code
        The digest of the code for which the result is valid.
    result
        The measures by name.
    measured_with
        The digest of the code that it was measured with, if that is another one (see ``experiments.confirming``); empty
        otherwise.
    """

    code: str
    result: Mapping[str, Any]
    measured_with: str = ""


def known(folder: Path, run: Run, published: Published | None = None) -> Known | None:
    """The result of a run from its file or, if no trustworthy file exists, from the tables beside the page."""
    try:
        found: dict[str, Any] = json.loads((folder / run.path).read_text(encoding="utf-8"))
        if found["run"] == _plain(run):
            return Known(found["code"], found["result"], found.get("measured_with", ""))
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return (published or {}).get(run.key)


def load(folder: Path, run: Run, published: Published | None = None) -> Mapping[str, Any] | None:
    """The result of a run; None if there is none for exactly this run with the current code.

    Results beside the page, ``published``, stand in for those that the folder lacks.
    """
    found = known(folder, run, published)
    return found.result if found is not None and found.code == digest_of(run) else None


def save(folder: Path, run: Run, result: Mapping[str, Any], measured_with: str = "") -> None:
    """Write a result so that its file is either complete or absent, even if the process is killed.

    ``measured_with`` is the digest of the code it was measured with, if that is not the present code.
    """
    content = {"run": _plain(run), "code": digest_of(run), "measured_with": measured_with, "result": dict(result)}
    file = folder / run.path
    file.parent.mkdir(parents=True, exist_ok=True)
    # not forced to disk, because a lost result can be computed again
    unfinished = file.with_name(f".{file.name}.{os.getpid()}")
    unfinished.write_text(json.dumps(content) + "\n", encoding="utf-8")
    unfinished.replace(file)


def load_all(folder: Path, runs: Iterable[Run], published: Published) -> tuple[dict[Run, Known], frozenset[Run]]:
    """The results of runs, and which of them are stale, that is, not valid for the present code.

    Parameters
    ----------
    folder
        Results of this checkout.
    runs
        The runs.
    published
        Results beside the page, which replace those that the folder lacks.
    """
    found = {run: one for run in runs if (one := known(folder, run, published)) is not None}
    return found, frozenset(run for run, one in found.items() if one.code != digest_of(run))


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
