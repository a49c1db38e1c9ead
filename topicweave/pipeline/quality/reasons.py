"""Which rows can be used, and why the others cannot. Nothing is dropped or repaired silently.

Every row that cannot be used gets a reason. Bad rows go to the quarantine; ignored ones (comments, headers, …) are only
counted.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from topicweave.columns import BYTES, FILE, LINE, REASON
from topicweave.model.labels import BLANKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame

HEADER = "header"
COMMENT = "comment"
BLANK_LINE = "blank line"
SELF_LINK = "link of a user to itself"
LATER = "event after the chosen time"

IGNORED = frozenset({HEADER, COMMENT, BLANK_LINE, SELF_LINK, LATER})
NO_ROWS = frozenset({HEADER, COMMENT, BLANK_LINE})  # lines of a file that are not meant to be rows

NOT_UTF8 = "not valid UTF-8"
WRONG_COLUMNS = "wrong number of columns"
MALFORMED_JSON = "malformed JSON"
NESTED_VALUE = "a nested value where a label belongs"
BAD_TIME = "time cannot be read"
BAD_TOPIC = "wildcard in a topic name"
NO_BROKER = "client without a broker"

# A limit for files only: there, a longer label nearly always means that a lost quote or line end has swallowed what
# follows. Labels given in Python exist in memory already, and those of a plan have passed the limit when it was made.
MAX_LABEL_LENGTH = 1024
ANY_LENGTH = 2**31 - 1


def bad_filter(language: str) -> str:
    return f"invalid {language} filter"


def missing(field: str) -> str:
    return f"{field} is missing"


def blank(field: str) -> str:
    return f"{field} is blank"


def too_long(field: str) -> str:
    return f"{field} is too long"


def undecodable(field: str) -> str:
    return f"{field} is {NOT_UTF8}"


def tag(rows: DataFrame, fields: Sequence[str], max_label_length: int = MAX_LABEL_LENGTH) -> DataFrame:
    """Add a reason to rows whose labels are missing, blank, too long or undecodable; existing reasons are kept."""
    # Almost every label is short and begins with a visible ASCII character, which three cheap comparisons find out.
    plain = reduce(lambda one, other: one & other, (_is_plain(field, max_label_length) for field in fields))
    details = F.coalesce(*(label_reason(F.col(field), field, max_label_length) for field in fields))
    reason = F.when(F.col(REASON).isNotNull(), F.col(REASON)).when(~F.coalesce(plain, F.lit(False)), details)
    return rows.withColumn(REASON, reason)


def label_reason(label: Column, field: str, max_label_length: int = MAX_LABEL_LENGTH) -> Column:
    """Why this is not a valid label, or null."""
    return (
        F.when(label.isNull(), missing(field))
        .when(~F.is_valid_utf8(label), undecodable(field))
        .when(F.char_length(label) > max_label_length, too_long(field))
        .when(F.btrim(label, F.lit(BLANKS)) == "", blank(field))
    )


def _is_plain(field: str, max_label_length: int) -> Column:
    label = F.col(field)
    short = F.octet_length(label) <= max_label_length
    return short & (label >= F.lit("!")) & (label < F.lit("\u007f")) & F.is_valid_utf8(label)


def valid(rows: DataFrame) -> DataFrame:
    """The rows that can be used."""
    return rows.where(F.col(REASON).isNull())


def quarantined(rows: DataFrame) -> DataFrame:
    """The bad rows: reason, file, line; and the raw bytes if the line is not text."""
    line = F.col(LINE)
    is_text = F.is_valid_utf8(line)
    return rows.where(F.col(REASON).isNotNull() & ~F.col(REASON).isin(*sorted(IGNORED))).select(
        REASON,
        FILE,
        F.when(is_text, line).otherwise(F.make_valid_utf8(line)).alias(LINE),
        F.when(~is_text, line.cast("binary")).alias(BYTES),
    )


def count_reasons(rows: DataFrame) -> dict[str | None, int]:
    """The number of rows for each reason; ``None`` for rows that can be used."""
    return {row[0]: row[1] for row in rows.groupBy(REASON).count().collect()}
