"""Churn as a stream: event files are read by Spark as they arrive and applied one by one, each exactly once.

Spark's own checkpoint says which files were seen; the store's snapshot says which events were applied. The second
alone decides, so a file that is read again after a crash changes nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.churn.change_table import apply_or_refuse, as_parquet, change_rows
from topicweave.churn.events import Event
from topicweave.churn.replay import Recorder
from topicweave.churn.snapshot import save
from topicweave.columns import ACTION, FILE, LINE, NODE, REASON, SEQUENCE, SOURCE, TARGET, TIME, TOPIC, TOPICS
from topicweave.errors import BadRowsError, ReadError
from topicweave.model import Interest, Overlay
from topicweave.model.event_schema import FIELDS, OPTIONAL_FIELDS, REUSED_SEQUENCE
from topicweave.pipeline.load import load
from topicweave.pipeline.plan.links import read_edges
from topicweave.pipeline.plan.target import Target
from topicweave.pipeline.plan_files import EDGES, MANIFEST, QUARANTINE, REPORT
from topicweave.pipeline.quality.quarantine import entries, write_entries
from topicweave.pipeline.quality.tagging import quarantined, valid
from topicweave.pipeline.sources.events import tag_events, tag_reused
from topicweave.pipeline.sources.formats.files import as_paths
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.spark.failures import readable_path, spark_failures
from topicweave.wording import counted, shortened

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from topicweave.churn.event_store import Applied, EventStore
    from topicweave.churn.maintainer import Maintainer
    from topicweave.churn.replay import Replay

CHECKPOINT, SNAPSHOT, CHANGES, SUBSCRIPTIONS = "checkpoint", "snapshot", "changes.parquet", "subscriptions.parquet"
BINARY_FILE = "path STRING, modificationTime TIMESTAMP, length LONG, content BINARY"


@dataclass(frozen=True)
class Row:
    """An event and the row it was read from."""

    event: Event
    file: str
    line: str

    def entry(self, reason: str) -> dict[str, Any]:
        """The row as an entry of the quarantine."""
        return {REASON: reason, FILE: self.file, LINE: self.line}


def read_events(spark: SparkSession, table: Table, *, log: bool = True) -> tuple[list[Row], list[dict[str, Any]]]:
    """The events of some files in sequence order, and the rows that are none, as entries of a quarantine.

    With ``log`` the files are a whole log, in which a number that is used for different events counts for none.
    """
    opened = open_table(spark, table, FIELDS, OPTIONAL_FIELDS)
    with spark_failures(table.name):
        rows = tag_events(opened.rows)
        rows = tag_reused(rows) if log else rows
        fields = (SEQUENCE, TIME, NODE, ACTION, TOPICS, FILE, LINE)
        found = [
            Row(
                Event.from_record({**{name: row[name] for name in fields[:4]}, TOPIC: row[TOPICS]}),
                readable_path(row[FILE] or ""),
                row[LINE],
            )
            for row in valid(rows).select(*fields).collect()
        ]
        bad = list(entries(quarantined(rows)))
    # Whatever the cuts of partitions, the same one of two rows comes first.
    found.sort(key=lambda row: (row.event.sequence, row.file, row.event.content))
    return found, bad


def follow(
    spark: SparkSession,
    events: str | os.PathLike[str],
    store: EventStore,
    *,
    once: bool = False,
    interval: float = 1.0,
    files_at_once: int | None = None,
    like: Table | None = None,
    tell: Callable[[Applied, int], None] | None = None,
) -> None:
    """Apply the events of files as they appear in a folder; with ``once``, those that are there, and return.

    Parameters
    ----------
    spark
        The session to use.
    events
        Folder or glob of event files. A file must appear whole: write it elsewhere and move it in.
    store
        The state.
    once
        Return when all files that are there have been applied.
    interval
        Seconds between two looks at the folder.
    files_at_once
        The most files of one micro-batch; where the cuts fall changes nothing but the time to the next commit.
    like
        How the files are written: a table whose path does not matter.
    tell
        Called after every micro-batch with the number of events applied and of rows that were no events.
    """
    folder = as_paths(events)[0]
    source = spark.readStream.format("binaryFile").schema(BINARY_FILE)
    if files_at_once is not None:
        source = source.option("maxFilesPerTrigger", files_at_once)

    def apply(batch: DataFrame, number: int) -> None:
        paths = sorted(readable_path(row[0]) for row in batch.select("path").collect())
        if not paths:
            return
        found, bad = read_events(spark, replace(like or Table(folder), path=paths), log=False)
        row_of = {id(row.event): row for row in found}
        done = store.apply([row.event for row in found])
        bad += [row_of[id(event)].entry(REUSED_SEQUENCE) for event in done.conflicting]
        if bad:  # under the number of the micro-batch, which is the same when it is read again after a crash
            write_entries(bad, store.folder / QUARANTINE, f"rows-{number:09}.jsonl.gz")
        if tell is not None:
            tell(done, len(bad))

    with spark_failures(folder):
        writer = source.load(folder).select("path", "modificationTime").writeStream.foreachBatch(apply)
        writer = writer.option("checkpointLocation", str((store.folder / CHECKPOINT).absolute()))
        writer = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{interval} seconds")
        query = writer.start()
        try:
            query.awaitTermination()
        finally:
            query.stop()


# ---- a whole log at once ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Maintained:
    """What a log did to a plan.

    Attributes
    ----------
    maintainer
        The state after the last event.
    replay
        What each event cost and left behind.
    refused, bad_rows
        Events that could not be, and rows that were no events.
    folder
        Where it was written.
    """

    maintainer: Maintainer
    replay: Replay
    refused: int
    bad_rows: int
    folder: Path

    def summary(self) -> str:
        """A few lines for people."""
        replay = self.replay
        lines = [
            f"{counted(len(replay.actions) - self.refused, 'event')} applied"
            + (f", {self.refused:,} refused" if self.refused else "")
            + (f", {counted(self.bad_rows, 'row')} kept aside in {QUARANTINE}/" if self.bad_rows else ""),
            f"  nodes           {self.maintainer.num_nodes:,}",
            f"  links           {self.maintainer.num_edges:,} "
            f"({replay.added.sum():,} added, {replay.removed.sum():,} removed)",
            f"  average degree  {self.maintainer.average_degree:.2f}",
            f"  maximum degree  {self.maintainer.maximum_degree}",
            f"  per event       {1e3 * float(np.median(replay.seconds)) if len(replay.actions) else 0:.2f} ms (median)",
            f"  written to      {self.folder}",
        ]
        return "\n".join(lines)


def read_plan(spark: SparkSession, plan: str | os.PathLike[str], subscriptions: Any = None) -> tuple[Interest, Overlay]:
    """The interest and the links of a plan folder.

    Without ``subscriptions`` they are looked for in the folder, then where its manifest says that they were read from.
    """
    if subscriptions is None:
        subscriptions = _subscriptions_of(Path(plan))
    interest = load(subscriptions, spark=spark).interest
    rows = read_edges(spark, Table(str(plan))).select(SOURCE, TARGET).collect()
    return interest, Overlay.from_pairs(((row[0], row[1]) for row in rows), labels=interest.nodes)


def _subscriptions_of(plan: Path) -> str | list[str]:
    if (plan / SUBSCRIPTIONS).exists():
        return str(plan / SUBSCRIPTIONS)
    try:
        inputs = json.loads((plan / MANIFEST).read_text(encoding="utf-8"))["inputs"]
        paths = [entry["path"] for entry in inputs]
    except (OSError, ValueError, KeyError, TypeError):
        paths = []
    if paths and all(Path(path).is_file() for path in paths):
        return paths
    raise ReadError(f"{plan} does not say what its nodes subscribe to; name the file with --subscriptions.")


def maintain(
    spark: SparkSession,
    maintainer: Maintainer,
    events: Table,
    out: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> Maintained:
    """Apply a whole log in sequence order and write a folder: links, subscriptions, changes, snapshot, report.

    An event whose number was seen before changes nothing; one that cannot be is refused and written down.
    """
    from topicweave.reports.churn_page import churn_page

    found, bad = read_events(spark, events)
    if bad and not found:
        raise BadRowsError(
            f"None of the {counted(len(bad), 'row')} in {events.name} is an event: "
            f"{shortened([bad[0][LINE]], width=60)} is not, because: {bad[0][REASON]}"
        )
    with Target(out, overwrite) as target:
        recorder, refused = Recorder(), 0
        records: list[dict[str, Any]] = []
        last: int | None = None
        for event in (row.event for row in found):
            if last is not None and event.sequence == last:
                continue
            last = event.sequence
            change, reason = apply_or_refuse(maintainer, event)
            refused += reason is not None
            records += change_rows(event, change, reason)
            recorder.note(event, change, maintainer)
        replay = recorder.replay(float(sum(recorder.seconds())))
        with target.writing():
            _write(maintainer, records, target.folder)
            if bad:
                write_entries(bad, target.folder / QUARANTINE)
            (target.folder / REPORT).write_text(churn_page(maintainer, replay), encoding="utf-8")
            manifest = {
                "maintainer": maintainer.name, "parameters": maintainer.parameters, "last_sequence": last,
                "events": len(records), "refused": refused, "bad_rows": len(bad), "nodes": maintainer.num_nodes,
                "links": maintainer.num_edges, "average_degree": maintainer.average_degree,
                "maximum_degree": maintainer.maximum_degree, "links_added": int(replay.added.sum()),
                "links_removed": int(replay.removed.sum()),
            }  # fmt: skip
            (target.folder / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
        folder = target.publish()
    return Maintained(maintainer, replay, refused, len(bad), folder)


def _write(maintainer: Maintainer, records: Sequence[dict[str, Any]], folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(maintainer.overlay.to_arrow(), folder / EDGES)
    interest = maintainer.interest
    nodes = pa.array(interest.nodes, type=pa.string()).take(
        pa.array(np.repeat(np.arange(interest.num_nodes), np.diff(interest.indptr)))
    )
    topics = pa.array(interest.topics, type=pa.string()).take(pa.array(interest.indices))
    pq.write_table(pa.table({NODE: nodes, TOPIC: topics}), folder / SUBSCRIPTIONS)
    (folder / CHANGES).write_bytes(as_parquet(list(records)))
    save(maintainer, folder / SNAPSHOT)
