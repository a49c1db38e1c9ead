"""JSON lines: text files with one JSON object per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from topicweave.columns import FILE, LINE, REASON, TOPIC
from topicweave.errors import ReadError
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.sources.formats.lines import reason_of_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame

_PARSED = "_parsed"
_END = "_end_of_line"


def select_fields(
    lines: DataFrame, columns: Mapping[str, str | int], wanted: Sequence[str], optional: Sequence[str]
) -> DataFrame:
    """The requested fields of every line as strings; a list is returned as its JSON text, see :func:`as_list`."""
    names = {field: columns.get(field, field) for field in (*wanted, *optional)}
    for field, name in names.items():
        if not isinstance(name, str):
            raise ReadError(f"The {field} of JSON lines is found by name, not at position {name}; give its name.")
    schema = ", ".join([*(f"{_quoted(str(name))} STRING" for name in dict.fromkeys(names.values())), f"{_END} BOOLEAN"])
    # Spark's parser stops at the end of the first value, and would silently lose anything that follows. So each line is
    # parsed as a list of its content and a mark: only if the mark is the second item did the line contain exactly one
    # value.
    marked = F.concat(F.lit("["), F.col(LINE), F.lit(f',{{"{_END}":true}}]'))
    parsed = lines.select(LINE, FILE, _reason_of_line().alias(REASON)).withColumn(
        _PARSED, F.from_json(F.when(F.col(REASON).isNull(), marked), f"ARRAY<STRUCT<{schema}>>")
    )
    row, end = F.get(_PARSED, F.lit(0)), F.get(_PARSED, F.lit(1))
    is_one = (F.size(_PARSED) == 2) & row.isNotNull() & end[_END]
    fields = {field: row[str(name)] for field, name in names.items()}
    reason = F.when(F.col(REASON).isNotNull(), F.col(REASON)).when(
        ~F.coalesce(is_one, F.lit(False)), reasons.MALFORMED_JSON
    )
    for field, value in fields.items():
        reason = reason.when(_is_nested(value, str(names[field]), may_be_list=field == TOPIC), reasons.NESTED_VALUE)
    return parsed.select(*(value.alias(field) for field, value in fields.items()), LINE, FILE, reason.alias(REASON))


def as_list(column: Column) -> Column:
    """Convert a string with a JSON list to an array of the list's items, and any other string to an array with just
    that string.
    """
    looks_like_one = F.startswith(column, F.lit("["))
    # the mark at the end shows whether the string is a single list, with nothing after it
    marked = F.concat(F.lit("["), column, F.lit(",[]]"))
    found = F.from_json(F.when(looks_like_one, marked), "ARRAY<ARRAY<STRING>>")
    items = F.when(F.size(found) == 2, F.get(found, F.lit(0)))
    return F.when(items.isNotNull(), items).otherwise(F.array(column))


def is_nested_list(column: Column) -> Column:
    """Whether a string is a JSON list that contains lists or objects instead of labels."""
    items = F.from_json(F.when(F.startswith(column, F.lit("[")), column), "ARRAY<VARIANT>")
    nested = F.exists(items, lambda item: F.rlike(F.schema_of_variant(item), F.lit("^(ARRAY|OBJECT)")))
    return F.coalesce(nested, F.lit(False))


def _reason_of_line() -> Column:
    """Why a line is invalid; among other things, a lone surrogate, which would silently be read as a question mark."""
    # remove escaped backslashes first, because they do not escape the next character
    escapes = F.regexp_replace(LINE, r"\\\\", "")
    alone = F.regexp_replace(escapes, r"(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}", "")
    may_be = F.contains(F.col(LINE), F.lit(r"\ud")) | F.contains(F.col(LINE), F.lit(r"\uD"))
    reason = reason_of_line(None)
    return F.when(reason.isNotNull(), reason).when(may_be & F.rlike(alone, F.lit(r"(?i)\\ud[89a-f]")), reasons.NOT_UTF8)


def _is_nested(value: Column, name: str, may_be_list: bool) -> Column:
    """Whether a field contains an object or a list, not just a string that looks like one."""
    begins, kinds = ("^\\{", "^OBJECT") if may_be_list else ("^[\\[{]", "^(ARRAY|OBJECT)")
    # When asked for strings, Spark returns a nested value and a string that looks like one in the same way; so the few
    # lines that look nested are parsed again with types.
    typed = F.from_json(F.when(F.rlike(value, F.lit(begins)), F.col(LINE)), f"{_quoted(name)} VARIANT")
    return F.coalesce(F.rlike(F.schema_of_variant(typed[name]), F.lit(kinds)), F.lit(False))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
