"""Write figures, tables and the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.report import html, markdown
from experiments.report.sections import section_of, summary
from experiments.report.tables import write_csv

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from experiments.experiment import Experiment


@dataclass(frozen=True)
class Made:
    """What was written, and the outcome in a line."""

    pages: tuple[Path, ...]
    summary: str


def write_report(
    experiments: Sequence[Experiment], folder: Path, docs: Path, *, num_seeds: int | None = None, quick: bool = False
) -> Made:
    """Judge and draw experiments from their result files.

    Parameters
    ----------
    experiments
        In the order of the page.
    folder
        Where the results are.
    docs
        Gets ``claims.md`` and ``claims.html``, and figures and tables in ``claims/``.
    num_seeds, quick
        As given to the run.
    """
    beside = docs / "claims"
    sections = [section_of(e, folder, beside, num_seeds=num_seeds, quick=quick) for e in experiments]
    for section in sections:
        write_csv(section, beside)
    pages = []
    for name, text in (("claims.md", markdown.page(sections)), ("claims.html", html.page(sections))):
        pages.append(docs / name)
        pages[-1].write_text(text, encoding="utf-8")
    return Made(tuple(pages), summary(sections))
