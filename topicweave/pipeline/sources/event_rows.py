"""Reads event files as a list of events, for code that applies them one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.churn.events import Event
from topicweave.columns import ACTION, FILE, LINE, NODE, REASON, ROLE, SEQUENCE, TIME, TOPIC, TOPICS
from topicweave.model import event_schema
from topicweave.pipeline.quality.quarantine import entries
from topicweave.pipeline.quality.reasons import MAX_LABEL_LENGTH, Counts, count_reasons, quarantined, valid
from topicweave.pipeline.sources.events import tag_events, tag_reused
from topicweave.pipeline.sources.formats.table import open_table
from topicweave.pipeline.sources.source import Part
from topicweave.pipeline.spark.failures import readable_path, spark_failures

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

    from topicweave.pipeline.sources.formats.table import Table

FIELDS = (SEQUENCE, TIME, NODE, ACTION, ROLE, TOPICS, FILE, LINE)


@dataclass(frozen=True)
class EventRow:
    """An event, and where its row was found."""

    event: Event
    file: str
    line: str

    def entry(self, reason: str) -> dict[str, Any]:
        """The row as an entry for the quarantine."""
        return {REASON: reason, FILE: self.file, LINE: self.line}


@dataclass(frozen=True)
class EventRows:
    """The events and the invalid rows of some event files.

    Attributes
    ----------
    events
        The events, in sequence order.
    bad
        The rows that are not events, as entries of the quarantine.
    counts
        Counts of the rows.
    part
        The files and how they were read, for the manifest.
    """

    events: list[EventRow]
    bad: list[dict[str, Any]]
    counts: Counts
    part: Part


def read_event_rows(
    spark: SparkSession, table: Table, *, is_whole_log: bool, max_label_length: int = MAX_LABEL_LENGTH
) -> EventRows:
    """Read event files and validate their rows.

    Parameters
    ----------
    spark
        The session.
    table
        The files.
    is_whole_log
        Whether these are all rows of the log: then different events with the same number are all rejected. Otherwise
        they are all returned, because the one that arrived first is valid, and only the caller knows which that is.
    max_label_length
        Rows with longer labels are bad.
    """
    opened = open_table(spark, table, event_schema.FIELDS, event_schema.OPTIONAL_FIELDS)
    with spark_failures(table.name):
        tagged = tag_events(opened.rows_with(event_schema.OPTIONAL_FIELDS), max_label_length=max_label_length)
        tagged = (tag_reused(tagged) if is_whole_log else tagged).persist()
        try:
            counts = Counts.from_reasons(count_reasons(tagged))
            events = [_event_row(row) for row in valid(tagged).select(*FIELDS).collect()]
            bad = list(entries(quarantined(tagged))) if counts.num_bad else []
        finally:
            tagged.unpersist()
    # If two rows have the same sequence number, the same one comes first, however Spark has partitioned them.
    events.sort(key=lambda row: (row.event.sequence, row.file, row.event.content))
    part = Part("events", table.name, opened.rows, opened.files, opened.has_header, table)
    return EventRows(events, bad, counts, part)


def _event_row(row: Row) -> EventRow:
    fields = {name: row[name] for name in (SEQUENCE, TIME, NODE, ACTION, ROLE)}
    event = Event.from_record({**fields, TOPIC: row[TOPICS]})
    return EventRow(event, readable_path(row[FILE] or ""), row[LINE])
