"""Client tables: which client has which filters, and which broker it is connected to; together brokers × topics."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F

from topicweave.columns import BROKER, CLIENT, FILTER, NODE, REASON, TOPIC
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.quality.reasons import MAX_LABEL_LENGTH, tag, valid
from topicweave.pipeline.sources import mqtt
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.sources.source import Part, Records, Source
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.pipeline.spark.session import runs_on_workers

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

LONGEST_FILTER = 65_535


@dataclass(frozen=True)
class Clients(Source):
    """Clients with MQTT filters, and the brokers they are connected to.

    Wildcards are expanded over the topics that are known: those listed, and those that some filter names in full.

    Attributes
    ----------
    filters
        A table of ``client`` and ``filter``.
    brokers
        A table of ``client`` and ``broker``; a client with several counts at each.
    topics
        A table of ``topic``: names that exist, whether or not somebody subscribes to them by name.
    max_label_length
        Client, broker and topic names of more characters are bad.
    """

    kind: ClassVar[str] = "clients"

    filters: Table
    brokers: Table
    topics: Table | None = None
    max_label_length: int = MAX_LABEL_LENGTH

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.filters, self.brokers) if self.topics is None else (self.filters, self.brokers, self.topics)

    def read(self, spark: SparkSession) -> Records:
        """Read the tables, expand the filters, and gather them by broker."""
        brokers = self._part(spark, "brokers", self.brokers, (CLIENT, BROKER))
        filters = self._part(spark, "filters", self.filters, (CLIENT, FILTER))
        with spark_failures(self.filters.name):
            home = valid(brokers.rows).select(CLIENT, BROKER).distinct().persist()
            tagged = tag_filters(filters.rows, home).persist()
            parts = [replace(filters, rows=tagged), brokers]
            names = []
            if self.topics is not None:
                listed = self._part(spark, "topics", self.topics, (TOPIC,))
                rows = listed.rows.withColumn(REASON, _topic_reason())
                parts.append(replace(listed, rows=rows))
                names.append(valid(rows).select(TOPIC))
            wanted = valid(tagged).select(CLIENT, FILTER).join(home, CLIENT).select(BROKER, FILTER).distinct().persist()
            plain = wanted.where(~_is_wild()).select(BROKER, F.col(FILTER).alias(TOPIC))
            names.append(plain.select(TOPIC))
            wild = [row[0] for row in wanted.where(_is_wild()).select(FILTER).distinct().collect()]
            matches = expand(names, sorted(wild)).persist()
            pairs = plain.unionByName(wanted.join(matches, FILTER).select(BROKER, TOPIC))
            pairs = pairs.select(F.col(BROKER).alias(NODE), TOPIC, F.lit(None).cast("string").alias(REASON)).persist()
            idle = len(wild) - matches.select(FILTER).distinct().count() if wild else 0
            notes = {"wildcard filters": len(wild), "wildcard filters that match no known topic": idle}
            return Records(
                tuple(parts), pairs, pairs_per_row=None, notes=notes, held=(home, tagged, wanted, matches, pairs)
            )

    def _part(self, spark: SparkSession, role: str, table: Table, fields: tuple[str, ...]) -> Part:
        opened = open_table(spark, table, fields)
        with spark_failures(table.name):
            labels = [field for field in fields if field != FILTER]
            rows = tag(opened.rows, labels, self.max_label_length)
            if FILTER in fields:
                rows = tag(rows, (FILTER,), LONGEST_FILTER)
            return Part(role, table.name, rows, opened.files, opened.has_header, table)


def tag_filters(rows: DataFrame, home: DataFrame) -> DataFrame:
    """Shared subscriptions without their group; malformed filters and clients without broker with their reason."""
    shared = F.startswith(F.col(FILTER), F.lit(mqtt.SHARE))
    pieces = F.split(FILTER, "/", 3)
    group = F.get(pieces, F.lit(1))
    bare = F.when(shared, F.get(pieces, F.lit(2))).otherwise(F.col(FILTER))
    good_group = ~shared | ((F.size(pieces) == 3) & (group != "") & ~group.contains("+") & ~group.contains("#"))
    levels = F.split("bare", "/")
    misplaced = F.exists(
        levels, lambda level: (level.contains("+") | level.contains("#")) & ~level.isin(mqtt.ONE, mqtt.REST)
    ) | F.array_contains(F.slice(levels, 1, F.size(levels) - 1), mqtt.REST)
    well_formed = good_group & F.col("bare").isNotNull() & (F.col("bare") != "") & ~misplaced & ~_has_nul("bare")
    known = home.select(CLIENT).distinct().withColumn("known", F.lit(True))
    tagged = rows.withColumn("bare", bare).join(known, CLIENT, "left")
    reason = (
        F.when(F.col(REASON).isNotNull(), F.col(REASON))
        .when(~F.coalesce(well_formed, F.lit(False)), reasons.BAD_FILTER)
        .when(F.col("known").isNull(), reasons.NO_BROKER)
    )
    return tagged.withColumn(REASON, reason).withColumn(FILTER, F.coalesce("bare", FILTER)).drop("bare", "known")


def expand(names: list[DataFrame], filters: list[str]) -> DataFrame:
    """Every filter with the topics it matches: ``filter``, ``topic``."""
    topics = names[0]
    for more in names[1:]:
        topics = topics.unionByName(more)
    matcher = runs_on_workers(mqtt.TopicMatcher(filters))
    return topics.distinct().mapInArrow(matcher, f"{FILTER} STRING, {TOPIC} STRING")


def _is_wild() -> Column:
    return F.col(FILTER).contains(mqtt.ONE) | F.col(FILTER).contains(mqtt.REST)


def _has_nul(column: str) -> Column:
    return F.col(column).contains("\0")


def _topic_reason() -> Column:
    """A topic name must not hold wildcards: it would be a filter."""
    wild = F.col(TOPIC).contains(mqtt.ONE) | F.col(TOPIC).contains(mqtt.REST)
    return F.when(F.col(REASON).isNotNull(), F.col(REASON)).when(wild, reasons.BAD_TOPIC)
