"""Event logs: who joined, left, subscribed and unsubscribed, folded to the state at a chosen time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from topicweave.columns import ACTION, NODE, REASON, SEQUENCE, TIME, TOPIC, TOPICS
from topicweave.errors import ParameterError
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.quality.tagging import MAX_LABEL_LENGTH, label_reason, tag, valid
from topicweave.pipeline.sources.formats.json_lines import as_list
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.sources.records import Part, Records
from topicweave.pipeline.sources.source import Source
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

JOIN, LEAVE, SUBSCRIBE, UNSUBSCRIBE = "join", "leave", "subscribe", "unsubscribe"
ACTIONS = (JOIN, LEAVE, SUBSCRIBE, UNSUBSCRIBE)
FIELDS, OPTIONAL_FIELDS = (SEQUENCE, NODE, ACTION), (TIME, TOPIC)


@dataclass(frozen=True)
class EventLog(Source):
    """One row for each event: ``sequence``, ``time``, ``node``, ``action``, ``topic``.

    ``topic`` belongs to the actions ``subscribe`` and ``unsubscribe``; a ``join`` may carry a list of topics there (a
    list column, or JSON text such as ``["a", "b"]``), or is followed by subscribes of the same node. A join begins
    with no topics; a subscribe of a node that never joined counts, for logs often begin in the middle.

    Attributes
    ----------
    table
        Where they are.
    at
        The state after all events up to this time: a number, or a date and time; without it, after all events.
    max_label_length
        Labels of more characters are bad.
    """

    kind: ClassVar[str] = "events"

    table: Table
    at: float | str | datetime | None = None
    max_label_length: int = MAX_LABEL_LENGTH

    def __post_init__(self) -> None:
        self.table.check_fields((*FIELDS, *OPTIONAL_FIELDS))  # at once: Spark takes seconds to start

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.table,)

    def read(self, spark: SparkSession) -> Records:
        """Read and fold the events. The rows are kept in Spark's storage, for they are looked at several times."""
        opened = open_table(spark, self.table, FIELDS, OPTIONAL_FIELDS)
        with spark_failures(self.table.name):
            rows = tag_events(opened.rows, self.at, self.max_label_length).persist()
            part = Part("events", self.table.name, rows, opened.files, opened.has_header, self.table)
            events = valid(rows)
            distinct = events.dropDuplicates([SEQUENCE])
            pairs = fold(distinct).withColumn(REASON, F.lit(None).cast("string")).persist()
            notes = {
                "duplicate events": events.count() - distinct.count(),
                "nodes present without topics": present(distinct).join(pairs, NODE, "left_anti").count(),
            }
            return Records((part,), pairs, pairs_per_row=None, notes=notes, held=(rows, pairs))


def tag_events(rows: DataFrame, at: float | str | datetime | None, max_label_length: int) -> DataFrame:
    """Typed events (``sequence`` as a number, ``topics`` as a list), those that cannot be used with their reason."""
    topics = F.col(TOPIC) if isinstance(rows.schema[TOPIC].dataType, T.ArrayType) else as_list(F.col(TOPIC))
    rows = tag(rows, (NODE,), max_label_length)
    rows = (
        rows.withColumn(SEQUENCE, F.col(SEQUENCE).try_cast("bigint"))
        .withColumn(ACTION, F.lower(F.trim(ACTION)))
        .withColumn(TOPICS, F.when(F.col(TOPIC).isNotNull(), topics))
    )
    rows = rows.withColumn(TOPICS, F.when(F.col(ACTION) != LEAVE, F.coalesce(TOPICS, F.array().cast("array<string>"))))
    first_bad = F.filter(
        F.transform(TOPICS, lambda label: label_reason(label, TOPIC, max_label_length)), lambda why: why.isNotNull()
    )
    # A join's empty text stands for "no list"; a subscribe needs exactly one topic.
    needs_one = F.col(ACTION).isin(SUBSCRIBE, UNSUBSCRIBE)
    reason = (
        F.when(F.col(REASON).isNotNull(), F.col(REASON))
        .when(F.col(SEQUENCE).isNull(), reasons.BAD_SEQUENCE)
        .when(~F.coalesce(F.col(ACTION).isin(*ACTIONS), F.lit(False)), reasons.UNKNOWN_ACTION)
        .when(needs_one & (F.size(TOPICS) != 1), reasons.missing(TOPIC))
        .when(F.size(first_bad) > 0, F.get(first_bad, F.lit(0)))
    )
    rows = rows.withColumn(REASON, _with_time(reason, at))
    # Two different events of one sequence: nobody can say which came first, so neither is believed.
    same = Window.partitionBy(SEQUENCE, F.col(REASON).isNull())
    content = F.xxhash64(NODE, ACTION, TOPICS)
    reused = F.col(REASON).isNull() & (F.min(content).over(same) != F.max(content).over(same))
    return rows.withColumn(REASON, F.when(reused, reasons.REUSED_SEQUENCE).otherwise(F.col(REASON)))


def fold(events: DataFrame) -> DataFrame:
    """The state after these events: ``node``, ``topic``."""
    resets = events.where(F.col(ACTION).isin(JOIN, LEAVE)).groupBy(NODE).agg(F.max(SEQUENCE).alias("reset"))
    changes = events.where(F.col(ACTION) != LEAVE).select(
        NODE, SEQUENCE, (F.col(ACTION) != UNSUBSCRIBE).alias("on"), F.explode(TOPICS).alias(TOPIC)
    )
    last = changes.groupBy(NODE, TOPIC).agg(F.max(F.struct(SEQUENCE, "on")).alias("last"))
    stands = F.col("last.on") & (F.col("reset").isNull() | (F.col(f"last.{SEQUENCE}") >= F.col("reset")))
    return last.join(resets, NODE, "left").where(stands).select(NODE, TOPIC)


def present(events: DataFrame) -> DataFrame:
    """The nodes that joined and did not leave."""
    last = events.where(F.col(ACTION).isin(JOIN, LEAVE)).groupBy(NODE).agg(F.max_by(ACTION, SEQUENCE).alias(ACTION))
    return last.where(F.col(ACTION) == JOIN).select(NODE)


def _with_time(reason: Column, at: float | str | datetime | None) -> Column:
    if at is None:
        return reason
    number = _as_number(at)
    if number is not None:
        time, limit = F.col(TIME).try_cast("double"), F.lit(number)
    else:
        time, limit = F.col(TIME).try_cast("timestamp"), F.lit(_as_text(at)).cast("timestamp")
    return reason.when(time.isNull(), reasons.BAD_TIME).when(time > limit, reasons.LATER)


def _as_number(at: float | str | datetime) -> float | None:
    try:
        return None if isinstance(at, datetime) else float(at)
    except ValueError:
        return None


def _as_text(at: float | str | datetime) -> str:
    """A date and time as Spark reads it; without a zone it means the session's, as in the log."""
    if isinstance(at, datetime):
        return at.isoformat(sep=" ")
    try:
        return datetime.fromisoformat(str(at)).isoformat(sep=" ")
    except ValueError:
        raise ParameterError(
            f"The time {at!r} is neither a number nor a date and time; write it like 1700000000 or 2026-01-31T12:00:00."
        ) from None
