"""The job that adapts an earlier content plan to new logs, prices and brokers, with few moves: read, adapt, write,
publish.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from topicweave.content.core import DEFAULT_CORE, check_core
from topicweave.parameters import check_seed, check_whole
from topicweave.pipeline.content_job import NEEDED_LATER, check_inputs, write_content_plan
from topicweave.pipeline.job import load_libraries, open_job
from topicweave.pipeline.plan.content_plan import ContentPlan
from topicweave.pipeline.plan.manifest import read_manifest
from topicweave.pipeline.plan.target import MANIFEST
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION
from topicweave.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from pyspark.sql import DataFrame

    from topicweave.content import Assignment, Prices
    from topicweave.content.places import UserTable
    from topicweave.pipeline.job import Out, Spark
    from topicweave.pipeline.sources.formats.files import Paths
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.sources.publications import Publications
    from topicweave.pipeline.spark.progress import Observer


def adapt(
    publications: Publications | Table | DataFrame | Paths,
    subscriptions: Table | DataFrame | Paths,
    prices: Prices | pd.DataFrame | str | os.PathLike[str],
    earlier: ContentPlan | Assignment | UserTable,
    *,
    max_moves: int | None = None,
    attributes: Sequence[str] = ("value",),
    channels: int | Mapping[str, int] = 100,
    scale: str = "width",
    cuts: Mapping[str, Sequence[float]] | None = None,
    brokers: Sequence[str] | None = None,
    places: UserTable | None = None,
    capacity: float | Sequence[float] | None = None,
    spare: float = 2.0,
    core: str | None = None,
    max_bad_fraction: float = MAX_BAD_FRACTION,
    out: Out = None,
    overwrite: bool = False,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int = 0,
) -> ContentPlan:
    """Adapt an earlier assignment of users to brokers to new logs, prices and brokers, with few moves.

    The plan lists which users move, in which order, and what each move saves. See
    :func:`topicweave.content.adapt` for what happens to users that are new, to those of brokers that are gone, and to
    overloaded brokers.

    Parameters
    ----------
    publications, subscriptions, prices
        As in :func:`assign`.
    earlier
        The earlier plan: its folder, a :class:`ContentPlan`, or the broker of each user as a mapping, a data frame of
        ``user`` and ``broker``, or the path of such a CSV.
    max_moves
        The most users that may change their broker; users without a broker do not count.
    attributes, channels, scale, cuts, brokers, places, capacity, spare, max_bad_fraction
        As in :func:`assign`. Without ``capacity``, it follows from the new traffic.
    core
        Which trees carry the traffic between brokers, as in :func:`topicweave.content.cost`; by default as in the
        earlier plan.
    out, overwrite, spark, progress
        The folder to write the plan to, the session, and the observer of progress: see :func:`open_job`.
    seed
        The same seed gives the same plan.

    Raises
    ------
    ParameterError
        A parameter is outside its range.
    TargetError
        The folder exists already, is being written by another run, or cannot be written.
    ReadError, BadRowsError
        An input cannot be read, or too much of it is bad.
    InfeasibleError
        The brokers cannot carry the traffic, or not without more moves than are allowed.
    """
    from topicweave.content import Assignment
    from topicweave.content import adapt as adapt_brokers

    if max_moves is not None:
        check_whole("max_moves", max_moves, 0)
    check_seed(seed)
    made = earlier.assignment if isinstance(earlier, ContentPlan) else earlier
    core = check_core(_core_of(made) if core is None else core)
    if isinstance(made, Assignment):
        names = made.instance.brokers
        made = {user: names[j] for user, j in zip(made.instance.users, made.broker.tolist(), strict=True)}
    inputs = check_inputs(
        publications, subscriptions, prices, attributes=attributes, channels=channels, scale=scale, cuts=cuts,
        brokers=brokers, places=places, capacity=capacity, spare=spare, current=made,
        max_bad_fraction=max_bad_fraction, spark=spark,
    )  # fmt: skip
    current = inputs.current
    assert current is not None
    with open_job(out, overwrite=overwrite, spark=spark, progress=progress) as job:
        job.start(meanwhile=lambda: _prepare(core))
        traffic, instance = inputs.read(job)
        with job.stages.stage("adapt"):
            found = adapt_brokers(instance, current, max_moves=max_moves, core=core, seed=seed)
            moves = f"{counted(len(found.moves), 'move')}, {counted(len(found.arrivals), 'user')} without a broker"
            job.stages.say(f"cost {found.assignment.cost.total:,.6g}; {moves}")
        return write_content_plan(job, found.assignment, traffic, inputs, found, seed)


def _core_of(earlier: Assignment | UserTable) -> str:
    """How the earlier plan connects its brokers (its ``core``); the default if the plan does not say."""
    from topicweave.content import Assignment

    known = earlier.core if isinstance(earlier, Assignment) else None
    if isinstance(earlier, str | os.PathLike):
        folder = os.path.expanduser(earlier)
        known = read_manifest(folder).get("core") if os.path.isfile(os.path.join(folder, MANIFEST)) else None
    return DEFAULT_CORE if known is None else str(known)


def _prepare(core: str) -> None:
    """Load libraries and compiled code before they are needed."""
    from topicweave.content import adapt as adapt_brokers
    from topicweave.content import evaluation_instance

    adapt_brokers(evaluation_instance(6, 2, 3), {"0": "0"}, core=core)
    load_libraries(NEEDED_LATER)
