"""Verify subscriptions and links that lie in files: what ``topicweave verify`` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicweave.pipeline.counts import MAX_BAD_FRACTION, Counts, check_max_bad_fraction
from topicweave.pipeline.edges import read_edges
from topicweave.pipeline.failures import spark_failures
from topicweave.pipeline.progress import Stages
from topicweave.pipeline.sources import SourceLike, as_source
from topicweave.pipeline.table import Table
from topicweave.pipeline.verify import Verification, verify

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class VerifiedFiles:
    """What was found, and where the rows of the subscriptions went."""

    verification: Verification
    counts: Mapping[str, Counts]


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
    finally:
        records.release()
    return VerifiedFiles(found, counts)
