"""Edge lists as published by graph collections: two words per line, separated by spaces or tabs, with comment lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from topicweave.columns import FILE, LINE, REASON
from topicweave.errors import ReadError
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.sources.formats.lines import first_line, reason_of_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import DataFrame

COMMENTS = ("#", "%")
_WORDS = "_words"


def select_fields(
    lines: DataFrame, columns: Mapping[str, str | int], wanted: Sequence[str], comment: str | None, name: str
) -> DataFrame:
    """The requested fields, by position; lines with a different number of words than the first line get a reason.

    Words after the wanted ones (weights, dates) are allowed if every line has them. Where a third field stands is not
    guessed: otherwise any text file with three words per line would be taken for a log of events.
    """
    if unplaced := [field for field in wanted[2:] if field not in columns]:
        raise ReadError(
            f"{name} is taken for an edge list, which has two words per line and no column for the {unplaced[0]}; "
            f"if it has columns, give its format (csv, tsv or jsonl) or the ending of one."
        )
    marks = COMMENTS if comment is None else (comment,)
    places = {field: columns.get(field, position) for position, field in enumerate(wanted)}
    first = first_line(lines, marks, must_be_text=False)
    if first is None:
        raise ReadError(f"{name} holds no line that could be read besides comments; check that it is the right file.")
    width = len(first.split())
    for field, place in places.items():
        if not isinstance(place, int) or not 0 <= place < width:
            raise ReadError(
                f"The {field} is asked for at {place!r}, but the first line of {name} has {width} words; "
                f"give a position from 0 to {width - 1}."
            )
    words = F.split(F.trim(F.col(LINE)), r"\s+")
    parsed = lines.select(LINE, FILE, reason_of_line(marks).alias(REASON)).withColumn(
        _WORDS, F.when(F.col(REASON).isNull(), words)
    )
    return parsed.select(
        *(F.get(_WORDS, F.lit(place)).alias(field) for field, place in places.items()),
        LINE,
        FILE,
        F.when(F.size(_WORDS) != width, reasons.WRONG_COLUMNS).otherwise(F.col(REASON)).alias(REASON),
    )
