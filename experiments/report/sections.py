"""What the page will show, before it is written as Markdown: each experiment's judged claims, figures and tables."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE, NOT_JUDGED, NOT_MEASURED, STALE, Finding
from experiments.plotting import write_figure
from experiments.results import Results, load_all
from experiments.wanted import QUICK_SEEDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from experiments.claim import Claim
    from experiments.experiment import Experiment, Figure
    from experiments.results import Known, Published
    from experiments.run import Run


INCOMPLETE = (LookupError, TypeError)
"""Exceptions that judges and drawings raise if runs are missing, or a published result lacks a measure."""


@dataclass(frozen=True)
class Row:
    """A claim with its finding, and whether any result used was measured with code that has changed since."""

    claim: Claim
    num_seeds: int
    finding: Finding
    is_stale: bool = False


@dataclass(frozen=True)
class Section:
    """What the page shows about one experiment.

    Attributes
    ----------
    experiment
        The experiment.
    results
        Its results.
    known
        The same results, with the code that they are from.
    own
        The runs that its table lists; borrowed ones are in the table of their own experiment.
    rows
        Its claims, judged.
    figures
        The figures that could be drawn.
    tables
        Title, header and rows, note.
    missing
        Why it is not complete; empty if it is.
    """

    experiment: Experiment
    results: Results
    known: Mapping[Run, Known]
    own: tuple[Run, ...]
    rows: tuple[Row, ...]
    figures: tuple[Figure, ...]
    tables: tuple[tuple[str, list[list[str]], str], ...]
    missing: str


def section_of(
    experiment: Experiment,
    folder: Path,
    pictures: Path,
    published: Published,
    *,
    num_seeds: int | None,
    quick: bool,
) -> Section:
    """Compare the claims of an experiment with its results, and draw its figures and tables.

    A result that is missing in ``folder`` is taken from the results that were published earlier.
    """
    seeds = num_seeds or (QUICK_SEEDS if quick else experiment.num_seeds)
    runs = [run.reduced() if quick else run for run in experiment.runs(seeds)]
    known, stale = load_all(folder, runs, published)
    results = Results({run: one.result for run, one in known.items()}, seeds, quick, stale)
    missing = _missing(experiment, len(set(runs)) - len(known))
    rows = tuple(_judged(claim, results.unread(), missing) for claim in experiment.claims)
    figures, tables = [], []
    for figure in experiment.figures:
        try:
            write_figure(figure, results, pictures)
            figures.append(figure)
        except INCOMPLETE:
            continue
    for table in experiment.tables:
        try:
            tables.append((f"{table.title} ({seeds} seeds)", table.rows(results), table.note))
        except INCOMPLETE:
            continue
    own = {run.reduced() if quick else run for run in experiment.own_runs(seeds)} & known.keys()
    listed = tuple(sorted(own, key=lambda run: run.path))
    return Section(experiment, results, known, listed, rows, tuple(figures), tuple(tables), missing)


def _missing(experiment: Experiment, count: int) -> str:
    if not count:
        return ""
    needs = f"; it needs {', '.join(experiment.files)}" if experiment.files else ""
    return f"{count} results are missing: python -m experiments run {experiment.name}{needs}."


def _judged(claim: Claim, results: Results, missing: str) -> Row:
    try:
        finding = claim.judge(results)
    except INCOMPLETE:
        return Row(claim, results.num_seeds, Finding("", NOT_MEASURED, missing))
    if results.quick:
        finding = replace(finding, verdict=NOT_JUDGED)
    return Row(claim, results.num_seeds, finding, results.is_stale)


def counts_of(sections: Sequence[Section]) -> Counter[str]:
    """How many rows have each verdict; rows whose code has changed are also counted as STALE."""
    rows = [row for section in sections for row in section.rows]
    return Counter([row.finding.verdict for row in rows] + [STALE for row in rows if row.is_stale])


def summary(sections: Sequence[Section]) -> str:
    """How many rows hold."""
    counts = counts_of(sections)
    words = [f"{counts[HOLDS]} hold, {counts[IN_SHAPE]} hold in shape, {counts[DOES_NOT]} do not hold"]
    if counts[NOT_JUDGED]:
        words = [f"{counts[NOT_JUDGED]} not judged, for sizes were reduced"]
    if counts[NOT_MEASURED]:
        words.append(f"{counts[NOT_MEASURED]} not measured")
    if counts[STALE]:
        words.append(f"{counts[STALE]} of these verdicts are stale (the code has changed since)")
    return f"{sum(len(section.rows) for section in sections)} rows: {', '.join(words)}."
