"""Results as small tables: a compressed CSV file per experiment, with a row for each run.

They are committed beside the page, so that it can be written again and compared with the code of today without running
everything again.
"""

from __future__ import annotations

import csv
import gzip
import io
from typing import TYPE_CHECKING, Any

from experiments.results import Known

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from experiments.report.sections import Section
    from experiments.results import Published

KEY = ("on", "do", "seed", "code", "measured_with")
ENDING = ".csv.gz"


def write_table(section: Section, folder: Path) -> Path:
    """Write the results; a list, such as a curve, becomes a cell of numbers separated by spaces."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {run: section.known[run] for run in section.own}
    measures = list(dict.fromkeys(name for one in known.values() for name in one.result))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*KEY, *measures])
    for run, one in known.items():
        cells = (_cell(one.result.get(name, "")) for name in measures)
        writer.writerow([*run.key, one.code, one.measured_with, *cells])
    file = folder / f"{section.experiment.name}{ENDING}"
    file.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))
    return file


def read_tables(files: Iterable[Path]) -> Published:
    """Read the tables that were published beside the page; the keys are those of the runs."""
    known: dict[tuple[str, str, int], Known] = {}
    for file in files:
        rows = csv.DictReader(io.StringIO(gzip.decompress(file.read_bytes()).decode()))
        for row in rows:
            key = row.pop("on"), row.pop("do"), int(row.pop("seed"))
            code, measured_with = row.pop("code", ""), row.pop("measured_with", "")
            known[key] = Known(code, {name: _value(cell) for name, cell in row.items() if cell}, measured_with)
    return known


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return f"{' '.join(map(_cell, value))} "  # the trailing space distinguishes a list with one item from a number
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def _value(cell: str) -> Any:
    if " " in cell:
        return [_value(part) for part in cell.split()]
    constants = {"True": True, "False": False, "None": None}
    if cell in constants:
        return constants[cell]
    # whole numbers stay whole, because floats are rounded when the table is written again
    return int(cell) if cell.lstrip("-").isdigit() else float(cell)
