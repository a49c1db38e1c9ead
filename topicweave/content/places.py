"""Places: where each user is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from topicweave.content.cells import read_cells
from topicweave.errors import InputError, ReadError

if TYPE_CHECKING:
    import pandas as pd

USER, PLACE = "user", "place"


def read_places(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read a CSV (may be gzipped) whose header names the columns ``user`` and ``place``."""
    file, rows = read_cells(path, "the places")
    if not rows or not {USER, PLACE} <= set(rows[0]):
        raise ReadError(f"{file} has no columns user and place; give a CSV whose header names them.")
    user, place = rows[0].index(USER), rows[0].index(PLACE)
    return {row[user]: row[place] for row in rows[1:]}


def as_places(given: Mapping[Any, Any] | pd.DataFrame | str | os.PathLike[str]) -> dict[str, str]:
    """The place of each user, from a mapping, from a data frame with the columns user and place, or from a file."""
    if isinstance(given, Mapping):
        return {str(user): str(place) for user, place in given.items()}
    if isinstance(given, str | os.PathLike):
        return read_places(given)
    table: Any = given
    if hasattr(table, "toPandas"):  # a data frame of Spark
        table = table.toPandas()
    if not hasattr(table, "columns"):
        raise InputError(
            f"Places are a mapping of user to place, a data frame or a file, but got a {type(given).__name__}."
        )
    if not {USER, PLACE} <= set(table.columns):
        raise InputError("The data frame of places has no columns user and place; name them so.")
    return dict(zip(table[USER].astype(str), table[PLACE].astype(str), strict=True))
