"""A stream of event files applied as they arrive, each event exactly once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    from topicweave.pipeline.churn.followed import Followed
    from topicweave.pipeline.job import SourceLike, Spark
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.spark.progress import Observer


def follow(
    events: Table | str | os.PathLike[str],
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
    batch: int = 1,
    reoptimise: int = 0,
    reoptimise_every: int = 100,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int | None = None,
    **parameters: Any,
) -> Followed:
    """Apply the events of files as they appear in a folder; with ``once``, those that are there, and return.

    Every event is applied once, in sequence order, also across restarts and ``kill -9``. An impossible event is refused
    and recorded with its reason; a row that is not an event goes to the quarantine, and so does an event whose number
    has come before with other content or is below the first, and a file that cannot be read. A name is read once; of a
    file that has changed since it was read it is said so.

    Parameters
    ----------
    events
        Folder or glob of event files, or a :class:`Table` saying how to read them. A file must appear whole: write it
        elsewhere and move it in.
    maintainer
        A name from ``topicweave.churn.MAINTAINERS``; by default that of the state, or ``"shadow"`` where it is new.
    state
        The folder that keeps the state, the present links and all changes. One process at a time may use it.
    plan
        The plan to begin with, where the state is new. If it was written by :func:`maintain`, the stream goes on after
        the events that it knows.
    subscriptions
        Who subscribes to what, where the plan does not say so itself.
    empty
        Begin with nobody, where the state is new.
    reconfigure
        Give a state that is there the maintainer and the parameters that are named here. Without it, naming others than
        it has is an error.
    once
        Return when all files that are there have been applied.
    interval
        Seconds between two looks at the folder.
    files_at_once
        The most files of one micro-batch; where the cuts fall changes nothing but the time to the next commit.
    first
        The number of the log's first event, where the state is new: 1 by default, or the one after the last that the
        plan knows. With ``gaps="pass"`` the log begins with whichever comes first.
    gaps
        Where a number is missing: ``"wait"`` keeps what comes after it until it comes, ``"pass"`` goes on without it.
    batch
        Repair once for up to so many events that are there together (those whose numbers from 1 on share a multiple).
        Then where files are cut has a say in which links are chosen.
    reoptimise
        The most link changes to spend on winning back quality, each time that ``reoptimise_every`` numbers have passed;
        0 for none.
    reoptimise_every
        See there.
    spark, progress
        The session, and who is told what is going on, every micro-batch as a stage: see :func:`open_job`.
    seed
        Same seed and events, same overlay; by default that of the state, or 0 where it is new.
    parameters
        Of the maintainer.

    Raises
    ------
    ParameterError
        The maintainer or its parameters do not exist, are outside their range, or are not those of the state; or the
        state is new and nothing was said to begin with.
    TargetError
        The state is being used by another process, or cannot be written.
    ReadError
        The plan or the state cannot be read.
    """
    from topicweave.churn.event_store import PASS, WAIT
    from topicweave.churn.pace import Pace
    from topicweave.churn.state_folder import lock_state
    from topicweave.files import local_target
    from topicweave.model.event_schema import GREATEST_SEQUENCE, LEAST_SEQUENCE
    from topicweave.parameters import check_choice, check_number, check_whole
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
    pace = Pace(batch, reoptimise, reoptimise_every)
    table = as_log(events)
    state = local_target(state)
    opening = Opening(state, choice, plan, subscriptions, empty, first, gaps, pace, reconfigure)
    opening.check()
    check_start(plan, subscriptions, spark)
    check_present([table], spark)
    with lock_state(state), open_job(spark=spark, progress=progress) as job:
        store = opening.open(job)
        job.start()
        stream = Stream(job, store, table)
        stream.run(once=once, interval=interval, files_at_once=files_at_once)
        return stream.outcome()
