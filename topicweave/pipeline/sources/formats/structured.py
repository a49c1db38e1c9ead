"""Input that Spark parses itself: Parquet, ORC, tables, other formats, and data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql import types as T

from topicweave.columns import FILE, LINE, REASON
from topicweave.errors import ReadError, Remedy
from topicweave.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame


def select_fields(
    frame: DataFrame,
    columns: Mapping[str, str | int],
    wanted: Sequence[str],
    optional: Sequence[str],
    name: str,
    has_files: bool = False,
) -> DataFrame:
    """The requested fields as strings (or lists of strings), together with the whole row as JSON for the quarantine.

    ``has_files`` says that the rows come straight from files, so that Spark knows from which.
    """
    there = [field for field in optional if field in columns or field in frame.columns]
    fields = [_field(frame, field, columns.get(field), name) for field in (*wanted, *there)]
    # Spark computes the JSON of a row only where the column is used, which is for rows that go to the quarantine.
    whole = F.to_json(F.struct(*(F.col(_quoted(column)) for column in frame.columns)))
    file = F.col("_metadata.file_path") if has_files else F.lit(name)
    nothing = F.lit(None).cast("string")
    return frame.select(*fields, whole.alias(LINE), file.alias(FILE), nothing.alias(REASON))


def _field(frame: DataFrame, field: str, asked: str | int | None, name: str) -> Column:
    if isinstance(asked, int):
        if not 0 <= asked < len(frame.columns):
            raise ReadError(
                f"The {field} is asked for at position {asked}, but {name} has {len(frame.columns)} columns."
            )
        asked = frame.columns[asked]
    column = asked or field
    if column not in frame.columns:
        raise ReadError(
            "{name} has no column {column!r} but {columns}; {remedy}.",
            name=name, column=column, columns=shortened(frame.columns), field=field, remedy=Remedy.NAME_COLUMN,
        )  # fmt: skip
    kind = frame.schema[column].dataType
    value = F.col(_quoted(column))
    if isinstance(kind, T.ArrayType):
        return value.cast("array<string>").alias(field)
    if isinstance(kind, T.StructType | T.MapType):
        raise ReadError(
            f"Column {column!r} of {name} is a {kind.simpleString()}, which cannot be a label; choose another."
        )
    return value.cast("string").alias(field)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
