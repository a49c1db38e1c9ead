"""Turns a source into an Interest on the driver, accounting for every row: read, clean, number.

Numbers follow the sorted labels, so they do not depend on how rows are distributed. Labels are compared as UTF-8 bytes,
which is also Python's order of strings.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F

from topicweave.columns import NODE, REASON, ROLE, TOPIC
from topicweave.errors import ReadError
from topicweave.model import Interest
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION, Counts
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.pipeline.spark.progress import ENCODE
from topicweave.pipeline.spark.session import runs_on_workers
from topicweave.pipeline.workers.encode import SCHEMA, code_partition, fold_roles, unpack_labels
from topicweave.wording import counted, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

    from topicweave.pipeline.job import Job
    from topicweave.pipeline.plan.checkpoints.store import Checkpoints
    from topicweave.pipeline.sources.source import Records, Source

# For input files below this total size, starting again is as fast as using checkpoints.
BYTES_WORTH_SAVING = 1_000_000
MOST_NAMED = 3  # at most this many missing nodes are named


@dataclass(frozen=True)
class Loaded:
    """An interest, the input rows it was made from, and what became of every row.

    Attributes
    ----------
    counts
        Counts for each part of the input, by role.
    duplicates
        Subscriptions that were listed more than once.
    checkpoints
        Where the job's finished stages are kept for the next run; None if that is not worthwhile.
    """

    interest: Interest
    records: Records
    counts: Mapping[str, Counts]
    duplicates: int
    checkpoints: Checkpoints | None = field(default=None, repr=False)

    @property
    def num_bad(self) -> int:
        """The number of rows in quarantine, over all parts."""
        return sum(counts.num_bad for counts in self.counts.values())

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences about nodes that were expected but are missing."""
        expected = self.records.expected
        missing = 0 if expected is None else expected.number - self.interest.num_nodes
        if expected is None or missing <= 0:
            return ()
        names = [label for label in expected.labels if label not in self.interest.node_numbers]
        shown = shortened(names, MOST_NAMED)
        are = "is" if missing == 1 else "are"
        return (
            f"{missing:,} of {counted(expected.number, expected.what)} {are} not in the plan{shown and f' ({shown})'}: "
            f"{expected.reason}.",
        )

    def to_dict(self) -> dict[str, Any]:
        """The account of all rows, for the manifest."""
        return {
            "inputs": {role: counts.to_dict() for role, counts in self.counts.items()},
            "duplicates": self.duplicates,
            "subscriptions": self.interest.num_subscriptions,
            "nodes": self.interest.num_nodes,
            "topics": self.interest.num_topics,
            "notes": dict(self.records.notes),
            "remarks": list(self.remarks),
        }


def load_in(
    job: Job,
    source: Source,
    max_bad_fraction: float | None = None,
    *,
    resume: bool = False,
    fresh: bool = False,
) -> Loaded:
    """Read a source as part of a job; with ``resume``, use checkpoints as far as possible, unless ``fresh`` is set.

    ``max_bad_fraction`` is None if the user cannot choose it.
    """
    allowed = MAX_BAD_FRACTION if max_bad_fraction is None else max_bad_fraction
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
                part.check(counts[part.role], allowed, is_fixed=max_bad_fraction is None)
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
    """The checkpoints of the job; None if the job writes nothing, or if its input is so small that reading it again is
    as fast.
    """
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
    """What became of the rows of each part; for a single table, this was already counted while numbering it."""
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


@dataclass(frozen=True)
class Encoded:
    """An interest, and the rows that it was made from.

    Attributes
    ----------
    interest
        The subscriptions.
    counts
        Counts of the rows, with duplicates among the valid ones.
    """

    interest: Interest
    counts: Counts

    @property
    def duplicates(self) -> int:
        """The number of valid rows that repeat another row."""
        return self.counts.valid - self.interest.num_subscriptions


