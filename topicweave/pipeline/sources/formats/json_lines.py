"""JSON lines: one object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from topicweave.columns import FILE, LINE, REASON
from topicweave.errors import ReadError
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.sources.formats.lines import reason_of_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame

_CORRUPT = "_corrupt"
_PARSED = "_parsed"


def select_fields(
    lines: DataFrame, columns: Mapping[str, str | int], wanted: Sequence[str], optional: Sequence[str]
) -> DataFrame:
    """The wanted fields of every line as strings; a list arrives as its JSON text, see :func:`as_list`."""
    names = {field: columns.get(field, field) for field in (*wanted, *optional)}
    for field, name in names.items():
        if not isinstance(name, str):
            raise ReadError(f"The {field} of JSON lines is found by name, not at position {name}; give its name.")
    schema = ", ".join(
        [*(f"{_quoted(str(name))} STRING" for name in dict.fromkeys(names.values())), f"{_CORRUPT} STRING"]
    )
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": _CORRUPT}
    parsed = lines.select(LINE, FILE, reason_of_line(None).alias(REASON)).withColumn(
        _PARSED, F.from_json(F.when(F.col(REASON).isNull(), F.col(LINE)), schema, options)
    )
    fields = {field: F.col(_PARSED)[str(name)] for field, name in names.items()}
    reason = F.when(F.col(REASON).isNotNull(), F.col(REASON)).when(
        F.col(_PARSED)[_CORRUPT].isNotNull() | F.col(_PARSED).isNull(), reasons.MALFORMED_JSON
    )
    for value in fields.values():
        reason = reason.when(F.startswith(value, F.lit("{")) & _is_object(value), reasons.NESTED_VALUE)
    return parsed.select(*(value.alias(field) for field, value in fields.items()), LINE, FILE, reason.alias(REASON))


def as_list(column: Column) -> Column:
    """A text that is a JSON list, as an array of its items; any other text, as an array of itself."""
    looks_like_one = F.startswith(column, F.lit("["))
    items = F.from_json(F.when(looks_like_one, column), "ARRAY<STRING>")
    return F.when(looks_like_one & items.isNotNull(), items).otherwise(F.array(column))


def _is_object(column: Column) -> Column:
    return F.from_json(column, "MAP<STRING, STRING>").isNotNull()


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
