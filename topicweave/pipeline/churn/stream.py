"""Event files as a stream: Spark notices new files, the store of events applies what is in them.

Spark's own checkpoint says which files were seen; the store's snapshot says which events were applied. The second
alone decides, so a file that is read again after a crash changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from topicweave.model.event_schema import REUSED_SEQUENCE
from topicweave.pipeline.plan.target import QUARANTINE
from topicweave.pipeline.quality.quarantine import write_entries
from topicweave.pipeline.sources.event_rows import read_event_rows
from topicweave.pipeline.sources.formats.files import as_paths
from topicweave.pipeline.spark.failures import readable_path, spark_failures
from topicweave.wording import counted

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame

    from topicweave.churn.event_store import EventStore, Gap
    from topicweave.churn.maintainer import Maintainer
    from topicweave.pipeline.job import Job
    from topicweave.pipeline.sources.formats.table import Table

CHECKPOINT = "checkpoint"
BINARY_FILE = "path STRING, modificationTime TIMESTAMP, length LONG, content BINARY"


@dataclass(frozen=True)
class Followed:
    """What a stream has done since it was started.

    Attributes
    ----------
    maintainer
        The state after the last event.
    last
        The number of the last event applied; None before the first.
    num_applied, num_known, num_late, num_bad
        Events applied (or refused, with the reason in ``changes/``), known before, come too late; rows put aside.
    gap
        The event that others wait for; None if none waits.
    folder
        Where the state is.
    """

    maintainer: Maintainer
    last: int | None
    num_applied: int
    num_known: int
    num_late: int
    num_bad: int
    gap: Gap | None
    folder: Path

    def to_dict(self) -> dict[str, Any]:
        """For programs."""
        maintainer = self.maintainer
        return {
            "last_sequence": self.last,
            "applied": self.num_applied,
            "known_before": self.num_known,
            "late": self.num_late,
            "quarantined": self.num_bad,
            "waiting": 0 if self.gap is None else self.gap.num_waiting,
            "waiting_for": None if self.gap is None else self.gap.number,
            "nodes": maintainer.num_nodes,
            "links": maintainer.num_edges,
            "average_degree": maintainer.average_degree,
            "maximum_degree": maintainer.maximum_degree,
            "folder": str(self.folder),
        }

    def summary(self) -> str:
        """One line for people."""
        late = f", {self.num_late:,} came too late and were not applied (see changes/)" if self.num_late else ""
        bad = f", {counted(self.num_bad, 'row')} put aside in {QUARANTINE}/" if self.num_bad else ""
        known = f"{counted(self.num_known, 'event')} known before"
        return f"{self.maintainer!r} after event {self.last}; {self.num_applied:,} applied, {known}{late}{bad}."


class Stream:
    """A folder of event files that is being followed.

    Parameters
    ----------
    job
        The run.
    store
        The state.
    table
        The folder, and how its files are written.
    """

    def __init__(self, job: Job, store: EventStore, table: Table) -> None:
        self.job, self.store, self.table = job, store, table
        self.num_applied = self.num_known = self.num_late = self.num_bad = 0

    def run(self, *, once: bool, interval: float, files_at_once: int | None) -> None:
        """Follow the folder until interrupted; with ``once``, until all files that are there have been applied."""
        folder = as_paths(self.table.path)[0]  # type: ignore[arg-type]
        source = self.job.spark.readStream.format("binaryFile").schema(BINARY_FILE)
        if files_at_once is not None:
            source = source.option("maxFilesPerTrigger", files_at_once)
        with spark_failures(folder):
            writer = source.load(folder).select("path", "modificationTime").writeStream.foreachBatch(self._apply)
            writer = writer.option("checkpointLocation", str((self.store.folder / CHECKPOINT).absolute()))
            writer = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{interval} seconds")
            query = writer.start()
            try:
                query.awaitTermination()
            finally:
                query.stop()

    def outcome(self) -> Followed:
        """What was done."""
        store = self.store
        return Followed(
            store.maintainer, store.last, self.num_applied, self.num_known, self.num_late, self.num_bad, store.gap(),
            store.folder,
        )  # fmt: skip

    def _apply(self, batch: DataFrame, number: int) -> None:
        paths = sorted(readable_path(row[0]) for row in batch.select("path").collect())
        if not paths:
            return
        with self.job.stages.stage("apply events"):
            found = read_event_rows(self.job.spark, replace(self.table, path=paths), is_whole_log=False)
            row_of = {id(row.event): row for row in found.events}
            done = self.store.apply([row.event for row in found.events])
            bad = found.bad + [row_of[id(event)].entry(REUSED_SEQUENCE) for event in done.conflicting]
            if bad:  # under the number of the micro-batch, which is the same when it is read again after a crash
                write_entries(bad, self.store.folder / QUARANTINE, f"rows-{number:09}.jsonl.gz")
            self.num_applied += done.num_applied
            self.num_known += done.num_known
            self.num_late += done.num_late
            self.num_bad += len(bad)
            self.job.stages.say(self._in_words(done.num_applied, len(bad)))

    def _in_words(self, num_applied: int, num_bad: int) -> str:
        store, gap = self.store, self.store.gap()
        bad = f"; {counted(num_bad, 'row')} put aside in {QUARANTINE}/" if num_bad else ""
        waiting = f"; {counted(gap.num_waiting, 'event')} waiting for event {gap.number}" if gap else ""
        return f"{counted(num_applied, 'event')}, now at {store.last}: {store.maintainer!r}{bad}{waiting}"