def encode(pairs: DataFrame) -> Encoded:
    """Number the nodes and topics of (node, topic) pairs on Spark and collect them on the driver.

    ``pairs`` may have a column ``reason``, whose rows are counted by reason and left out, and a column ``role``.
    """
    reason = F.col(REASON) if REASON in pairs.columns else F.lit(None).cast("string")
    rows = pairs.select(NODE, TOPIC, reason.alias(REASON), *_roles(pairs))
    with spark_failures("the subscriptions"):
        coded = rows.mapInArrow(runs_on_workers(code_partition), SCHEMA).toArrow()
    valid = coded["valid"].to_pylist()
    by_reason: Counter[str | None] = Counter({None: sum(valid)})
    for told in coded["reasons"].to_pylist():
        by_reason.update(json.loads(told))
    nodes, topics, keys, roles = _joined(coded)
    del coded  # release the largest object here, because the next steps need its memory
    return Encoded(_interest(nodes, topics, keys, roles), Counts.from_reasons(by_reason))


def _roles(pairs: DataFrame) -> list[Column]:
    """The column of roles in coded form, if there is one."""
    if ROLE not in pairs.columns:
        return []
    from topicweave.pipeline.quality.roles import role_bits

    return [role_bits()]


def _joined(coded: pa.Table) -> tuple[pa.Array, pa.Array, NDArray[np.int64], NDArray[np.uint8] | None]:
    """Join the blocks of all partitions: sorted labels, one key per pair, and the roles if there are any."""
    # Go through the blocks one by one, because filtering would copy the whole table; blocks with only bad rows have no
    # labels.
    columns = ("node_labels", "topic_labels", "node_codes", "topic_codes", "roles")
    filled = np.flatnonzero(coded["valid"].to_numpy())
    cells = {name: [coded[name][int(row)].as_buffer() for row in filled] for name in columns}
    nodes, node_numbers = _merged(cells["node_labels"])
    topics, topic_numbers = _merged(cells["topic_labels"])
    node_codes = [np.frombuffer(cell, dtype=np.int32) for cell in cells["node_codes"]]
    topic_codes = [np.frombuffer(cell, dtype=np.int32) for cell in cells["topic_codes"]]
    keys = np.empty(sum(map(len, node_codes)), dtype=np.int64)
    start = 0
    for part, (ours, theirs) in enumerate(zip(node_codes, topic_codes, strict=True)):
        window = keys[start : start + len(ours)]
        start += len(window)
        window[:] = node_numbers[part][ours]
        window *= len(topics)
        window += topic_numbers[part][theirs]
    if not any(cell.size for cell in cells["roles"]):
        return nodes, topics, keys, None
    told = [np.frombuffer(cell, dtype=np.uint8) for cell in cells["roles"]]
    filled_up = [
        role if len(role) else np.ones(len(part), np.uint8) for role, part in zip(told, node_codes, strict=True)
    ]
    return nodes, topics, keys, np.concatenate(filled_up)


def _interest(nodes: pa.Array, topics: pa.Array, keys: NDArray[np.int64], roles: NDArray[np.uint8] | None) -> Interest:
    """Turn keys (node × topics + topic, one per pair) into CSR form, working on whole arrays instead of rows."""
    if roles is not None:
        keys, roles = fold_roles(keys, roles)
    else:
        keys.sort()
        if len(keys):
            keys = keys[np.concatenate(([True], keys[1:] != keys[:-1]))]
    starts = np.searchsorted(keys, np.arange(len(nodes) + 1) * len(topics))
    keys %= max(len(topics), 1)
    labels = tuple(nodes.to_pylist()), tuple(topics.to_pylist())
    return Interest(*labels, starts.astype(np.int64), keys.astype(np.int32), roles)


def _merged(packed: list[pa.Buffer]) -> tuple[pa.Array, list[NDArray[np.int32]]]:
    """All labels in sorted order, and for each block the new numbers of its labels."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = [unpack_labels(one) for one in packed]
    together = pa.chunked_array(chunks, pa.string()).dictionary_encode()
    if not together.num_chunks:
        return pa.array([], pa.string()), []
    labels = together.chunk(0).dictionary
    order = pc.sort_indices(labels).to_numpy()
    numbers = np.empty(len(labels), dtype=np.int32)
    numbers[order] = np.arange(len(labels), dtype=np.int32)
    return labels.take(pa.array(order)), [numbers[chunk.indices.to_numpy()] for chunk in together.chunks]
