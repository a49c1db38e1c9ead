"""A stream of event files applied as they arrive, each event exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    from topicweave.pipeline.churn.stream import Followed
    from topicweave.pipeline.job import SourceLike, Spark
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.spark.progress import Observer


def follow(
    events: Table | str | os.PathLike[str],
    maintainer: str = "shadow",
    *,
    state: str | os.PathLike[str],
    plan: str | os.PathLike[str] | None = None,
    subscriptions: SourceLike | None = None,
    once: bool = False,
    interval: float = 1.0,
    files_at_once: int | None = None,
    first: int | None = None,
    gaps: str = "wait",
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Followed:
    """Apply the events of files as they appear in a folder; with ``once``, those that are there, and return.

    Every event is applied once, in sequence order, also across restarts and ``kill -9``. An impossible event is refused
    and recorded with its reason; a row that is not an event goes to the quarantine, and so does an event whose number
    has come before with other content.

    Parameters
    ----------
    events
        Folder or glob of event files, or a :class:`Table` saying how to read them. A file must appear whole: write it
        elsewhere and move it in.
    maintainer
        A name from ``topicweave.churn.MAINTAINERS``; for a state that is there already, its own is used.
    state
        The folder that keeps the state and all changes. One process at a time may use it.
    plan
        The plan to begin with, where the state is new; by default nobody is there.
    subscriptions
        Who subscribes to what, where the plan does not say so itself.
    once
        Return when all files that are there have been applied.
    interval
        Seconds between two looks at the folder.
    files_at_once
        The most files of one micro-batch; where the cuts fall changes nothing but the time to the next commit.
    first
        The number of the first event; by default 0 if that is among the first to come, else 1.
    gaps
        Where a number is missing: ``"wait"`` keeps what comes after it until it comes, ``"pass"`` goes on without it.
    spark
        The session to use, or :class:`SparkSettings`; by default the running one, or a new embedded one.
    progress
        Told what is going on: every micro-batch is a stage.
    seed
        Same seed and events, same overlay.
    parameters
        Of the maintainer.

    Raises
    ------
    ParameterError
        The maintainer or its parameters do not exist or are outside their range.
    TargetError
        The state is being used by another process, or cannot be written.
    ReadError
        The plan or the state cannot be read.
    """
    from topicweave.churn.event_store import PASS, WAIT, EventStore, lock_state
    from topicweave.parameters import check_choice, check_number, check_whole
    from topicweave.pipeline.churn.log import as_log
    from topicweave.pipeline.churn.start import MaintainerChoice, check_start, read_start
    from topicweave.pipeline.churn.stream import Stream
    from topicweave.pipeline.job import check_present, open_job

    choice = MaintainerChoice(maintainer, parameters, seed)
    check_choice("way with gaps", gaps, (WAIT, PASS), parameter="gaps")
    interval = check_number("interval", interval, 0.01, is_finite=True)
    if files_at_once is not None:
        files_at_once = check_whole("files_at_once", files_at_once, 1)
    table = as_log(events)
    check_start(plan, subscriptions, spark)
    check_present([table], spark)
    with lock_state(state), open_job(spark=spark, progress=progress) as job:
        store = EventStore(state, lambda: choice.begin(read_start(job, plan, subscriptions)), first=first, gaps=gaps)
        job.start()
        stream = Stream(job, store, table)
        stream.run(once=once, interval=interval, files_at_once=files_at_once)
        return stream.outcome()
