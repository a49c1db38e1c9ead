"""Decides which runs to execute, in which order, and which cannot be executed on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.table import EXPERIMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from experiments.experiment import Experiment
    from experiments.run import Run

QUICK_SEEDS = 1


def chosen(names: Sequence[str]) -> tuple[Experiment, ...]:
    """The experiments with these names; the name of a paper means all its experiments, and no name means all of them.

    Raises
    ------
    KeyError
        With the first unknown name.
    """
    for name in names:
        if not any(_is_called(experiment, name) for experiment in EXPERIMENTS):
            raise KeyError(name)
    return tuple(e for e in EXPERIMENTS if not names or any(_is_called(e, name) for name in names))


def _is_called(experiment: Experiment, name: str) -> bool:
    ids = {claim.id.lower() for claim in experiment.claims}
    return name.lower() in {experiment.name, experiment.paper, *ids}


def runs_of(experiments: Iterable[Experiment], *, num_seeds: int | None, quick: bool) -> list[Run]:
    """Every run once: large subjects first, and runs with the same subject and seed together, because they share its
    data.
    """
    declared = (run for e in experiments for run in e.runs(num_seeds or (QUICK_SEEDS if quick else None)))
    runs = dict.fromkeys(run.reduced() if quick else run for run in declared)
    heaviest: dict[str, float] = {}
    for run in runs:
        heaviest[run.subject.path] = max(heaviest.get(run.subject.path, 0.0), run.cost)
    return sorted(runs, key=lambda run: (-heaviest[run.subject.path], run.subject.path, run.seed, -run.cost))


def missing_files(runs: Iterable[Run], data: Path) -> set[str]:
    """The names of the data files that runs need and that are missing in the folder."""
    return {name for run in runs for name in run.subject.files if not (data / name).is_file()}
