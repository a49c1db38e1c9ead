"""Read, clean and encode in one go: from a source to an Interest, with an account of every row."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topicweave.errors import ReadError
from topicweave.pipeline.encode import Encoded, encode
from topicweave.pipeline.job import open_job, verb
from topicweave.pipeline.quality.counts import MAX_BAD_FRACTION, Counts, check_max_bad_fraction
from topicweave.pipeline.sources.presence import check_present
from topicweave.pipeline.sources.source import as_source
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.pipeline.spark.progress import ENCODE
from topicweave.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicweave.model import Interest
    from topicweave.pipeline.job import Job, Spark
    from topicweave.pipeline.plan.checkpoints.store import Checkpoints
    from topicweave.pipeline.sources.records import Records
    from topicweave.pipeline.sources.source import Source, SourceLike
    from topicweave.pipeline.spark.progress import Observer


# Files of fewer bytes in all are read again, and designed for, as soon as their checkpoints would be found.
BYTES_WORTH_SAVING = 1_000_000


@dataclass(frozen=True)
class Loaded:
    """An interest, the records it was made of, and where every row went.

    Attributes
    ----------
    counts
        For each part of the input, by role.
    duplicates
        Subscriptions that were said more than once.
    checkpoints
        Where the job's finished stages are kept for the next run; None where that is not worth while.
    """

    interest: Interest
    records: Records
    counts: Mapping[str, Counts]
    duplicates: int
    checkpoints: Checkpoints | None = field(default=None, repr=False)

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


@verb("pipeline.load(source, spark=...)")
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


def load_in(job: Job, source: Source, max_bad_fraction: float, *, resume: bool = False, fresh: bool = False) -> Loaded:
    """The same as part of a larger job; with ``resume`` its checkpoints may spare some of it, unless ``fresh``."""
    spark = job.start()
    with job.stages.stage("read"):
        records = source.read(spark)
    try:
        with job.stages.stage(ENCODE):
            before = time.perf_counter()
            saved = _checkpoints(job, records, fresh) if resume else None
            if saved is not None:
                saved.identify(spark, source, records)
            found = None if saved is None else saved.find_account()
            interest, counts, duplicates = account = found or _account(records)
            for part in records.parts:
                part.check(counts[part.role], max_bad_fraction)
            if not interest.num_subscriptions:
                raise _nothing_found(records, counts)
            if saved is not None and found is None:
                saved.save_account(account, time.perf_counter() - before)
            job.stages.say(
                f"{counted(interest.num_nodes, 'node')}, {counted(interest.num_topics, 'topic')}, "
                f"{counted(interest.num_subscriptions, 'subscription')}{saved.remark(ENCODE) if saved else ''}"
            )
    except BaseException:
        records.release()
        raise
    return Loaded(interest, records, counts, duplicates, saved)


def _checkpoints(job: Job, records: Records, fresh: bool) -> Checkpoints | None:
    """The checkpoints of a job that writes something, unless its input is so small that nothing is worth keeping."""
    if job.target is None:
        return None
    sizes = [file.size for file in records.files]
    is_small = sum(size or 0 for size in sizes) < BYTES_WORTH_SAVING and None not in sizes
    if (is_small or not all(part.files for part in records.parts)) and not job.target.checkpoints.exists():
        return None
    from topicweave.pipeline.plan.checkpoints.store import Checkpoints

    return job.enter(Checkpoints(job.target, fresh=fresh))


def _account(records: Records) -> tuple[Interest, Mapping[str, Counts], int]:
    encoded = encode(records.pairs)
    return encoded.interest, _count(records, encoded), encoded.duplicates


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
