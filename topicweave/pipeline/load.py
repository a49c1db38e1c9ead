"""Read, clean and encode in one go: from a source to an Interest, with an account of every row."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.errors import ReadError
from topicweave.pipeline.encode import Encoded, encode
from topicweave.pipeline.job import open_job
from topicweave.pipeline.older_calls import source_first
from topicweave.pipeline.plan.checkpoints.store import ENCODE, Account, Checkpoints
from topicweave.pipeline.quality.counts import MAX_BAD_FRACTION, Counts, check_max_bad_fraction
from topicweave.pipeline.sources.presence import check_present
from topicweave.pipeline.sources.source import as_source
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicweave.model import Interest
    from topicweave.pipeline.job import Job, Spark
    from topicweave.pipeline.sources.records import Records
    from topicweave.pipeline.sources.source import Source, SourceLike
    from topicweave.pipeline.spark.progress import Observer


@dataclass(frozen=True)
class Loaded:
    """An interest, the records it was made of, and where every row went.

    Attributes
    ----------
    counts
        For each part of the input, by role.
    duplicates
        Subscriptions that were said more than once.
    """

    interest: Interest
    records: Records
    counts: Mapping[str, Counts]
    duplicates: int

    @property
    def num_bad(self) -> int:
        """Rows in the quarantine, of all parts."""
        return sum(counts.num_bad for counts in self.counts.values())

    def to_dict(self) -> dict[str, Any]:
        """The account of rows, for the manifest."""
        return {
            "inputs": {role: counts.to_dict() for role, counts in self.counts.items()},
            "duplicates": self.duplicates,
            "subscriptions": self.interest.num_subscriptions,
            "nodes": self.interest.num_nodes,
            "topics": self.interest.num_topics,
            "notes": dict(self.records.notes),
        }


@source_first("pipeline.load(source, spark=...)")
def load(
    source: SourceLike,
    *,
    max_bad_fraction: float = MAX_BAD_FRACTION,
    spark: Spark = None,
    progress: Observer | None = None,
) -> Loaded:
    """Read a source, put the bad rows aside, and number what is left.

    Parameters
    ----------
    source
        What to read; a path, table or data frame is taken for subscriptions.
    max_bad_fraction
        The share of bad rows, in any part of the input, up to which the good ones are used.
    spark
        The session to use, or :class:`SparkSettings`; by default the running one, or a new embedded one.
    progress
        Told what is going on.

    Raises
    ------
    ReadError
        There is nothing to read, or no usable row in it.
    BadRowsError
        More rows are bad than allowed; the message says why most of them are.
    """
    check_max_bad_fraction(max_bad_fraction)
    readable = as_source(source)
    check_present(readable.tables, spark)
    with open_job(spark=spark, progress=progress) as job:
        return load_in(job, readable, max_bad_fraction)


def load_in(job: Job, source: Source, max_bad_fraction: float, checkpoints: Checkpoints | None = None) -> Loaded:
    """The same as part of a larger job, whose checkpoints may spare some of it."""
    saved = checkpoints or Checkpoints()
    spark = job.start()
    with job.stages.stage("read"):
        records = source.read(spark)
    try:
        with job.stages.stage(ENCODE):
            before = time.perf_counter()
            saved.identify(spark, source, records)
            found = saved.find_account()
            interest, counts, duplicates = account = found or _account(records)
            for part in records.parts:
                part.check(counts[part.role], max_bad_fraction)
            if not interest.num_subscriptions:
                raise _nothing_found(records, counts)
            if found is None:
                saved.save_account(account, time.perf_counter() - before)
            job.stages.say(
                f"{counted(interest.num_nodes, 'node')}, {counted(interest.num_topics, 'topic')}, "
                f"{counted(interest.num_subscriptions, 'subscription')}{saved.remark(ENCODE)}"
            )
    except BaseException:
        records.release()
        raise
    return Loaded(interest, records, counts, duplicates)


def _account(records: Records) -> Account:
    encoded = encode(records.pairs)
    return Account(encoded.interest, _count(records, encoded), encoded.duplicates)


def _count(records: Records, encoded: Encoded) -> dict[str, Counts]:
    """The account of each part; that of a single table comes with the encoding and costs no further pass."""
    if records.pairs_per_row is None:
        with spark_failures("the input"):
            return {part.role: part.count() for part in records.parts}
    found = encoded.counts
    part = records.parts[0]
    return {part.role: Counts(found.valid // records.pairs_per_row, found.bad, found.ignored)}


def _nothing_found(records: Records, counts: Mapping[str, Counts]) -> ReadError:
    part = records.parts[0]
    seen = counts[part.role]
    parts = [f"{number:,} × {reason}" for reason, number in {**seen.ignored, **seen.bad}.items()]
    what = f"{counted(seen.read, 'row')} read" + (f" ({', '.join(parts)})" if parts else "")
    return ReadError(f"There is no subscription in {part.name}: {what}; check that it is the right input.")
