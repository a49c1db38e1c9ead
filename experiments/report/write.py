"""Writes the figures, the tables and the page of claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.report import markdown
from experiments.report.sections import section_of, summary
from experiments.report.tables import ENDING, read_tables, write_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from experiments.experiment import Experiment


@dataclass(frozen=True)
class Made:
    """The files that were written, and a one-line summary."""

    pages: tuple[Path, ...]
    summary: str


def write_report(
    experiments: Sequence[Experiment], folder: Path, docs: Path, *, num_seeds: int | None = None, quick: bool = False
) -> Made:
    """Judge and draw experiments from their result files, and write the page.

    Parameters
    ----------
    experiments
        The experiments, in the order of the page.
    folder
        The folder of the results.
    docs
        The folder for the page ``claims.md`` and, in ``claims/``, a page of details, figures and a table of results for
        each experiment. Existing tables replace results that the folder lacks.
    num_seeds, quick
        As given to the runs.
    """
    beside = docs / "claims"
    beside.mkdir(parents=True, exist_ok=True)
    published = read_tables(sorted(beside.glob(f"*{ENDING}")))
    sections = [section_of(e, folder, beside, published, num_seeds=num_seeds, quick=quick) for e in experiments]
    pages = [docs / "claims.md"]
    pages[0].write_text(markdown.page(sections), encoding="utf-8")
    for section in sections:
        write_table(section, beside)
        pages.append(beside / f"{section.experiment.name}.md")
        pages[-1].write_text(markdown.details(section), encoding="utf-8")
    return Made(tuple(pages), summary(sections))
