"""Reads tables about users: the place where each user is, or its current broker."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from topicweave.columns import BROKER
from topicweave.content.cells import read_cells
from topicweave.errors import InputError, ReadError
from topicweave.files import as_path

if TYPE_CHECKING:
    import pandas as pd

    UserTable = Mapping[Any, Any] | pd.DataFrame | str | os.PathLike[str]

USER, PLACE = "user", "place"
PLACEMENT_FILE = "assignment.parquet"  # in a plan folder


def read_places(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read a CSV file (possibly gzipped) whose header names the columns ``user`` and ``place``."""
    return _read(path, PLACE, "places")


def as_places(given: UserTable) -> dict[str, str]:
    """The place of each user, from a mapping, a data frame with the columns user and place, or a file."""
    return _as_pairs(given, PLACE, "places")


def as_placement(given: UserTable) -> dict[str, str]:
    """The broker of each user, given as for :func:`as_places`; or a plan folder, or the table in it."""
    if isinstance(given, str | os.PathLike) and os.path.isdir(os.path.expanduser(given)):
        given = os.path.join(os.path.expanduser(given), PLACEMENT_FILE)
    return _as_pairs(given, BROKER, "placement")


def _as_pairs(given: UserTable, column: str, what: str) -> dict[str, str]:
    if isinstance(given, Mapping):
        return {str(user): str(value) for user, value in given.items()}
    if isinstance(given, str | os.PathLike):
        return _read(given, column, what)
    table: Any = given
    if hasattr(table, "toPandas"):  # a Spark data frame
        table = table.toPandas()
    if not hasattr(table, "columns"):
        raise InputError(
            f"The {what} must be a mapping of user to {column}, a data frame or a file, but got a "
            f"{type(given).__name__}."
        )
    if not {USER, column} <= set(table.columns):
        raise InputError(f"The data frame of {what} has no columns user and {column}; name them so.")
    return _paired(table[USER].astype(str), table[column].astype(str), column, what)


def _paired(users: Iterable[str], values: Iterable[str], column: str, what: str) -> dict[str, str]:
    """Each user's value; listing a user with two different values is an error."""
    found: dict[str, str] = {}
    for user, value in zip(users, values, strict=True):
        if found.setdefault(user, value) != value:
            raise InputError(
                f"In the {what}, the {column} of user {user!r} is both {found[user]!r} and {value!r}; list it once."
            )
    return found


def _read(path: str | os.PathLike[str], column: str, what: str) -> dict[str, str]:
    if as_path(path, f"the {what}").suffix == ".parquet":
        return _read_parquet(path, column, what)
    file, rows = read_cells(path, f"the {what}")
    if not rows or not {USER, column} <= set(rows[0]):
        raise ReadError(f"{file} has no columns user and {column}; give a CSV whose header names them.")
    user, value = rows[0].index(USER), rows[0].index(column)
    return _paired((row[user] for row in rows[1:]), (row[value] for row in rows[1:]), column, what)


def _read_parquet(path: str | os.PathLike[str], column: str, what: str) -> dict[str, str]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise ReadError(f"The {what} in {path} cannot be read: {error}.") from error
    if not {USER, column} <= set(table.column_names):
        raise ReadError(f"{path} has no columns user and {column}; name them so.")
    users, values = ([str(cell) for cell in table[name].to_pylist()] for name in (USER, column))
    return _paired(users, values, column, what)
