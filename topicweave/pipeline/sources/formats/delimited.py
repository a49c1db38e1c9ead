"""Delimited text: CSV and TSV, with or without a header."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from topicweave.columns import FILE, LINE, REASON
from topicweave.errors import ReadError, Remedy
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.sources.formats.lines import first_line, reason_of_line
from topicweave.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

_CORRUPT = "_corrupt"
_PARSED = "_parsed"
SEPARATORS = ";\t|,"  # if a file has one column only, one of these in its first line is probably the right separator


@dataclass(frozen=True)
class Layout:
    """The separator and the other properties of delimited text."""

    separator: str
    quote: str
    comment: str | None
    header: bool


def select_fields(
    lines: DataFrame,
    columns: Mapping[str, str | int],
    wanted: Sequence[str],
    optional: Sequence[str],
    layout: Layout,
    name: str,
) -> DataFrame:
    """Select the requested fields of every line.

    A line that does not have as many columns as the first line gets a reason to reject it.
    """
    first = first_line(lines, layout.comment, must_be_text=layout.header)
    if first is None:
        raise ReadError(f"{name} holds no line that could be read; check that it is the right file.")
    names = _split(first, layout)
    places = {
        field: _place(field, columns.get(field), names, wanted, layout, name, must=field in wanted)
        for field in (*wanted, *optional)
    }
    reason = reason_of_line(layout.comment)
    if layout.header:
        reason = reason.when(F.col(LINE) == F.lit(first), reasons.HEADER)
    # Only lines that can be decoded are parsed; a line with the wrong number of columns ends up in the corrupt column.
    parsed = lines.select(LINE, FILE, reason.alias(REASON)).withColumn(
        _PARSED, F.from_csv(F.when(F.col(REASON).isNull(), F.col(LINE)), _schema(len(names)), _options(layout))
    )
    wrong = F.col(REASON).isNull() & F.col(_PARSED)[_CORRUPT].isNotNull()
    return parsed.select(
        *(F.col(_PARSED)[f"c{place}"].alias(field) for field, place in places.items() if place is not None),
        LINE,
        FILE,
        F.when(wrong, reasons.WRONG_COLUMNS).otherwise(F.col(REASON)).alias(REASON),
    )


def _split(line: str, layout: Layout) -> list[str]:
    if layout.quote:
        fields = next(csv.reader([line], delimiter=layout.separator, quotechar=layout.quote), [])
    else:
        fields = line.split(layout.separator)
    return [field.strip() for field in fields]


def _place(
    field: str, asked: str | int | None, names: list[str], wanted: Sequence[str], layout: Layout, name: str, must: bool
) -> int | None:
    """The position of a field; if there is none, the error shows what the file contains."""
    if isinstance(asked, int):
        if not 0 <= asked < len(names):
            raise ReadError(
                f"The field {field!r} is asked for at position {asked}, but the first line of {name} has "
                f"{len(names)} columns; positions count from 0."
            )
        return asked
    if layout.header:
        column = asked or field
        if names.count(column) > 1:
            raise ReadError(
                f"{name} has {names.count(column)} columns called {column!r}; give the position of the one that is "
                f"meant (from 0), and say that there is a header."
            )
        if column in names:
            return names.index(column)
        if not must and asked is None:
            return None
        other = next((sign for sign in SEPARATORS if len(names) == 1 and sign in names[0]), None)
        if other is not None:
            raise ReadError(
                "{name} has one column only, {columns}, when split at {cut!r}; name the character between its columns "
                "({remedy}).",
                name=name, columns=shortened(names), cut=layout.separator, separator=other, remedy=Remedy.SEPARATOR,
            )  # fmt: skip
        raise ReadError(
            "{name} has no column {column!r}: its first line reads {columns}; {remedy}, or {otherwise}.",
            name=name, column=column, columns=shortened(names), field=field,
            remedy=Remedy.NAME_COLUMN, otherwise=Remedy.NO_HEADER,
        )  # fmt: skip
    if asked is not None:
        raise ReadError(f"{name} was said to have no header, so the {field} cannot be found by name; give a position.")
    fields = list(wanted)
    if field not in fields:
        return None
    if len(names) < len(fields):
        raise ReadError(
            f"The first line of {name} has {len(names)} columns, but {len(fields)} are needed "
            f"({', '.join(fields)}); check the separator ({layout.separator!r})."
        )
    return fields.index(field)


def _schema(width: int) -> str:
    return ", ".join([*(f"c{place} STRING" for place in range(width)), f"{_CORRUPT} STRING"])


def _options(layout: Layout) -> dict[str, str]:
    return {
        "sep": layout.separator,
        "quote": layout.quote or "\0",
        "escape": layout.quote or "\0",
        "mode": "PERMISSIVE",
        "columnNameOfCorruptRecord": _CORRUPT,
    }
