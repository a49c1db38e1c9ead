"""The job that reads, cleans and numbers subscriptions: from a source to an Interest, accounting for every row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicweave.pipeline.job import as_source, check_present, open_job, verb
from topicweave.pipeline.loading import load_in
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION, check_max_bad_fraction

if TYPE_CHECKING:
    from topicweave.pipeline.job import SourceLike, Spark
    from topicweave.pipeline.loading import Loaded
    from topicweave.pipeline.spark.progress import Observer


@verb("pipeline.load(source, spark=...)")
def load(
    source: SourceLike,
    *,
    max_bad_fraction: float = MAX_BAD_FRACTION,
    spark: Spark = None,
    progress: Observer | None = None,
) -> Loaded:
    """Read a source, set bad rows aside, and number the nodes and topics of the others.

    Parameters
    ----------
    source
        What to read; a path, table or data frame is taken for subscriptions.
    max_bad_fraction
        The share of bad rows, in any part of the input, up to which the good ones are used.
    spark, progress
        The session, and the observer of progress: see :func:`open_job`.

    Raises
    ------
    ReadError
        There is nothing to read, or no usable row.
    BadRowsError
        More rows are bad than allowed; the message says why most of them are.
    """
    check_max_bad_fraction(max_bad_fraction)
    readable = as_source(source)
    check_present(readable.tables, spark)
    with open_job(spark=spark, progress=progress) as job:
        return load_in(job, readable, max_bad_fraction)
