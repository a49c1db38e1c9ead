"""LinkCost: what a link between any two nodes costs, given as a matrix, a table or coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError
from topicweave.model.labels import as_label, as_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORMS = "a square matrix, a data frame, {('a', 'b'): cost, ...} or {'a': (x, y), ...}"


class LinkCost:
    """What a link costs; the same in both directions, at least 0.

    Attributes
    ----------
    names
        Labels of nodes or regions, one for each row; None for a matrix in the order of ``interest.nodes``.
    table
        Costs, float64 (names, names); NaN where unknown. Inside a region the cost is 0 unless stated.
    points
        Coordinates in its place, float64 (names, dimensions): the cost is the distance.
    """

    names: tuple[str, ...] | None
    table: NDArray[np.float64] | None
    points: NDArray[np.float64] | None

    def __init__(
        self,
        names: tuple[str, ...] | None,
        table: NDArray[np.float64] | None = None,
        points: NDArray[np.float64] | None = None,
    ) -> None:
        self.names, self.table, self.points = names, table, points
        for array in (table, points):
            if array is not None:
                array.setflags(write=False)

    @classmethod
    def of(cls, given: Any) -> LinkCost:
        """Read costs in any of the accepted forms.

        >>> LinkCost.of({("eu", "us"): 80, ("eu", "asia"): 150}).names
        ('asia', 'eu', 'us')
        """
        if isinstance(given, LinkCost):
            return given
        if hasattr(given, "places") and hasattr(given, "matrix"):
            return cls(as_labels(given.places, "node"), _checked_table(given.matrix, is_matrix=False))
        if hasattr(given, "index") and hasattr(given, "columns"):
            rows, columns = tuple(map(str, given.index)), tuple(map(str, given.columns))
            if rows != columns or len(set(rows)) < len(rows):
                raise InputError("The rows and columns of link_cost= must have the same labels, each of them once.")
            return cls(rows, _checked_table(given.to_numpy(), is_matrix=False))
        if isinstance(given, Mapping):
            return _from_mapping(given)
        return cls(None, _checked_table(given, is_matrix=True))

    def _key(self) -> tuple[Any, ...]:
        # adding 0.0 turns -0.0 into 0.0, so that equal costs have equal bytes
        arrays = ((a.shape, (a + 0.0).tobytes()) if a is not None else None for a in (self.table, self.points))
        return (self.names, *arrays)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LinkCost) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        form = "coordinates" if self.points is not None else "table" if self.names is not None else "matrix"
        array = self.points if self.points is not None else self.table
        return f"LinkCost({form} of {0 if array is None else len(array)})"


def _numbers(given: Any) -> NDArray[np.float64]:
    """Copy the given numbers to a float64 array.

    If they are not numbers, the result is a zero-dimensional NaN, which every caller refuses because of its shape.
    """
    try:
        array = np.array(given)
        if array.dtype.kind in "iufO" and not _holds_texts(array):
            return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    return np.array(np.nan)


def _holds_texts(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "O" and any(isinstance(one, str | bytes) for one in array.ravel())


def _checked_table(given: Any, *, is_matrix: bool) -> NDArray[np.float64]:
    table = _numbers(given)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise InputError(f"link_cost= needs {FORMS}, but got a {type(given).__name__} of another shape or kind.")
    if is_matrix and np.isnan(table).any():
        raise InputError("The matrix link_cost= has gaps (NaN); give a cost for every pair.")
    if (table < 0).any() or np.isinf(table).any():
        bad = float(table[(table < 0) | np.isinf(table)][0])
        raise InputError(f"A link's cost must be a finite number of at least 0, but one is {bad}; forbid such pairs.")
    diagonal = np.diagonal(table)
    np.fill_diagonal(table, np.where(np.isnan(diagonal), 0.0, diagonal))
    one_way = np.where(np.isnan(table), table.T, table)
    if not np.allclose(one_way, one_way.T, rtol=1e-9, atol=0, equal_nan=True):
        row, column = np.argwhere(~np.isclose(one_way, one_way.T, rtol=1e-9, atol=0, equal_nan=True))[0]
        raise InputError(
            f"link_cost= has {table[row, column]:g} in one direction and {table[column, row]:g} in the other for the "
            f"pair in rows {row} and {column}; a link has one cost, so give the mean or the larger."
        )
    return one_way


def _from_mapping(given: Mapping[Any, Any]) -> LinkCost:
    if not given:
        raise InputError(f"link_cost= is empty; give {FORMS}.")
    if all(isinstance(key, tuple) and len(key) == 2 for key in given):
        return _from_pairs(given)
    names = tuple(sorted({as_label(key, "node") for key in given}))
    by_name = {as_label(key, "node"): value for key, value in given.items()}
    try:
        points = _numbers([tuple(by_name[name]) for name in names])
    except TypeError:
        points = np.array(np.nan)
    if points.ndim != 2 or not points.shape[1] or not np.isfinite(points).all():
        raise InputError("link_cost= by coordinates needs as many finite numbers for every label; for example (x, y).")
    return LinkCost(names, points=points)


def _from_pairs(given: Mapping[Any, Any]) -> LinkCost:
    costs = {(as_label(one, "node"), as_label(other, "node")): cost for (one, other), cost in given.items()}
    names = tuple(sorted({name for pair in costs for name in pair}))
    number = {name: position for position, name in enumerate(names)}
    values = _numbers(list(costs.values()))
    if values.ndim != 1 or np.isnan(values).any():
        raise InputError("A link's cost must be a number, but link_cost= has other values; give one number per pair.")
    table = np.full((len(names), len(names)), np.nan)
    for (one, other), cost in zip(costs, values.tolist(), strict=True):
        table[number[one], number[other]] = cost
    return LinkCost(names, _checked_table(table, is_matrix=False))
