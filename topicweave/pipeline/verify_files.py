"""Verify subscriptions and links that lie in files: what ``topicweave verify`` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from topicweave.columns import NODE, SOURCE, TARGET
from topicweave.pipeline.quality.counts import MAX_BAD_FRACTION, Counts, check_max_bad_fraction
from topicweave.pipeline.sources.formats.table import Table
from topicweave.pipeline.sources.kinds import SourceLike, as_source
from topicweave.pipeline.sources.links import read_edges
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.pipeline.spark.progress import Stages
from topicweave.pipeline.verify import Verification, verify
from topicweave.wording import counted, shortened

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class ListedLinks:
    """What a list of links holds, and what of it connects nobody: often a sign of the wrong file or column.

    Attributes
    ----------
    rows
        Links listed.
    repeated
        Of these, links that were listed before, either way round.
    to_themselves
        Links of a node to itself, each counted once.
    strangers
        Nodes of the list that subscribe to nothing; stranger is one of them.
    """

    rows: int
    repeated: int
    to_themselves: int
    strangers: int
    stranger: str | None

    def __str__(self) -> str:
        """What connects nobody, in a sentence; empty if there is nothing of the kind."""
        named = f", such as {shortened([self.stranger])}," if self.stranger is not None else ""
        found = (
            (self.strangers, f"{counted(self.strangers, 'node')}{named} subscribed to nothing"),
            (self.to_themselves, f"{counted(self.to_themselves, 'link')} of a node to itself"),
            (self.repeated, f"{counted(self.repeated, 'link')} listed again"),
        )
        said = "; ".join(sentence for number, sentence in found if number)
        return f"In the {counted(self.rows, 'row')} of links: {said}." if said else ""


@dataclass(frozen=True)
class VerifiedFiles:
    """What was found, where the rows of the subscriptions went, and what the list of links holds."""

    verification: Verification
    counts: Mapping[str, Counts]
    links: ListedLinks


def verify_files(
    spark: SparkSession,
    source: SourceLike,
    edges: Table | str | os.PathLike[str],
    *,
    max_bad_fraction: float = MAX_BAD_FRACTION,
    diameters: bool = False,
    stages: Stages | None = None,
) -> VerifiedFiles:
    """Check a list of links against subscriptions; neither needs to come from here.

    Parameters
    ----------
    spark
        The session to use.
    source
        The subscriptions.
    edges
        A plan folder, or any table with the fields ``source`` and ``target``.
    max_bad_fraction
        The share of bad rows among the subscriptions up to which the good ones are used.
    diameters
        Whether to measure topic diameters as well.
    stages
        Told what is going on.
    """
    check_max_bad_fraction(max_bad_fraction)
    steps = stages or Stages()
    with steps.stage("read"):
        links = read_edges(spark, edges if isinstance(edges, Table) else Table(edges))
        records = as_source(source).read(spark)
    try:
        with steps.stage("clean"):
            with spark_failures("the subscriptions"):
                counts = {part.role: part.count() for part in records.parts}
            for part in records.parts:
                part.check(counts[part.role], max_bad_fraction)
        with steps.stage("verify"):
            found = verify(records.subscriptions, links, diameters=diameters)
            steps.say(f"support {found.support:.4f}")
            with spark_failures("the links"):
                listed = _listed(records.subscriptions, links)
    finally:
        records.release()
    return VerifiedFiles(found, counts, listed)


def _listed(subscriptions: DataFrame, links: DataFrame) -> ListedLinks:
    """Look at the links as a list."""
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
