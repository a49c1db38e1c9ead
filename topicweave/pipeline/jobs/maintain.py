"""The job that applies a log of events to a plan: read, apply, write, verify, report, publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicweave.churn.registry import DEFAULT

if TYPE_CHECKING:
    import os

    from pyspark.sql import DataFrame

    from topicweave.pipeline.churn.log import Maintained
    from topicweave.pipeline.job import Out, SourceLike, Spark
    from topicweave.pipeline.sources.events import EventLog
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.spark.progress import Observer

NEEDED_LATER = ("pyarrow.parquet", "topicweave.churn.shadow", "topicweave.reports.churn_page")


def maintain(
    plan: str | os.PathLike[str],
    events: EventLog | Table | DataFrame | str | os.PathLike[str],
    maintainer: str = DEFAULT,
    *,
    subscriptions: SourceLike | None = None,
    out: Out = None,
    overwrite: bool = False,
    batch: int = 1,
    reoptimise: int = 0,
    reoptimise_every: int | None = None,
    trees: bool | None = None,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Maintained:
    """Apply a log of events to a plan in sequence order; the written files are checked to connect every topic.

    An invalid event is refused and recorded; a row that is not an event goes to the quarantine, and so do different
    events with the same sequence number. A plan written by this function records the last number: events up to it are
    already known and are not applied again; an event that its log had left out is too late and is refused.

    Parameters
    ----------
    plan
        The folder of a plan; with ``subscriptions``, also any list of links.
    events
        The log: a path, a data frame, or a :class:`Table` or :class:`EventLog` saying how to read it.
    maintainer
        A name from ``topicweave.churn.MAINTAINERS``.
    subscriptions
        The subscriptions, if the plan does not contain them.
    out
        The folder to write the new plan to; without it nothing is written.
    overwrite
        Whether an existing plan may be replaced; never the one to start from.
    batch
        Repair once for this many events (with 10: the numbers 1 to 10, 11 to 20, …).
    reoptimise
        The most link changes to spend on winning back quality after the last event, or every ``reoptimise_every``
        sequence numbers; 0 for none.
    reoptimise_every
        See ``reoptimise``.
    trees
        Follow the dissemination trees, those written with the plan or new ones: every change says which topics start
        and stop using which links, and the new plan contains its trees. By default if the plan has trees; trees of
        filters cannot be followed, and are then left out.
    spark, progress
        The session, and the observer of progress: see :func:`open_job`.
    seed
        The same seed and events give the same plan.
    parameters
        Parameters of the maintainer.

    Raises
    ------
    ParameterError
        The maintainer or its parameters do not exist or are outside their range.
    TargetError
        The folder exists already, is being written by another run, or cannot be written.
    ReadError, BadRowsError
        The plan or the log cannot be read, or there is no event in it.
    VerificationError
        The written links do not connect every topic.
    """
    from topicweave.churn.pace import Pace
    from topicweave.files import as_path
    from topicweave.pipeline.churn.log import Log, as_log, check_target
    from topicweave.pipeline.churn.start import MaintainerChoice, check_start, read_start
    from topicweave.pipeline.job import as_source, check_present, load_libraries, open_job

    as_path(plan, "the plan to start from")
    choice = MaintainerChoice(maintainer, parameters, seed)
    pace = Pace(batch, reoptimise, reoptimise_every)
    given = as_log(events)
    check_start(plan, subscriptions, spark)
    check_present(given.tables, spark)
    check_target(out, plan, [*given.tables, *(() if subscriptions is None else as_source(subscriptions).tables)])
    with open_job(out, overwrite=overwrite, spark=spark, progress=progress) as job:
        start = read_start(job, plan, subscriptions)
        job.start(meanwhile=lambda: load_libraries(NEEDED_LATER))
        log = Log(job, start, choice, pace, trees=trees)
        log.read(given)
        log.apply()
        log.write()
        log.verify()
        return log.publish()
