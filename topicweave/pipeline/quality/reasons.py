"""Which rows can be used, why the others cannot, and how many there are of each. No row is dropped silently.

Every row that cannot be used gets a reason. Bad rows go to the quarantine; ignored ones (comments, headers, …) are only
counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from topicweave.columns import BYTES, FILE, LINE, REASON
from topicweave.errors import BadRowsError, Remedy
from topicweave.model.labels import BLANKS
from topicweave.parameters import check_number
from topicweave.wording import counted, percent, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pyspark.sql import Column, DataFrame

HEADER = "header"
COMMENT = "comment"
BLANK_LINE = "blank line"
SELF_LINK = "link of a user to itself"
LATER = "event after the chosen time"

IGNORED = frozenset({HEADER, COMMENT, BLANK_LINE, SELF_LINK, LATER})
NO_ROWS = frozenset({HEADER, COMMENT, BLANK_LINE})  # kinds of lines that are not rows at all

NOT_UTF8 = "not valid UTF-8"
WRONG_COLUMNS = "wrong number of columns"
MALFORMED_JSON = "malformed JSON"
NESTED_VALUE = "a nested value where a label belongs"
BAD_TIME = "time cannot be read"
BAD_TOPIC = "wildcard in a topic name"
NO_BROKER = "client without a broker"

# This limit applies to files only, where a longer label nearly always means that a missing quote or line end has
# swallowed the following text. Labels given in Python are in memory anyway, and those of a plan have passed the limit
# before.
MAX_LABEL_LENGTH = 1024
ANY_LENGTH = 2**31 - 1

MAX_BAD_FRACTION = 0.01


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
    """Add a reason to rows with a label that is missing, blank, too long or undecodable; rows that already have a
    reason keep it.
    """
    # Nearly all labels are short and begin with a visible ASCII character, which three cheap comparisons confirm.
    plain = reduce(lambda one, other: one & other, (_is_plain(field, max_label_length) for field in fields))
    details = F.coalesce(*(label_reason(F.col(field), field, max_label_length) for field in fields))
    reason = F.when(F.col(REASON).isNotNull(), F.col(REASON)).when(~F.coalesce(plain, F.lit(False)), details)
    return rows.withColumn(REASON, reason)


def label_reason(label: Column, field: str, max_label_length: int = MAX_LABEL_LENGTH) -> Column:
    """The reason why this is not a valid label; null if it is valid."""
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
    """The bad rows with reason, file and line, and with the raw bytes if the line is not text."""
    line = F.col(LINE)
    is_text = F.is_valid_utf8(line)
    return rows.where(F.col(REASON).isNotNull() & ~F.col(REASON).isin(*sorted(IGNORED))).select(
        REASON,
        FILE,
        F.when(is_text, line).otherwise(F.make_valid_utf8(line)).alias(LINE),
        F.when(~is_text, line.cast("binary")).alias(BYTES),
    )


def count_reasons(rows: DataFrame) -> dict[str | None, int]:
    """The number of rows for each reason; ``None`` stands for rows that can be used."""
    return {row[0]: row[1] for row in rows.groupBy(REASON).count().collect()}


@dataclass(frozen=True)
class Counts:
    """How many rows of an input are valid, bad, or ignored.

    Attributes
    ----------
    valid
        Rows that can be used.
    bad
        Rows in the quarantine, by reason.
    ignored
        Links of a node to itself, later events and the like, by reason; also headers, comments and blank lines, which
        are lines of the input but not rows.
    """

    valid: int
    bad: Mapping[str, int] = field(default_factory=dict)
    ignored: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_reasons(cls, by_reason: Mapping[str | None, int]) -> Counts:
        """Make the counts from the number of rows for each reason; no reason means that the rows are valid."""
        named = {reason: number for reason, number in by_reason.items() if reason is not None and number}
        return cls(
            by_reason.get(None, 0),
            {reason: number for reason, number in sorted(named.items()) if reason not in IGNORED},
            {reason: number for reason, number in sorted(named.items()) if reason in IGNORED},
        )

    @property
    def num_bad(self) -> int:
        return sum(self.bad.values())

    @property
    def read(self) -> int:
        """The number of rows read, not counting headers, comments and blank lines."""
        return self.valid + self.num_bad + sum(self.ignored[reason] for reason in self.ignored.keys() - NO_ROWS)

    @property
    def bad_fraction(self) -> float:
        """The share of bad rows among the rows that are not ignored."""
        return self.num_bad / (self.valid + self.num_bad) if self.num_bad else 0.0

    def top_reasons(self, number: int = 3) -> list[tuple[str, int]]:
        """The most frequent reasons."""
        return sorted(self.bad.items(), key=lambda item: (-item[1], item[0]))[:number]

    def to_dict(self) -> dict[str, Any]:
        """The counts as a dictionary for the manifest."""
        return {"read": self.read, "valid": self.valid, "quarantined": dict(self.bad), "ignored": dict(self.ignored)}


def check_max_bad_fraction(max_bad_fraction: float) -> None:
    """Raise an error unless this is a share between 0 and 1."""
    check_number("max_bad_fraction", max_bad_fraction, 0, 1)


def left_out(inputs: Iterable[Counts]) -> str:
    """A sentence about the bad rows of all inputs; an empty text if there are none."""
    reasons: Counter[str] = Counter()
    rows = 0
    for counts in inputs:
        rows += counts.read
        reasons.update(counts.bad)
    if not reasons:
        return ""
    why = "; ".join(f"{number:,} × {reason}" for reason, number in reasons.most_common(3))
    return f"Left out: {reasons.total():,} of {counted(rows, 'row')} ({why}{'; …' if len(reasons) > 3 else ''})."


def too_many_bad_rows(
    name: str, counts: Counts, max_bad_fraction: float, examples: Iterable[tuple[str, str]], *, is_fixed: bool = False
) -> BadRowsError:
    """An error that says how many rows are bad and for which reasons, and shows an example; it does not advise to allow
    more if the limit ``is_fixed``.
    """
    top = "; ".join(f"{number:,} × {reason}" for reason, number in counts.top_reasons())
    shown = "".join(f", such as {shortened([line], width=60)} in {file}" for file, line in examples)
    return BadRowsError(
        "{bad:,} of {rows} in {name} ({share}) cannot be used, but at most {allowed} may be bad: {reasons}. "
        + ("Correct them." if is_fixed else "Correct them, or {remedy}."),
        bad=counts.num_bad,
        rows=counted(counts.valid + counts.num_bad, "row"),
        name=name,
        share=percent(counts.bad_fraction),
        allowed=percent(max_bad_fraction),
        reasons=top + shown,
        remedy=Remedy.MORE_BAD_ROWS,
    )
