"""Reads small CSV files of prices and places as rows of text, so that an error can name the cell that is wrong.

This uses ``csv`` and a few checks of our own: Arrow and pandas were tried and rejected, because they refuse or misread
rows that end early or with a comma (docs/design-decisions.md).
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from typing import TYPE_CHECKING

from topicweave.errors import ReadError
from topicweave.files import as_path

if TYPE_CHECKING:
    import os
    from pathlib import Path


def read_cells(path: str | os.PathLike[str], what: str) -> tuple[Path, list[list[str]]]:
    """The name of the file, and its rows, the header first; every row has as many cells as the header.

    Blank lines are skipped, and so are empty cells after the last name of the header; a row that ends early is filled
    with empty cells.

    Parameters
    ----------
    path
        A CSV in UTF-8; gzipped if its name ends in ``.gz``.
    what
        What the file contains, for messages: ``"the prices"``.
    """
    file = as_path(path, what)
    try:
        content = file.read_bytes()
        text = (gzip.decompress(content) if file.suffix == ".gz" else content).decode("utf-8-sig")
        rows = list(csv.reader(io.StringIO(text, newline="")))
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise ReadError(f"{what.capitalize()} in {file} cannot be read: {error}.") from error
    rows = [row for row in rows if any(cell.strip() for cell in row)]
    width = max((number for number, name in enumerate(rows[0], 1) if name.strip()), default=0) if rows else 0
    for row in rows:
        more = next((cell for cell in row[width:] if cell.strip()), None)
        if more is not None:
            raise ReadError(
                f"The row {','.join(row)!r:.80} of {file} has more cells than its header has names; "
                f"name the column of {more!r}, or put quotes around what belongs together."
            )
    return file, [row[:width] + [""] * (width - len(row)) for row in rows]
