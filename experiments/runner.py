"""Runs what is missing, in this process, and collects all results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.description import Run, reduced
from experiments.perform import perform
from experiments.results import Results, load, save

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from experiments.claim import Claim

    Found = dict[Run, Mapping[str, Any]]


def wanted_runs(claims: Iterable[Claim], *, num_seeds: int | None, quick: bool) -> list[Run]:
    """Every run once, heavy workloads first, runs of one workload side by side."""
    declared = (run for claim in claims for run in claim.runs(num_seeds))
    runs = dict.fromkeys(reduced(run) if quick else run for run in declared)
    heaviest: dict[str, float] = {}
    for run in runs:
        heaviest[run.workload.path] = max(heaviest.get(run.workload.path, 0.0), run.cost)
    return sorted(runs, key=lambda run: (-heaviest[run.workload.path], run.workload.path, run.seed, -run.cost))


def collect(runs: Sequence[Run], folder: Path, *, begin: Callable[[Run], None], done: Callable[[Run], None]) -> Found:
    """The result of every run; those that are there already are read, the others are run and written.

    Parameters
    ----------
    runs
        What is wanted.
    folder
        Where results are kept. Interrupted or killed, the next call goes on with the runs that are missing.
    begin, done
        Called before and after each run that has to be run.
    """
    found: Found = {}
    missing = []
    for run in runs:
        known = load(folder, run)
        if known is None:
            missing.append(run)
        else:
            found[run] = known
            done(run)
    for run in missing:
        begin(run)
        result = perform(run)
        save(folder, run, result)
        found[run] = result
        done(run)
    return found


def view(claim: Claim, found: Found, *, num_seeds: int | None, quick: bool) -> Results:
    """The results as the claim's judge wants to see them."""
    return Results(found, num_seeds or claim.num_seeds, quick)
