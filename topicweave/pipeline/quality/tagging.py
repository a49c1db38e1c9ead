"""Which rows can be used: every other row gets its reason. Nothing is dropped and nothing is mended."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from topicweave.columns import BYTES, FILE, LINE, REASON
from topicweave.pipeline.quality import reasons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

MAX_LABEL_LENGTH = 1024

# What counts as blank: Unicode's white space, and the two characters that are wide as nothing.
BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace()) + "\u200b\ufeff"


def tag(rows: DataFrame, fields: Sequence[str], max_label_length: int = MAX_LABEL_LENGTH) -> DataFrame:
    """Give the rows whose labels are missing, blank, too long or undecodable a reason; those that have one keep it."""
    # Almost every label is short and begins with a visible ASCII character: three cheap comparisons settle it.
    plain = reduce(lambda one, other: one & other, (_is_plain(field, max_label_length) for field in fields))
    details = F.coalesce(*(label_reason(F.col(field), field, max_label_length) for field in fields))
    reason = F.when(F.col(REASON).isNotNull(), F.col(REASON)).when(~F.coalesce(plain, F.lit(False)), details)
    return rows.withColumn(REASON, reason)


def label_reason(label: Column, field: str, max_label_length: int = MAX_LABEL_LENGTH) -> Column:
    """Why this is no label, or null."""
    return (
        F.when(label.isNull(), reasons.missing(field))
        .when(~F.is_valid_utf8(label), reasons.undecodable(field))
        .when(F.char_length(label) > max_label_length, reasons.too_long(field))
        .when(F.btrim(label, F.lit(BLANKS)) == "", reasons.blank(field))
    )


def _is_plain(field: str, max_label_length: int) -> Column:
    label = F.col(field)
    short = F.octet_length(label) <= max_label_length
    return short & (label >= F.lit("!")) & (label < F.lit("\u007f")) & F.is_valid_utf8(label)


def valid(rows: DataFrame) -> DataFrame:
    """The rows that can be used."""
    return rows.where(F.col(REASON).isNull())


def quarantined(rows: DataFrame) -> DataFrame:
    """The bad rows: reason, file, line; the raw bytes as well where the line is no text."""
    line = F.col(LINE)
    is_text = F.is_valid_utf8(line)
    return rows.where(F.col(REASON).isNotNull() & ~F.col(REASON).isin(*sorted(reasons.IGNORED))).select(
        REASON,
        FILE,
        F.when(is_text, line).otherwise(F.make_valid_utf8(line)).alias(LINE),
        F.when(~is_text, line.cast("binary")).alias(BYTES),
    )


def count_reasons(rows: DataFrame) -> dict[str | None, int]:
    """How many rows there are for each reason; ``None`` for those that can be used."""
    return {row[0]: row[1] for row in rows.groupBy(REASON).count().collect()}
