"""Reads publications on Spark: rows are converted, checked and summed by user and channel, so individual rows
never reach the driver.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F
from pyspark.sql import types as T

from topicweave.columns import BYTES, FILE, LINE, REASON, TIME
from topicweave.errors import ParameterError
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.quality.reasons import MAX_LABEL_LENGTH, Counts, tag
from topicweave.pipeline.sources.cuts import channel_column, is_finite
from topicweave.pipeline.sources.formats.files import FILE_FORMATS
from topicweave.pipeline.sources.formats.table import Opened, Table, as_table, open_table
from topicweave.pipeline.sources.source import Part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from topicweave.content import Channels

USER = "user"
CHANNEL = "channel"


def not_a_number(name: str) -> str:
    return f"{name} is not a finite number"


def negative(name: str) -> str:
    return f"{name} is negative"


@dataclass(frozen=True)
class Publications:
    """A log of publications: ``user``, one column for each attribute, and optionally ``bytes`` and ``time``.

    Attributes
    ----------
    table
        The table of publications.
    attributes
        The columns that are divided into channels; several columns make a grid.
    """

    table: Table
    attributes: tuple[str, ...] = ("value",)


def as_publications(given: Any, attributes: Sequence[str]) -> Publications:
    """Return a log of publications as it is, or make one with these attributes from anything that describes a table."""
    if isinstance(given, Publications):
        return given
    named = (attributes,) if isinstance(attributes, str) else tuple(attributes)
    if not named:
        raise ParameterError("{parameter} must name at least one column of the publications.", parameter="attributes")
    return Publications(as_table(given), named)


def open_typed(
    spark: SparkSession, table: Table, labels: Sequence[str], numbers: Sequence[str], optional: Sequence[str]
) -> Part:
    """Read labels as strings and all other columns as doubles; for optional columns, a flag says which rows hold no
    number.

    Columns that Spark knows to be numbers are used directly: converting them to text first would cost more than
    everything else.
    """
    opened = open_table(spark, table, (*labels, *numbers), optional=optional)
    rows = _numbers_as_they_are(opened, table, labels, numbers, optional) if opened.frame is not None else None
    if rows is None:
        rows = _numbers_from_text(opened.rows_with(optional), numbers, optional)
    return Part("publications", table.name, rows, opened.files, opened.has_header, table)


def _numbers_as_they_are(
    opened: Opened, table: Table, labels: Sequence[str], numbers: Sequence[str], optional: Sequence[str]
) -> DataFrame | None:
    """The rows without conversion, if all columns that should be numbers already are; otherwise None."""
    frame = opened.frame
    assert frame is not None
    schema = {name: frame.schema[name].dataType for name in frame.columns}
    source = {name: table.columns.get(name, name) for name in (*labels, *numbers, *optional)}
    column = {name: frame.columns[place] if isinstance(place, int) else place for name, place in source.items()}
    present = [name for name in (*numbers, *optional) if column[name] in schema]
    if not all(isinstance(schema[column[name]], T.NumericType | T.TimestampType) for name in present):
        return None
    typed = [F.col(f"`{column[name]}`").cast("string").alias(name) for name in labels]
    typed += [F.col(f"`{column[name]}`").cast("double").alias(name) for name in numbers]
    for name in optional:
        value = F.col(f"`{column[name]}`") if name in present else F.lit(None)
        typed += [value.cast("double").alias(name), F.lit(False).alias(f"{name} is bad")]
    has_files = opened.format in FILE_FORMATS
    return frame.select(
        *typed,
        F.to_json(F.struct(*(F.col(f"`{name}`") for name in frame.columns))).alias(LINE),
        (F.col("_metadata.file_path") if has_files else F.lit(table.name)).alias(FILE),
        F.lit(None).cast("string").alias(REASON),
    )


def _numbers_from_text(rows: DataFrame, numbers: Sequence[str], optional: Sequence[str]) -> DataFrame:
    typed: dict[str, Column] = {name: F.col(name).try_cast("double") for name in numbers}
    for name in optional:
        as_number = F.col(name).try_cast("double")
        if name == TIME:
            as_number = F.coalesce(as_number, F.col(name).try_cast("timestamp").cast("double"))
        typed[name] = as_number
        typed[f"{name} is bad"] = F.col(name).isNotNull() & (F.col(name) != "") & as_number.isNull()
    return rows.withColumns(typed)


def _is_plainly_good(publications: Publications) -> Column:
    """True for rows that are obviously valid; the others (false or null) may still be valid and need a closer look."""
    user = F.col(USER)
    plain = F.col(REASON).isNull() & (F.octet_length(user) <= MAX_LABEL_LENGTH)
    plain = plain & (user >= F.lit("!")) & (user < F.lit("\u007f")) & F.is_valid_utf8(user)
    for name in publications.attributes:
        plain = plain & is_finite(F.col(name))
    amount = F.col(BYTES)
    plain = plain & (amount.isNull() | ((amount >= 0) & is_finite(amount)))
    return plain & ~F.col(f"{BYTES} is bad") & ~F.col(f"{TIME} is bad")


def with_reasons(rows: DataFrame, publications: Publications) -> DataFrame:
    """Every row with the reason why it cannot be used; null if it can."""
    rows = tag(rows, (USER,))
    reason = F.when(F.col(REASON).isNotNull(), F.col(REASON))
    for name in publications.attributes:
        reason = reason.when(~F.coalesce(is_finite(F.col(name)), F.lit(False)), not_a_number(name))
    amount = F.col(BYTES)
    reason = reason.when(F.col(f"{BYTES} is bad") | ~is_finite(amount), not_a_number(BYTES)).when(
        amount < 0, negative(BYTES)
    )
    return rows.withColumn(REASON, reason.when(F.col(f"{TIME} is bad"), reasons.BAD_TIME))


def aggregate(part: Part, publications: Publications, channels: Channels) -> list[dict[str, Any]]:
    """Sum up the rows: one result row for each (user, channel), and one for each reason.

    Almost all rows are plainly valid, so rows of this kind are summed up in one pass with little code. Only if there
    are others, these are examined closely.
    """
    plain = _is_plainly_good(publications)
    good = _summed(part.rows.where(plain).withColumn(REASON, F.lit(None).cast("string")), channels)
    # files in columnar formats know their number of rows without being read
    knows_number = bool(part.files) and all(file.path.endswith((".parquet", ".orc")) for file in part.files)
    if knows_number and part.rows.count() == sum(row["rows"] for row in good):
        return good
    rest = with_reasons(part.rows.where(~F.coalesce(plain, F.lit(False))), publications)
    together: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in (*good, *_summed(rest, channels)):
        key = row[USER], row[CHANNEL], row[REASON]
        known = together.get(key)
        if known is None:
            together[key] = row
            continue
        known["amount"] += row["amount"]
        known["rows"] += row["rows"]
        known["sized"] += row["sized"]
        for name, choose in (("first", min), ("last", max)):
            times = [time for time in (known[name], row[name]) if time is not None]
            known[name] = choose(times) if times else None
    return list(together.values())


def _summed(rows: DataFrame, channels: Channels) -> list[dict[str, Any]]:
    is_good = F.col(REASON).isNull()
    grouped = (
        rows.select(
            F.when(is_good, F.col(USER)).alias(USER),
            F.when(is_good, channel_column(channels)).alias(CHANNEL),
            REASON,
            F.coalesce(F.col(BYTES), F.lit(1.0)).alias("amount"),
            BYTES,
            TIME,
        )
        .groupBy(USER, CHANNEL, REASON)
        .agg(
            F.sum("amount").alias("amount"),
            F.count("*").alias("rows"),
            F.count(BYTES).alias("sized"),
            F.min(TIME).alias("first"),
            F.max(TIME).alias("last"),
        )
    )
    return [dict(row) for row in grouped.toArrow().to_pylist()]


def counts(grouped: Sequence[Mapping[str, Any]]) -> Counts:
    by_reason: Counter[str | None] = Counter()
    for row in grouped:
        by_reason[row[REASON]] += row["rows"]
    return Counts.from_reasons(by_reason)
