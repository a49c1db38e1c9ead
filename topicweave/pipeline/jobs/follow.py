"""The job that applies event files as they arrive, each event exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicweave.churn.pace import EVERY

if TYPE_CHECKING:
    import os

    from topicweave.pipeline.churn.followed import Followed
    from topicweave.pipeline.job import SourceLike, Spark
    from topicweave.pipeline.sources.events import EventLog
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.spark.progress import Observer


def follow(
    events: EventLog | Table | str | os.PathLike[str],
    maintainer: str | None = None,
    *,
    state: str | os.PathLike[str],
    plan: str | os.PathLike[str] | None = None,
    subscriptions: SourceLike | None = None,
    empty: bool = False,
    reconfigure: bool = False,
    once: bool = False,
    interval: float = 1.0,
    files_at_once: int | None = None,
    first: int | None = None,
    gaps: str = "wait",
    max_gap: int | None = None,
    batch: int = 1,
    reoptimise: int = 0,
    reoptimise_every: int = EVERY,
    trees: bool | None = None,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int | None = None,
    **parameters: Any,
) -> Followed:
    """Apply the events of files that appear in a folder; with ``once``, apply the existing files and return.

    Every event is applied once, in sequence order, also across restarts and ``kill -9``. An invalid event is refused
    and recorded with its reason. The quarantine gets rows that are not events, events whose number has arrived before
    with different content or is below the first, and unreadable files. Each file name is read once; if a file changes
    after it was read, a warning says so.

    Parameters
    ----------
    events
        Folder or glob of event files, or a :class:`Table` or :class:`EventLog` saying how to read them. A file must
        appear complete: write it elsewhere and move it in.
    maintainer
        A name from ``topicweave.churn.MAINTAINERS``; by default that of the state, or ``"shadow"`` for a new state.
    state
        The folder that keeps the state, the current links and all changes. Only one process at a time may use it.
    plan
        The plan to start from, if the state is new. If it was written by :func:`maintain`, the stream continues after
        the events that it contains.
    subscriptions
        The subscriptions, if the plan does not contain them.
    empty
        Start without nodes, if the state is new.
    reconfigure
        Give an existing state the maintainer and parameters named here. Without it, naming different ones is an error.
    once
        Return when all existing files have been applied.
    interval
        Seconds between two checks of the folder.
    files_at_once
        The most files of one micro-batch; it affects only the time to the next commit.
    first
        The number of the log's first event, if the state is new: 1 by default, or the one after the last that the plan
        contains. With ``gaps="pass"`` the log begins with whichever arrives first.
    gaps
        If a number is missing: ``"wait"`` holds later events back until it arrives, ``"pass"`` continues without it.
    max_gap
        With ``gaps="pass"``: how many numbers in a row may be missing, 10 by default. An event further ahead waits
        until another one shows that the log continues there, so that a single wrong number cannot make all later events
        late.
    batch
        Repair once for up to this many events that arrive together (with 10: the numbers 1 to 10, 11 to 20, …). The
        chosen links then depend on how events are divided among files.
    reoptimise
        The most link changes to spend on winning back quality, every ``reoptimise_every`` sequence numbers; 0 for none.
    reoptimise_every
        See ``reoptimise``.
    trees
        Follow the dissemination trees from now on, those written with the plan or new ones: every change says which
        topics start and stop using which links, and the state folder contains ``trees.parquet``. By default an existing
        state goes on as before, and a new one follows trees if the plan has any and none of its topics is a filter.
    spark, progress
        The session, and the observer of progress, which sees every micro-batch as a stage: see :func:`open_job`.
    seed
        The same seed and events give the same overlay; by default the seed of the state, or 0 if it is new.
    parameters
        Parameters of the maintainer.

    Raises
    ------
    ParameterError
        The maintainer or its parameters do not exist, are outside their range, or are not those of the state; or the
        state is new and nothing to start from was given.
    TargetError
        The state is being used by another process, or cannot be written.
    ReadError
        The plan or the state cannot be read.
    """
    from topicweave.churn.event_store import PASS, WAIT
    from topicweave.churn.numbers import MAX_GAP
    from topicweave.churn.pace import Pace
    from topicweave.churn.state_folder import lock_state
    from topicweave.errors import Argument, ParameterError
    from topicweave.files import local_target
    from topicweave.model.event_schema import GREATEST_SEQUENCE, LEAST_SEQUENCE
    from topicweave.parameters import check_choice, check_count, check_number, check_whole
    from topicweave.pipeline.churn.log import as_log
    from topicweave.pipeline.churn.opening import Opening
    from topicweave.pipeline.churn.start import MaintainerChoice, check_start
    from topicweave.pipeline.churn.stream import Stream
    from topicweave.pipeline.job import check_present, open_job

    choice = MaintainerChoice(maintainer, parameters, seed)
    check_choice("way with gaps", gaps, (WAIT, PASS), parameter="gaps")
    interval = check_number("interval", interval, 0.01, is_finite=True)
    if files_at_once is not None:
        files_at_once = check_whole("files_at_once", files_at_once, 1)
    if first is not None:
        first = check_whole("first", first, LEAST_SEQUENCE, GREATEST_SEQUENCE)
    if max_gap is not None and gaps != PASS:
        raise ParameterError("{max_gap} goes with {gaps}.", max_gap=Argument("max_gap"), gaps=Argument("gaps", PASS))
    max_gap = MAX_GAP if max_gap is None else check_count("max_gap", max_gap)
    pace = Pace(batch, reoptimise, reoptimise_every)
    log = as_log(events)
    state = local_target(state)
    opening = Opening(state, choice, plan, subscriptions, empty, first, gaps, max_gap, pace, reconfigure, trees)
    opening.check()
    check_start(plan, subscriptions, spark)
    check_present(log.tables, spark, are_folders=True)
    with lock_state(state), open_job(spark=spark, progress=progress) as job:
        store = opening.open(job)
        job.start()
        stream = Stream(job, store, log)
        stream.run(once=once, interval=interval, files_at_once=files_at_once)
        return stream.outcome()
