"""Is every topic connected? Checked from the written links, by code that does not know how they were made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F

from topicweave.columns import COMPONENTS, NODE, SOURCE, SUBSCRIBERS, TARGET, TOPIC
from topicweave.errors import SparkError
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.pipeline.spark.session import runs_on_workers
from topicweave.pipeline.workers.blocks import BLOCKS, FIGURES, SplitSubscriptions, TopicFigures, pack_links
from topicweave.wording import counted, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from topicweave.metrics.violations import Violation
    from topicweave.model import Requirements
    from topicweave.pipeline.quality.reasons import Counts

MOST_BUCKETS = 64


@dataclass(frozen=True)
class ListedLinks:
    """Statistics of a list of links, in particular of rows that cannot connect anything: such rows often mean that the
    wrong file or column was given.

    Attributes
    ----------
    rows
        Number of listed links.
    repeated
        Links among them that were listed before, in either direction.
    to_themselves
        Links of a node to itself, each counted once.
    strangers
        Number of nodes in the list that subscribe to nothing; ``stranger`` is one of them.
    """

    rows: int
    repeated: int
    to_themselves: int
    strangers: int
    stranger: str | None

    def __str__(self) -> str:
        """The rows that cannot connect anything, as a sentence; an empty text if there are none."""
        named = f", such as {shortened([self.stranger])}," if self.stranger is not None else ""
        found = (
            (self.strangers, f"{counted(self.strangers, 'node')}{named} subscribed to nothing"),
            (self.to_themselves, f"{counted(self.to_themselves, 'link')} of a node to itself"),
            (self.repeated, f"{counted(self.repeated, 'link')} listed again"),
        )
        said = "; ".join(sentence for number, sentence in found if number)
        return f"In the {counted(self.rows, 'row')} of links: {said}." if said else ""


@dataclass(frozen=True)
class Verification:
    """The result of a verification.

    Attributes
    ----------
    topics
        One row for each topic, sorted: ``topic``, ``subscribers``, ``components``, ``diameter``, ``diameter_exact``
        (both null unless asked for, and for topics that are not connected), ``connectivity`` (null unless asked for):
        one more than the number of nodes that may fail, whichever they are, without the topic falling apart; counted up
        to what was asked for.
    counts
        Counts of the rows of the subscriptions, by part of the input.
    links
        Figures on the list of links; None if only data frames were compared.
    requirements
        The requirements that were checked as well, if any.
    violations
        What violates them: one for each topic, node or link concerned.
    cost
        The sum of the costs of all links; None if the requirements give no costs.
    """

    topics: pa.Table
    counts: Mapping[str, Counts] = field(default_factory=dict)
    links: ListedLinks | None = None
    requirements: Requirements | None = None
    violations: tuple[Violation, ...] = ()
    cost: float | None = None

    @property
    def satisfied(self) -> bool:
        """Whether every topic is connected and no requirement is violated."""
        return self.topic_connected and not self.violations

    @property
    def num_topics(self) -> int:
        return int(self.topics.num_rows)

    @property
    def num_subscriptions(self) -> int:
        """The number of distinct (node, topic) pairs."""
        return int(self.topics[SUBSCRIBERS].to_numpy().sum())

    @property
    def components(self) -> int:
        """The number of components of all topics together (TCC)."""
        return int(self.topics[COMPONENTS].to_numpy().sum())

    @property
    def topic_connected(self) -> bool:
        return self.components == self.num_topics

    @property
    def support(self) -> float:
        """The support: 1 if every topic is connected, 0 if no link connects anything."""
        span = self.num_subscriptions - self.num_topics
        return (self.num_subscriptions - self.components) / span if span else 1.0

    @property
    def disconnected_topics(self) -> tuple[str, ...]:
        """The topics that are not connected."""
        cut = np.flatnonzero(self.topics[COMPONENTS].to_numpy() > 1)
        return tuple(self.topics[TOPIC].take(cut).to_pylist())


def verify_frames(
    subscriptions: DataFrame,
    edges: DataFrame,
    *,
    diameters: bool = False,
    connectivity: int = 1,
    num_buckets: int | None = None,
) -> Verification:
    """Count the components of every topic's sub-overlay.

    Parameters
    ----------
    subscriptions
        ``node`` and ``topic``; repeated rows count once.
    edges
        ``source`` and ``target``, in any direction and possibly repeated.
    diameters
        Whether to measure the topics' diameters as well, which takes longer.
    connectivity
        2 or 3: find out as well which topics stay connected when any so many nodes less one fail.
    num_buckets
        Into how many groups (buckets) the topics are divided. One call checks all topics of a bucket: it looks at all
        links, and needs some 60 bytes for each subscription to these topics.

    Notes
    -----
    Nodes are represented by 64-bit hashes. A second hash reveals when two labels have the same hash, and the work is
    then repeated with other hashes.
    """
    buckets = num_buckets or _default_buckets(subscriptions)
    with spark_failures("the subscriptions and links to verify"):
        for seed in range(5):
            figures = _figures(subscriptions, edges, buckets, (diameters, connectivity), seed).toArrow()
            if not np.any(figures["clash"].to_numpy(zero_copy_only=False)):
                return Verification(figures.drop_columns("clash").sort_by(TOPIC))
    raise SparkError("Node labels kept having equal hashes in five attempts; are the labels made to collide?")


def list_links(subscriptions: DataFrame, links: DataFrame) -> ListedLinks:
    """Check a list of links for rows that cannot connect anything."""
    one, other = F.least(SOURCE, TARGET), F.greatest(SOURCE, TARGET)
    distinct = links.groupBy(one.alias(SOURCE), other.alias(TARGET)).count()
    itself = F.coalesce(F.sum((F.col(SOURCE) == F.col(TARGET)).cast("int")), F.lit(0))
    rows, links_apart, to_themselves = distinct.agg(
        F.coalesce(F.sum("count"), F.lit(0)), F.count(F.lit(1)), itself
    ).collect()[0]
    ends = distinct.select(F.explode(F.array(SOURCE, TARGET)).alias(NODE)).distinct()
    strangers = ends.join(subscriptions.select(NODE).distinct(), NODE, "left_anti")
    number, first = strangers.agg(F.count(NODE), F.min(NODE)).collect()[0]
    return ListedLinks(rows, rows - links_apart, to_themselves, number, first)


def _figures(
    subscriptions: DataFrame, edges: DataFrame, num_buckets: int, asked: tuple[bool, int], seed: int
) -> DataFrame:
    split = runs_on_workers(SplitSubscriptions(num_buckets))
    # The checksum CRC is the same on every worker, and computing it in Spark costs less than in Python.
    bucket = F.pmod(F.crc32(F.col(TOPIC).cast("binary")), F.lit(num_buckets)).cast("int").alias("bucket")
    members = subscriptions.select(*_hashes(NODE, seed), TOPIC, bucket).mapInArrow(split, BLOCKS)
    links = (
        edges.select(*_hashes(SOURCE, seed), *_hashes(TARGET, seed))
        .mapInArrow(runs_on_workers(pack_links), BLOCKS)
        .withColumn("bucket", F.explode(F.sequence(F.lit(0), F.lit(num_buckets - 1))))
    )
    return (
        members.unionByName(links)
        .repartitionById(num_buckets, "bucket")
        .sortWithinPartitions("bucket", "kind")
        .mapInArrow(runs_on_workers(TopicFigures(*asked)), FIGURES)
    )


def _hashes(column: str, seed: int) -> list[Column]:
    """Two independent hashes of a label."""
    return [
        F.xxhash64(F.lit(seed), F.col(column)).alias(f"{column}_hash"),
        F.hash(F.lit(seed), F.col(column)).alias(f"{column}_check"),
    ]


def _default_buckets(frame: DataFrame) -> int:
    """How many buckets to divide topics into: twice the number of cores, if that is known."""
    try:
        parallelism = frame.sparkSession.sparkContext.defaultParallelism
    except Exception:  # a session of Spark Connect is only a client and has no Spark context
        parallelism = 4
    return max(4, min(MOST_BUCKETS, 2 * parallelism))
