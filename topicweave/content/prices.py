"""Prices from a latency matrix: a square table with labels on both sides, possibly with gaps."""

from __future__ import annotations

import csv
import gzip
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.validation import metric_closure
from topicweave.errors import InputError, ReadError
from topicweave.model.checks import as_path

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Prices:
    """The price between any two places: the mean of both directions, gaps filled by the cheapest detour."""

    places: tuple[str, ...]
    matrix: NDArray[np.float64] = field(repr=False)
    num_filled: int = 0

    def between(self, rows: Sequence[str], columns: Sequence[str]) -> NDArray[np.float64]:
        """The prices between two lists of places."""
        number = {place: position for position, place in enumerate(self.places)}
        for place in (*rows, *columns):
            if place not in number:
                raise InputError(
                    f"There is no place {place!r} in the prices, which know {len(number)}; check the spelling."
                )
        return self.matrix[np.ix_([number[place] for place in rows], [number[place] for place in columns])]


def read_prices(path: str | os.PathLike[str]) -> Prices:
    """Read a CSV (may be gzipped): places in the first row and the first column, numbers or nothing between."""
    file = as_path(path, "the prices")
    try:
        content = file.read_bytes()
        text = (gzip.decompress(content) if file.suffix == ".gz" else content).decode()
        rows = list(csv.reader(io.StringIO(text, newline="")))
    except (OSError, EOFError, UnicodeDecodeError, csv.Error) as error:
        raise ReadError(f"The prices in {file} cannot be read: {error}.") from error
    if len(rows) < 2:
        raise ReadError(f"{file} holds no prices; give a square table with places in the first row and column.")
    places = tuple(rows[0][1:])
    if tuple(row[0] for row in rows[1:] if row) != places:
        raise ReadError(
            f"The rows of {file} name other places than its columns, or in another order; give a square table."
        )
    matrix = np.full((len(places), len(places)), np.nan)
    for r, row in enumerate(rows[1:]):
        for c, text_value in enumerate(row[1:]):
            matrix[r, c] = _number(text_value, file, places[r], places[c])
    return _filled(places, matrix, file)


def _number(text: str, file: Path, row: str, column: str) -> float:
    if not text.strip():
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise ReadError(
            f"The price of {row!r} and {column!r} in {file} is {text!r}; it must be a number of at least 0."
        )
    return value


def _filled(places: tuple[str, ...], matrix: NDArray[np.float64], file: Path) -> Prices:
    np.fill_diagonal(matrix, 0.0)
    gaps = np.isnan(matrix)
    one_way = np.where(gaps, matrix.T, matrix)
    mean = np.where(gaps | gaps.T, one_way, (matrix + matrix.T) / 2)
    missing = np.isnan(mean)
    if missing.any():
        closed = metric_closure(np.where(missing, np.inf, mean))
        mean = np.where(missing, closed, mean)
        if np.isinf(mean).any():
            r, c = np.argwhere(np.isinf(mean))[0]
            raise ReadError(f"{file} gives no price, direct or by a detour, between {places[r]!r} and {places[c]!r}.")
    return Prices(places, mean, int(np.count_nonzero(np.triu(gaps & gaps.T))))
