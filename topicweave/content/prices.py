"""Prices from a latency matrix: a square table with labels on both sides, in which values may be missing."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.content.cells import read_cells
from topicweave.content.validation import metric_closure
from topicweave.errors import InputError, ReadError
from topicweave.model.labels import as_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Prices:
    """The price between any two places: the mean of both directions; missing values become the cheapest detour.

    An infinite price means that there is no link; a gap, that its price is unknown.
    """

    places: tuple[str, ...]
    matrix: NDArray[np.float64] = field(repr=False)
    num_filled: int = 0

    def between(self, rows: Sequence[str], columns: Sequence[str]) -> NDArray[np.float64]:
        """The prices between two lists of places, as a matrix."""
        number = {place: position for position, place in enumerate(self.places)}
        for place in (*as_labels(rows, "place"), *as_labels(columns, "place")):
            if place not in number:
                raise InputError(
                    f"There is no place {place!r} in the prices, which know {len(number)}; check the spelling."
                )
        return self.matrix[np.ix_([number[place] for place in rows], [number[place] for place in columns])]


def read_prices(path: str | os.PathLike[str]) -> Prices:
    """Read a CSV file (possibly gzipped) with places in the first row and column; the other cells are numbers, inf, or
    empty.
    """
    file, rows = read_cells(path, "the prices")
    if len(rows) < 2:
        raise ReadError(f"{file} holds no prices; give a square table with places in the first row and column.")
    return _parse(tuple(rows[0][1:]), tuple(row[0] for row in rows[1:]), [row[1:] for row in rows[1:]], str(file))


def as_prices(given: Prices | pd.DataFrame | str | os.PathLike[str]) -> Prices:
    """Prices from a Prices object, from a square data frame whose index and columns are the places, or from a file."""
    if isinstance(given, Prices):
        return given
    if isinstance(given, str | os.PathLike):
        return read_prices(given)
    if not hasattr(given, "index") or not hasattr(given, "columns"):
        raise InputError(f"Prices are a Prices object, a data frame or a file, but got a {type(given).__name__}.")
    columns, rows = (tuple(map(str, labels)) for labels in (given.columns, given.index))
    return _parse(columns, rows, given.to_numpy().tolist(), "the data frame of prices")


def _parse(columns: tuple[str, ...], rows: tuple[str, ...], cells: Sequence[Sequence[Any]], source: str) -> Prices:
    if rows != columns:
        raise ReadError(
            f"The rows of {source} name other places than its columns, or in another order; give a square table."
        )
    twice = next((place for place in columns if columns.count(place) > 1), None)
    if twice is not None:
        raise ReadError(f"The place {twice!r} is listed twice in {source}; list every place once.")
    matrix = np.full((len(rows), len(columns)), np.nan)
    for r, line in enumerate(cells):
        for c, cell in enumerate(line):
            matrix[r, c] = _number(cell, source, rows[r], columns[c])
    return _filled(columns, matrix, source)


def _number(cell: Any, source: str, row: str, column: str) -> float:
    """The price in a cell; NaN if the cell is empty."""
    if cell is None or not str(cell).strip() or (isinstance(cell, float) and cell != cell):
        return float("nan")
    try:
        value = float(cell)
    except (TypeError, ValueError):
        value = -1.0
    if not value >= 0:
        raise ReadError(
            f"The price of {row!r} and {column!r} in {source} is {cell!r}; it must be a number of at least 0, or inf "
            f"where there is no link."
        )
    return value


def _filled(places: tuple[str, ...], matrix: NDArray[np.float64], source: str) -> Prices:
    np.fill_diagonal(matrix, 0.0)
    gaps = np.isnan(matrix)
    one_way = np.where(gaps, matrix.T, matrix)
    mean = np.where(gaps | gaps.T, one_way, (matrix + matrix.T) / 2)
    # if only one direction has a price, use it for both
    mean = np.where(np.isinf(mean), np.fmin(matrix, matrix.T), mean)
    missing = np.isnan(mean)
    if missing.any():
        closed = metric_closure(np.where(missing, np.inf, mean))
        mean = np.where(missing, closed, mean)
        if np.isinf(mean[missing]).any():
            r, c = np.argwhere(missing & np.isinf(mean))[0]
            raise ReadError(f"{source} gives no price, direct or by a detour, between {places[r]!r} and {places[c]!r}.")
    return Prices(places, mean, int(np.count_nonzero(np.triu(gaps & gaps.T))))
