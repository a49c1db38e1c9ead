"""Event logs: checks that rows are valid events, and computes the state at a chosen time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from topicweave.columns import ACTION, NODE, REASON, ROLE, SEQUENCE, TIME, TOPIC, TOPICS
from topicweave.errors import ParameterError
from topicweave.model import event_schema
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.quality.reasons import MAX_LABEL_LENGTH, label_reason, tag, valid
from topicweave.pipeline.quality.roles import roles_named
from topicweave.pipeline.sources.formats.json_lines import as_list, is_nested_list
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.sources.source import Part, Records, Source
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


@dataclass(frozen=True)
class EventLog(Source):
    """One row per event: ``sequence``, ``time``, ``node``, ``action``, ``role``, ``topic``.

    :mod:`topicweave.model.event_schema` says what the fields must be. ``topic`` may be a list (a list column, or JSON
    text such as ``["a", "b"]``). A ``join`` may list the node's topics there, or ``subscribe`` events may add them
    later; what the node had before the ``join`` does not count. A ``subscribe`` of a node that never joined is valid,
    because logs often begin in the middle.

    Attributes
    ----------
    table
        The table of events.
    at
        Use the state after all events up to this time (a number, or a date and time); without it, after all events.
    max_label_length
        Rows with longer labels are bad.
    """

    kind: ClassVar[str] = "events"

    table: Table
    at: float | str | datetime | None = None
    max_label_length: int = MAX_LABEL_LENGTH

    def __post_init__(self) -> None:
        # check this at once, because starting Spark takes seconds
        self.table.check_fields((*event_schema.FIELDS, *event_schema.OPTIONAL_FIELDS))

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.table,)

    def read(self, spark: SparkSession) -> Records:
        """Read the events and compute the state. Spark stores the rows, because several steps use them."""
        opened = open_table(spark, self.table, event_schema.FIELDS, event_schema.OPTIONAL_FIELDS)
        with spark_failures(self.table.name):
            given = opened.rows_with(event_schema.OPTIONAL_FIELDS)
            rows = tag_reused(tag_events(given, self.at, self.max_label_length)).persist()
            part = Part("events", self.table.name, rows, opened.files, opened.has_header, self.table)
            events = valid(rows)
            distinct = events.dropDuplicates([SEQUENCE])
            pairs = fold(distinct).withColumn(REASON, F.lit(None).cast("string")).persist()
            notes = {
                "duplicate events": events.count() - distinct.count(),
                "nodes present without topics": present(distinct).join(pairs, NODE, "left_anti").count(),
            }
            return Records((part,), pairs, pairs_per_row=None, notes=notes, held=(rows, pairs))


def tag_events(
    rows: DataFrame, at: float | str | datetime | None = None, max_label_length: int = MAX_LABEL_LENGTH
) -> DataFrame:
    """Convert the columns to events (``sequence`` as a number, ``topics`` as a list); rows that cannot be used get a
    reason.

    Event rows that Spark reads are validated here only, whether for a state, a log or a stream. The expressions are
    made from the same rules as the checks in Python of :class:`topicweave.churn.Event`; labels are checked as in every
    source.
    """
    is_list = isinstance(rows.schema[TOPIC].dataType, T.ArrayType)
    topics = F.col(TOPIC) if is_list else F.when(F.col(TOPIC) != "", as_list(F.col(TOPIC)))
    ignores_topics = F.col(ACTION).isin(*event_schema.actions_where(gives=None))
    rows = (
        tag(rows, (NODE,), max_label_length)
        .withColumn(SEQUENCE, _whole(F.col(SEQUENCE)))
        .withColumn(ACTION, _word(ACTION))
        .withColumn(ROLE, F.nullif(_word(ROLE), F.lit("")))
        .withColumn(TOPICS, F.coalesce(F.when(~ignores_topics, topics), F.array().cast("array<string>")))
    )
    reason = F.when(F.col(REASON).isNotNull(), F.col(REASON))
    for rule in event_schema.RULES:
        reason = reason.when(~F.coalesce(_obeys(rule), F.lit(False)), rule.reason)
    first_bad = F.filter(
        F.transform(TOPICS, lambda label: label_reason(label, TOPIC, max_label_length)), lambda why: why.isNotNull()
    )
    if not is_list:
        reason = reason.when(~ignores_topics & is_nested_list(F.col(TOPIC)), reasons.NESTED_VALUE)
    reason = reason.when(F.size(first_bad) > 0, F.get(first_bad, F.lit(0)))
    return rows.withColumn(REASON, _with_time(reason, at))


def tag_reused(rows: DataFrame) -> DataFrame:
    """Reject different events with the same sequence number, because nobody can know which came first."""
    same = Window.partitionBy(SEQUENCE, F.col(REASON).isNull())
    says_role = F.col(ROLE).isin(event_schema.PUBLISH, event_schema.BOTH) & (F.size(TOPICS) > 0)
    role = F.when(says_role, F.col(ROLE)).otherwise(event_schema.SUBSCRIBE)
    content = F.xxhash64(NODE, ACTION, role, F.array_sort(F.array_distinct(TOPICS)))
    reused = F.col(REASON).isNull() & (F.min(content).over(same) != F.max(content).over(same))
    return rows.withColumn(REASON, F.when(reused, event_schema.REUSED_SEQUENCE).otherwise(F.col(REASON)))


def _obeys(rule: event_schema.Rule) -> Column:
    if rule.is_whole:
        return F.col(rule.field).isNotNull()
    if rule.choices:
        found = F.col(rule.field).isin(*rule.choices)
        return F.col(rule.field).isNull() | found if rule.is_optional else found
    return (F.size(TOPICS) > 0) | ~F.col(ACTION).isin(*rule.actions)


def _whole(value: Column) -> Column:
    """A text as a sequence number, as in :func:`topicweave.model.event_schema.whole`; null if it is not one."""
    text = F.when(F.rlike(value, F.lit(f"^({event_schema.NUMBER})$")), value)
    written = text.try_cast("double")
    is_exact = (written == F.rint(written)) & (F.abs(written) <= event_schema.EXACT)
    return F.coalesce(text.try_cast("bigint"), F.when(is_exact, written.try_cast("bigint")))


def _word(field: str) -> Column:
    return F.lower(F.btrim(F.col(field), F.lit(event_schema.WHITESPACE)))


def fold(events: DataFrame) -> DataFrame:
    """The state after these events: ``node``, ``topic``, ``role``; a node that both subscribes and publishes has two
    rows.
    """
    forgetting = F.col(ACTION).isin(*event_schema.actions_where(forgets=True))
    resets = events.where(forgetting).groupBy(NODE).agg(F.max(SEQUENCE).alias("reset"))
    gives = F.col(ACTION).isin(*event_schema.actions_where(gives=True))
    changes = events.select(
        NODE, SEQUENCE, gives.alias("on"), roles_named().alias(ROLE), F.explode(TOPICS).alias(TOPIC)
    )
    single = changes.withColumn(ROLE, F.explode(ROLE))
    last = single.groupBy(NODE, TOPIC, ROLE).agg(F.max(F.struct(SEQUENCE, "on")).alias("last"))
    stands = F.col("last.on") & (F.col("reset").isNull() | (F.col(f"last.{SEQUENCE}") >= F.col("reset")))
    return last.join(resets, NODE, "left").where(stands).select(NODE, TOPIC, ROLE)


def present(events: DataFrame) -> DataFrame:
    """The nodes that have joined and not left again."""
    comes, goes = event_schema.actions_where(presence=True), event_schema.actions_where(presence=False)
    moves = events.where(F.col(ACTION).isin(*comes, *goes))
    last = moves.groupBy(NODE).agg(F.max_by(ACTION, SEQUENCE).alias(ACTION))
    return last.where(F.col(ACTION).isin(*comes)).select(NODE)


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
    """A date and time in Spark's format; without a time zone, it is in the zone of the session, like the log."""
    if isinstance(at, datetime):
        return at.isoformat(sep=" ")
    try:
        return datetime.fromisoformat(str(at)).isoformat(sep=" ")
    except ValueError:
        raise ParameterError(
            f"The time {at!r} is neither a number nor a date and time; write it like 1700000000 or 2026-01-31T12:00:00."
        ) from None
