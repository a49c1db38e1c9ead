"""Client tables: the topic filters of each client, and the broker it is connected to; together they say which brokers
need which topics.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F

from topicweave.columns import BROKER, CLIENT, FILTER, NODE, REASON, ROLE, TOPIC
from topicweave.errors import ReadError, Remedy
from topicweave.parameters import check_choice
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.quality.reasons import MAX_LABEL_LENGTH, tag, valid
from topicweave.pipeline.quality.roles import tag_roles
from topicweave.pipeline.sources.filters import LANGUAGES, MQTT, NATS, SHARE, Language, TopicMatcher
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.sources.source import ExpectedNodes, Part, Records, Source
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.pipeline.spark.session import runs_on_workers

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

LONGEST_FILTER = 65_535


@dataclass(frozen=True)
class Clients(Source):
    """A table of clients with their MQTT or NATS filters, and a table of the brokers they are connected to.

    Wildcards are expanded over the known topics: those listed, and those that some filter names in full.

    Attributes
    ----------
    filters
        A table of ``client`` and ``filter``; a column ``role`` may say that a client publishes the topic instead.
    brokers
        A table of ``client`` and ``broker``; a client with several brokers counts at each.
    topics
        A table of ``topic``: existing names, whether or not a client subscribes to them by name.
    max_label_length
        Rows with longer client, broker or topic names are bad.
    language
        ``"mqtt"`` or ``"nats"``: the syntax of filters. By default MQTT's, and filters that look like NATS's are
        refused.
    """

    kind: ClassVar[str] = "clients"

    filters: Table
    brokers: Table
    topics: Table | None = None
    max_label_length: int = MAX_LABEL_LENGTH
    language: str | None = None

    def __post_init__(self) -> None:
        if self.language is not None:
            check_choice("language of filters", self.language, tuple(LANGUAGES), parameter="language")

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.filters, self.brokers) if self.topics is None else (self.filters, self.brokers, self.topics)

    def read(self, spark: SparkSession) -> Records:
        """Read the tables, replace filters by the topics that they match, and collect the topics of each broker."""
        language = LANGUAGES[self.language or "mqtt"]
        brokers = self._part(spark, "brokers", self.brokers, (CLIENT, BROKER))
        filters = self._part(spark, "filters", self.filters, (CLIENT, FILTER))
        with spark_failures(self.filters.name):
            home = valid(brokers.rows).select(CLIENT, BROKER).distinct().persist()
            tagged = tag_roles(tag_filters(filters.rows, home, language)).persist()
            parts = [replace(filters, rows=tagged), brokers]
            names = []
            if self.topics is not None:
                listed = self._part(spark, "topics", self.topics, (TOPIC,))
                rows = listed.rows.withColumn(REASON, _topic_reason(language))
                parts.append(replace(listed, rows=rows))
                names.append(valid(rows).select(TOPIC))
            by_client = valid(tagged).select(CLIENT, FILTER, ROLE).join(home, CLIENT)
            wanted = by_client.select(BROKER, FILTER, ROLE).distinct().persist()
            plain = wanted.where(~_is_wild(language)).select(BROKER, F.col(FILTER).alias(TOPIC), ROLE)
            if self.language is None:
                self._check_language(plain)
            names.append(plain.select(TOPIC))
            wild = [row[0] for row in wanted.where(_is_wild(language)).select(FILTER).distinct().collect()]
            matches = expand(names, sorted(wild), language).persist()
            pairs = plain.unionByName(wanted.join(matches, FILTER).select(BROKER, TOPIC, ROLE))
            usable = F.lit(None).cast("string").alias(REASON)
            pairs = pairs.select(F.col(BROKER).alias(NODE), TOPIC, ROLE, usable).persist()
            idle = len(wild) - matches.select(FILTER).distinct().count() if wild else 0
            if wild and idle == len(wild) and plain.isEmpty():
                raise ReadError(
                    "The filters in {path} are all wildcards, such as {example!r}, and none matches a known topic; "
                    "{remedy}.",
                    path=self.filters.name, example=wild[0], remedy=Remedy.LIST_TOPICS,
                )  # fmt: skip
            notes = {"wildcard filters": len(wild), "wildcard filters that match no known topic": idle}
            at_work = sorted(row[0] for row in home.select(BROKER).distinct().collect())
            return Records(
                tuple(parts),
                pairs,
                pairs_per_row=None,
                notes=notes,
                held=(home, tagged, wanted, matches, pairs),
                expected=ExpectedNodes(
                    "broker", len(at_work), "no filter of its clients matches a known topic", tuple(at_work)
                ),
            )

    def _check_language(self, plain: DataFrame) -> None:
        """Refuse NATS wildcards in MQTT filters: MQTT would take such a filter for the name of a single topic, which
        hardly two brokers would share.
        """
        found = plain.where(F.col(TOPIC).rlike(NATS.wildcard)).select(TOPIC).limit(1).collect()
        if found:
            raise ReadError(
                "The filters in {path} look like those of NATS, such as {example!r}, which would be a plain topic to "
                "MQTT; {remedy}.",
                path=self.filters.name, example=found[0][0], remedy=Remedy.NAME_LANGUAGE,
            )  # fmt: skip

    def _part(self, spark: SparkSession, role: str, table: Table, fields: tuple[str, ...]) -> Part:
        optional = (ROLE,) if FILTER in fields else ()
        opened = open_table(spark, table, fields, optional)
        with spark_failures(table.name):
            labels = [field for field in fields if field != FILTER]
            rows = tag(opened.rows_with(optional), labels, self.max_label_length)
            if FILTER in fields:
                rows = tag(rows, (FILTER,), LONGEST_FILTER)
            return Part(role, table.name, rows, opened.files, opened.has_header, table)


def tag_filters(rows: DataFrame, home: DataFrame, language: Language = MQTT) -> DataFrame:
    """Remove the group name from shared subscriptions; rows with malformed filters, or clients without a broker, get a
    reason.
    """
    bare, well_formed = FORMS[language]()
    known = home.select(CLIENT).distinct().withColumn("known", F.lit(True))
    tagged = rows.withColumn("bare", bare).join(known, CLIENT, "left")
    good = well_formed & F.col("bare").isNotNull() & (F.col("bare") != "") & ~F.col("bare").contains("\0")
    reason = (
        F.when(F.col(REASON).isNotNull(), F.col(REASON))
        .when(~F.coalesce(good, F.lit(False)), reasons.bad_filter(language.name))
        .when(F.col("known").isNull(), reasons.NO_BROKER)
    )
    return tagged.withColumn(REASON, reason).withColumn(FILTER, F.coalesce("bare", FILTER)).drop("bare", "known")


def _mqtt_form() -> tuple[Column, Column]:
    """The filter without the group name, and whether it is well-formed: a wildcard fills a whole level, and ``#`` is
    the last one.
    """
    shared = F.startswith(F.col(FILTER), F.lit(SHARE))
    pieces = F.split(FILTER, "/", 3)
    group = F.get(pieces, F.lit(1))
    bare = F.when(shared, F.get(pieces, F.lit(2))).otherwise(F.col(FILTER))
    good_group = ~shared | ((F.size(pieces) == 3) & (group != "") & ~group.contains("+") & ~group.contains("#"))
    levels = F.split("bare", "/")
    misplaced = F.exists(
        levels, lambda level: (level.contains("+") | level.contains("#")) & ~level.isin(MQTT.one, MQTT.rest)
    ) | F.array_contains(F.slice(levels, 1, F.size(levels) - 1), MQTT.rest)
    return bare, good_group & ~misplaced


def _nats_form() -> tuple[Column, Column]:
    """The subject as it is, and whether it is well-formed: no empty token, no white space, and ``>`` only at
    the end.
    """
    tokens = F.split("bare", r"\.")
    misplaced = F.array_contains(F.slice(tokens, 1, F.size(tokens) - 1), NATS.rest)
    return F.col(FILTER), ~F.array_contains(tokens, "") & ~F.col("bare").rlike(r"\s") & ~misplaced


FORMS = {MQTT: _mqtt_form, NATS: _nats_form}


def expand(names: list[DataFrame], filters: list[str], language: Language = MQTT) -> DataFrame:
    """Every filter paired with each topic that it matches: columns ``filter`` and ``topic``."""
    topics = names[0]
    for more in names[1:]:
        topics = topics.unionByName(more)
    matcher = runs_on_workers(TopicMatcher(filters, language))
    return topics.distinct().mapInArrow(matcher, f"{FILTER} STRING, {TOPIC} STRING")


def _is_wild(language: Language) -> Column:
    return F.col(FILTER).rlike(language.wildcard)


def _topic_reason(language: Language) -> Column:
    """The reason why a topic name is invalid: it contains wildcards, so it is a filter."""
    wild = F.col(TOPIC).rlike(language.wildcard)
    if language is MQTT:  # these characters have no other use in MQTT topics
        wild = F.col(TOPIC).contains(MQTT.one) | F.col(TOPIC).contains(MQTT.rest)
    return F.when(F.col(REASON).isNotNull(), F.col(REASON)).when(wild, reasons.BAD_TOPIC)
