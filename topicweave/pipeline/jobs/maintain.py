"""A whole log of events applied to a plan: read, apply, write, verify, report, publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import os

    from pyspark.sql import DataFrame

    from topicweave.pipeline.churn.log import Maintained
    from topicweave.pipeline.job import Out, SourceLike, Spark
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.spark.progress import Observer


def maintain(
    plan: str | os.PathLike[str],
    events: Table | DataFrame | str | os.PathLike[str],
    maintainer: str = "shadow",
    *,
    subscriptions: SourceLike | None = None,
    out: Out = None,
    overwrite: bool = False,
    batch: int = 1,
    reoptimise: int = 0,
    reoptimise_every: int | None = None,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Maintained:
    """Apply a log of events to a plan, in sequence order, and prove on what was written that every topic is connected.

    An impossible event is refused and recorded with its reason; a row that is not an event goes to the quarantine, and
    so do different events of one sequence number. A plan written by this function remembers the last number: events up
    to it are known before and are not applied again; one that its log had left out comes too late, and is refused.

    Parameters
    ----------
    plan
        The folder of a plan; with ``subscriptions``, also any list of links.
    events
        The log: a path, a data frame, or a :class:`Table` saying how to read it.
    maintainer
        A name from ``topicweave.churn.MAINTAINERS``.
    subscriptions
        Who subscribes to what, where the plan does not say so itself.
    out
        The folder to write the new plan to; without it nothing is kept on disk.
    overwrite
        Whether a plan that is there already may be replaced; never the one to begin with.
    batch
        Repair once for so many events (those whose numbers from 1 on share a multiple).
    reoptimise
        The most link changes to spend on winning back quality after the last event, or each time that
        ``reoptimise_every`` numbers have passed; 0 for none.
    reoptimise_every
        See there.
    spark, progress
        The session, and who is told what is going on: see :func:`open_job`.
    seed
        Same seed and events, same plan.
    parameters
        Of the maintainer.

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
    from topicweave.pipeline.churn.log import Log, as_log, check_target, prepare
    from topicweave.pipeline.churn.start import MaintainerChoice, check_start, read_start
    from topicweave.pipeline.job import as_source, check_present, open_job

    choice = MaintainerChoice(maintainer, parameters, seed)
    pace = Pace(batch, reoptimise, reoptimise_every)
    table = as_log(events)
    check_start(plan, subscriptions, spark)
    check_present([table], spark)
    check_target(out, plan, [table, *(() if subscriptions is None else as_source(subscriptions).tables)])
    with open_job(out, overwrite=overwrite, spark=spark, progress=progress) as job:
        start = read_start(job, plan, subscriptions)
        job.start(meanwhile=prepare)
        log = Log(job, start, choice, pace)
        log.read(table)
        log.apply()
        log.write()
        log.verify()
        return log.publish()
