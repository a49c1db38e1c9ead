"""A stream of event files: Spark notices new files, and the event store applies their content.

Spark's own checkpoint says which files were seen; the store's snapshot says which events were applied. Only the
snapshot decides, so a file that is read again after a crash changes nothing.
"""

from __future__ import annotations

import math
import time
from threading import Lock
from typing import TYPE_CHECKING

from topicweave.churn.event_store import PASS
from topicweave.churn.state_folder import QUARANTINE
from topicweave.errors import TopicweaveError
from topicweave.pipeline.churn.checkpoint import usable_checkpoint
from topicweave.pipeline.churn.event_files import EventFiles, local_path, read_event_files
from topicweave.pipeline.churn.followed import Followed, changed_in_words
from topicweave.pipeline.churn.intake import Intake
from topicweave.pipeline.churn.seen_files import Stamp, stamp_of
from topicweave.pipeline.sources.formats.files import as_paths
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.wording import counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from topicweave.churn.event_store import EventStore
    from topicweave.pipeline.churn.intake import Tally
    from topicweave.pipeline.job import Job
    from topicweave.pipeline.sources.events import EventLog

BINARY_FILE = "path STRING, modificationTime TIMESTAMP, length LONG, content BINARY"
REST = 20  # after looking for changed files, wait this many times as long as looking took


class Stream:
    """A folder of event files to which new files are applied as they appear.

    Parameters
    ----------
    job
        The run.
    store
        The state.
    log
        The folder, and how its files are written.
    """

    def __init__(self, job: Job, store: EventStore, log: EventLog) -> None:
        self.job, self.store, self.log = job, store, log
        self.intake = Intake(store)
        self._changed: list[str] = []
        self._failure: TopicweaveError | None = None
        self._busy = Lock()  # so that only one stage is reported at a time

    def run(self, *, once: bool, interval: float, files_at_once: int | None) -> None:
        """Follow the folder until interrupted; with ``once``, until all existing files have been applied."""
        folder = as_paths(self.log.table.path)[0]  # type: ignore[arg-type]
        checkpoint, was_damaged = usable_checkpoint(self.store.folder.absolute())
        if was_damaged:
            with self.job.stages.stage("checkpoint"):
                self.job.stages.say("Spark's checkpoint is damaged and was set aside: all files are read again")
        self._look()
        self._take_waiting()
        source = self.job.spark.readStream.format("binaryFile").schema(BINARY_FILE)
        if files_at_once is not None:
            source = source.option("maxFilesPerTrigger", files_at_once)
        with spark_failures(folder):
            writer = source.load(folder).select("path", "modificationTime", "length").writeStream
            writer = writer.foreachBatch(self._apply).option("checkpointLocation", str(checkpoint))
            writer = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{interval} seconds")
            query = writer.start()
            try:
                self._await(query, interval)
            finally:
                query.stop()

    def _await(self, query: StreamingQuery, interval: float) -> None:
        """Wait until the query ends, and meanwhile look for files that have changed."""
        least = math.ceil(interval)
        pause = least
        try:
            while not query.awaitTermination(pause):
                begun = time.monotonic()
                self._look()
                pause = max(least, math.ceil(REST * (time.monotonic() - begun)))
        except Exception:
            if self._failure is not None:  # this error is clearer than Spark's error that wraps it
                raise self._failure from None
            raise

    def outcome(self) -> Followed:
        """The result so far."""
        store, total = self.store, self.intake.total
        return Followed(
            store.maintainer, store.last, total.num_applied, total.num_refused, total.num_known, total.num_late,
            total.num_bad, store.gap(), tuple(self._changed), store.folder,
        )  # fmt: skip

    def _look(self) -> None:
        """Find files that have changed since they were read, and report them."""
        if not self._busy.acquire(blocking=False):
            return
        try:
            changed = self.intake.seen.changed()
            if changed:
                self._changed += changed
                with self.job.stages.stage("look at files"):
                    self.job.stages.say(changed_in_words(tuple(changed)))
        finally:
            self._busy.release()

    def _take_waiting(self) -> None:
        """Apply events that waited for a number that may be skipped now, at once: a further file may never arrive."""
        if self.store.waiting and self.store.gaps == PASS:
            with self.job.stages.stage("apply events"):
                self.job.stages.say(self._in_words(self.intake.take(EventFiles(), ())))

    def _apply(self, batch: DataFrame, _: int) -> None:
        rows = batch.select("path", "modificationTime", "length").distinct().collect()
        stamps = sorted((local_path(row[0]), Stamp(row[2], round(row[1].timestamp() * 1e9))) for row in rows)
        if not stamps:
            return
        with self._busy, self.job.stages.stage("apply events"):
            try:
                # the state of the files as seen from this machine, taken before they are read
                stamps = [(path, stamp_of(path) or stamp) for path, stamp in stamps]
                found = read_event_files(self.job.spark, self.log, [path for path, _ in stamps])
                self.job.stages.say(self._in_words(self.intake.take(found, stamps)))
            except TopicweaveError as error:
                self._failure = error
                raise

    def _in_words(self, tally: Tally) -> str:
        store, gap = self.store, self.store.gap()
        refused = f", {tally.num_refused:,} refused" if tally.num_refused else ""
        bad = f"; {counted(tally.num_bad, 'row')} put aside in {QUARANTINE}/" if tally.num_bad else ""
        first = "" if store.numbers.first is None else f", {store.numbers.first}"
        before = f", {tally.num_before:,} of them below the first number{first}"
        waiting = f"; {counted(gap.num_waiting, 'event')} waiting for event {gap.number}" if gap else ""
        return (
            f"{counted(tally.num_applied, 'event')}{refused}, now at {store.last}: {store.maintainer!r}"
            f"{bad}{before if tally.num_before else ''}{waiting}"
        )
