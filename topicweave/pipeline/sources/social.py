"""Social graphs: links between users. Every user is both a node and a topic: followers subscribe to the users they
follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pyspark.sql import functions as F

from topicweave.columns import NODE, REASON, SOURCE, TARGET, TOPIC
from topicweave.parameters import check_flag
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.quality.reasons import MAX_LABEL_LENGTH, tag, valid
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.sources.sample import bfs_sample
from topicweave.pipeline.sources.source import ExpectedNodes, Part, Records, Source
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class SocialGraph(Source):
    """A social graph: a table with one row per link.

    Attributes
    ----------
    table
        The table of links; the fields are ``source`` and ``target``.
    directed
        Whether a link means that its source follows its target; otherwise both follow each other.
    sample
        Take only a breadth-first sample of this many users.
    seeds
        The users to start the sample from, or how many to draw.
    seed
        Seed of that draw.
    max_label_length
        Rows with longer labels are bad.
    """

    kind: ClassVar[str] = "social"

    table: Table
    directed: bool = False
    sample: int | None = None
    seeds: int | tuple[str, ...] = 1
    seed: int = 0
    max_label_length: int = MAX_LABEL_LENGTH

    def __post_init__(self) -> None:
        check_flag("directed", self.directed)
        self.table.check_fields((SOURCE, TARGET))  # check this at once, because starting Spark takes seconds

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.table,)

    def read(self, spark: SparkSession) -> Records:
        """Read the links and turn them into subscriptions."""
        part = self.links(spark)
        if self.sample is not None:
            return self._read_sample(part, self.sample)
        return Records((part,), subscriptions_of(part.rows, self.directed), pairs_per_row=1 if self.directed else 2)

    def _read_sample(self, part: Part, num_users: int) -> Records:
        found = bfs_sample(valid_links(part), num_users, seeds=self.seeds, seed=self.seed)
        with spark_failures(self.table.name):
            pairs = subscriptions_of(found.links, self.directed).persist()
        notes = {"sampled users": num_users, "sample started from": list(found.seeds)}
        reason = (
            "nobody in the sample is followed by this user" if self.directed else "its links lead out of the sample"
        )
        expected = ExpectedNodes("sampled user", num_users, reason)
        return Records((part,), pairs, pairs_per_row=None, notes=notes, held=(pairs,), expected=expected)

    def links(self, spark: SparkSession) -> Part:
        """The links, every row with the reason why it cannot be used (or null)."""
        opened = open_table(spark, self.table, (SOURCE, TARGET))
        with spark_failures(self.table.name):
            rows = tag(opened.rows, (SOURCE, TARGET), self.max_label_length)
            to_itself = F.col(REASON).isNull() & (F.col(SOURCE) == F.col(TARGET))
            rows = rows.withColumn(REASON, F.when(to_itself, reasons.SELF_LINK).otherwise(F.col(REASON)))
            return Part("links", self.table.name, rows, opened.files, opened.has_header, self.table)


def subscriptions_of(links: DataFrame, directed: bool) -> DataFrame:
    """The subscriptions that follow from the links; invalid rows are passed on as they are."""
    if REASON not in links.columns:
        links = links.withColumn(REASON, F.lit(None).cast("string"))
    if directed:
        return links.select(F.col(SOURCE).alias(NODE), F.col(TARGET).alias(TOPIC), REASON)
    there = F.struct(F.col(SOURCE).alias(NODE), F.col(TARGET).alias(TOPIC))
    back = F.struct(F.col(TARGET).alias(NODE), F.col(SOURCE).alias(TOPIC))
    both = F.when(F.col(REASON).isNull(), F.array(there, back)).otherwise(F.array(there))
    return links.select(F.explode(both).alias("pair"), REASON).select(f"pair.{NODE}", f"pair.{TOPIC}", REASON)


def valid_links(part: Part) -> DataFrame:
    """The valid links, as columns ``source`` and ``target``."""
    return valid(part.rows).select(SOURCE, TARGET)
