"""Results as small tables: a CSV for each experiment, with a row for each run."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from experiments.report.sections import Section


def write_csv(section: Section, folder: Path) -> Path:
    """Write what was measured; lists (curves) are cells of numbers separated by spaces."""
    folder.mkdir(parents=True, exist_ok=True)
    measures = list(dict.fromkeys(name for run in section.own for name in section.results.found[run]))
    file = folder / f"{section.experiment.name}.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["on", "do", "seed", *measures])
        for run in section.own:
            found = section.results.found[run]
            cells = [_cell(found.get(name, "")) for name in measures]
            writer.writerow([run.subject.path, run.action.path, run.seed, *cells])
    return file


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_cell, value))
    return f"{value:.5g}" if isinstance(value, float) else str(value)
