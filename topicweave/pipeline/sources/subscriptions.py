"""Subscriptions: a table of (node, topic) pairs, possibly with a role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F
from pyspark.sql import types as T

from topicweave.columns import NODE, ROLE, TOPIC
from topicweave.pipeline.quality.reasons import MAX_LABEL_LENGTH, tag
from topicweave.pipeline.sources.formats.files import JSONL
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.sources.source import Part, Records, Source
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class Subscriptions(Source):
    """A table with one row per subscription, or one row per node with a list of topics.

    A column ``role`` may be ``subscribe`` (also if empty or missing), ``publish`` or ``both``.

    Attributes
    ----------
    table
        The table of subscriptions.
    max_label_length
        Rows with longer labels are bad.
    """

    kind: ClassVar[str] = "subscriptions"

    table: Table
    max_label_length: int = MAX_LABEL_LENGTH

    def __post_init__(self) -> None:
        self.table.check_fields((NODE, TOPIC, ROLE))  # check this at once, because starting Spark takes seconds

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.table,)

    def read(self, spark: SparkSession) -> Records:
        """Read the table; until its data is used, only headers are read."""
        opened = open_table(spark, self.table, (NODE, TOPIC), (ROLE,))
        with spark_failures(self.table.name):
            rows = tag(one_topic_a_row(opened.rows, opened.format), (NODE, TOPIC), self.max_label_length)
            if ROLE in rows.columns:
                from topicweave.pipeline.quality.roles import tag_roles

                rows = tag_roles(rows)
            part = Part("subscriptions", self.table.name, rows, opened.files, opened.has_header, self.table)
            return Records((part,), rows)


def one_topic_a_row(rows: DataFrame, kind: str) -> DataFrame:
    """Turn lists of topics into one row per topic; a node with an empty list keeps one row without a topic."""
    if isinstance(rows.schema[TOPIC].dataType, T.ArrayType):
        return rows.withColumn(TOPIC, F.explode_outer(TOPIC))
    if kind != JSONL:
        return rows
    from topicweave.pipeline.sources.formats.json_lines import as_list

    return rows.withColumn(TOPIC, F.explode_outer(as_list(F.col(TOPIC))))
