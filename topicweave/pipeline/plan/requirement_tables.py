"""Reads requirements from tables: link costs, the capacities of nodes, pairs of nodes or regions, and regions."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from topicweave.columns import NODE, SOURCE, TARGET
from topicweave.content.cells import read_cells
from topicweave.content.prices import read_prices
from topicweave.errors import ReadError
from topicweave.model import Requirements
from topicweave.outages import read_regions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Place = str | os.PathLike[str]

COST, MAX_DEGREE = "cost", "max_degree"
PAIRS = ("forbidden", "required", "allowed")


def requirements_from(**given: Any) -> Requirements | None:
    """Make requirements of the arguments of :class:`topicweave.Requirements`, each of which may also be the path of a
    CSV file; None if nothing is required.

    ``link_cost``
        A square table with names in the first row and column; or a row ``source,target,cost`` for each pair; or
        coordinates, a row ``node,x,y`` (or more columns of numbers) for each node or region.
    ``max_degree``
        A number as text, or a file with the columns ``node`` and ``max_degree``.
    ``forbidden``, ``required``, ``allowed``
        Files with the columns ``source`` and ``target``.
    ``regions``
        A file with the columns ``node`` and ``region``.
    """
    found = {name: value for name, value in given.items() if value is not None}
    if _is_path(found.get("link_cost")):
        found["link_cost"] = read_costs(found["link_cost"])
    if _is_path(found.get(MAX_DEGREE)):
        text = os.fspath(found[MAX_DEGREE])
        found[MAX_DEGREE] = int(text) if text.isascii() and text.isdigit() else read_caps(text)
    for name in PAIRS:
        if _is_path(found.get(name)):
            found[name] = read_pairs(found[name], f"the {name} pairs")
    if _is_path(found.get("regions")):
        found["regions"] = read_regions(found["regions"])
    made = Requirements(**found)
    return made if made.names or made.regions else None


def read_costs(path: Place) -> Any:
    """Read link costs from a CSV file in one of the forms that :func:`requirements_from` lists; returns what
    :class:`topicweave.Requirements` takes.
    """
    file, rows = read_cells(path, "the link costs")
    head = [name.strip() for name in rows[0]] if rows else []
    if SOURCE in head and TARGET in head:
        others = [name for name in head if name not in (SOURCE, TARGET)]
        column = COST if COST in others else others[0] if len(others) == 1 else None
        if column is None:
            raise ReadError(f"{file} needs a column {COST!r} beside {SOURCE!r} and {TARGET!r}, but has {head}.")
        return {
            (one, other): _number(cell, file, f"the cost of {one!r} and {other!r}")
            for one, other, cell in _columns(rows, head, (SOURCE, TARGET, column))
        }
    if len(head) < 2 or len(rows) < 2:
        raise ReadError(
            f"{file} holds no link costs; give a square table, rows of {SOURCE},{TARGET},{COST}, or coordinates."
        )
    if head[1:] == [row[0].strip() for row in rows[1:]]:
        return read_prices(path)
    return {
        row[0].strip(): tuple(_number(cell, file, f"a coordinate of {row[0]!r}") for cell in row[1:])
        for row in rows[1:]
    }


def read_caps(path: Place) -> Mapping[str, int]:
    """Read the maximum degree of each node from a CSV file with the columns ``node`` and ``max_degree``."""
    file, rows, head = _table(path, "the capacities", (NODE, MAX_DEGREE))
    found: dict[str, int] = {}
    for node, cell in _columns(rows, head, (NODE, MAX_DEGREE)):
        if not (cell.isascii() and cell.isdigit()):
            raise ReadError(
                f"{file} gives {node!r} the {MAX_DEGREE} {cell!r}; it must be a whole number of at least 0."
            )
        if found.setdefault(node, int(cell)) != int(cell):
            raise ReadError(f"{file} gives {node!r} two different capacities; list every node once.")
    return found


def read_pairs(path: Place, what: str = "the pairs") -> list[tuple[str, str]]:
    """Read pairs of nodes or regions from a CSV file with the columns ``source`` and ``target``."""
    _, rows, head = _table(path, what, (SOURCE, TARGET))
    return [(one, other) for one, other in _columns(rows, head, (SOURCE, TARGET))]


def _table(path: Place, what: str, needed: Sequence[str]) -> tuple[os.PathLike[str], list[list[str]], list[str]]:
    file, rows = read_cells(path, what)
    head = [name.strip() for name in rows[0]] if rows else []
    if not set(needed) <= set(head):
        raise ReadError(f"{file} needs the columns {' and '.join(map(repr, needed))}, but has {head}; add a header.")
    return file, rows, head


def _columns(rows: list[list[str]], head: list[str], names: Sequence[str]) -> list[list[str]]:
    places = [head.index(name) for name in names]
    return [[row[at].strip() for at in places] for row in rows[1:]]


def _number(cell: str, file: object, what: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise ReadError(f"{file} has {cell!r} for {what}; it must be a number.") from None


def _is_path(given: Any) -> bool:
    return isinstance(given, str | os.PathLike)
