"""The job from publication logs and prices to an assignment of users to brokers: read, assign, write, publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicweave.content.core import DEFAULT_CORE, check_core
from topicweave.content.registry import DEFAULT, find_method
from topicweave.parameters import check_seed, fill
from topicweave.pipeline.content_job import NEEDED_LATER, check_inputs, write_content_plan
from topicweave.pipeline.job import load_libraries, open_job
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from pyspark.sql import DataFrame

    from topicweave.content import Assignment, Instance, Prices
    from topicweave.content.places import UserTable
    from topicweave.pipeline.job import Job, Out, Spark
    from topicweave.pipeline.plan.content_plan import ContentPlan
    from topicweave.pipeline.sources.formats.files import Paths
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.sources.publications import Publications
    from topicweave.pipeline.spark.progress import Observer


def assign(
    publications: Publications | Table | DataFrame | Paths,
    subscriptions: Table | DataFrame | Paths,
    prices: Prices | pd.DataFrame | str | os.PathLike[str],
    method: str = DEFAULT,
    *,
    attributes: Sequence[str] = ("value",),
    channels: int | Mapping[str, int] = 100,
    scale: str = "width",
    cuts: Mapping[str, Sequence[float]] | None = None,
    brokers: Sequence[str] | None = None,
    places: UserTable | None = None,
    capacity: float | Sequence[float] | None = None,
    spare: float = 2.0,
    core: str = DEFAULT_CORE,
    current: UserTable | None = None,
    max_bad_fraction: float = MAX_BAD_FRACTION,
    out: Out = None,
    overwrite: bool = False,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int = 0,
    **parameters: Any,
) -> ContentPlan:
    """Assign users to brokers so that publications reach the users who want them at low cost.

    Parameters
    ----------
    publications
        A log: ``user``, a column for each attribute, and optionally ``bytes`` and ``time``. A path, a table's name, a
        data frame, a :class:`Table` saying how to read it, or :class:`Publications`.
    subscriptions
        Ranges: ``user``, ``attribute``, ``low``, ``high``. If a user has no range for an attribute, all its values
        match; several ranges of one attribute are alternatives.
    prices
        Between places: the path of a square CSV, :class:`topicweave.content.Prices`, or a data frame whose index and
        columns are the places.
    method
        A name from ``topicweave.content.METHODS``.
    attributes
        The columns of the publications whose values are divided into channels; several columns make a grid.
    channels, scale
        The number of intervals of each attribute, of equal ``"width"`` or of equal ``"mass"``.
    cuts
        The borders of the intervals of each attribute, instead of ``channels`` and ``scale``.
    brokers
        The places that have a broker; all by default.
    places
        Where each user is: a mapping, a data frame of ``user`` and ``place``, or the path of such a CSV. Without it,
        users have the names of their places.
    capacity
        The capacity of every broker, or one for each; by default all have the same, ``spare`` times the demand in
        total.
    spare
        See ``capacity``.
    core
        Which trees carry the traffic between brokers, as in :func:`topicweave.content.cost`.
    current
        The current broker of each user: a mapping, a data frame of ``user`` and ``broker``, the path of such a CSV, or
        a plan folder. The plan then lists which users move, in which order, and what each move saves.
    max_bad_fraction
        The share of bad rows of a log up to which the good ones are used.
    out, overwrite, spark, progress
        The folder to write the plan to, the session, and the observer of progress: see :func:`open_job`.
    seed
        The same seed gives the same plan.
    parameters
        Parameters of the method, as listed in ``topicweave.content.METHODS``.

    Raises
    ------
    ParameterError
        The method or its parameters do not exist or are outside their range.
    TargetError
        The folder exists already, is being written by another run, or cannot be written.
    ReadError, BadRowsError
        An input cannot be read, or too much of it is bad.
    InfeasibleError
        The brokers cannot carry the traffic.
    """
    from topicweave.content import transition

    check_seed(seed)
    check_core(core)
    fill(method, find_method(method).parameters, parameters)
    inputs = check_inputs(
        publications, subscriptions, prices, attributes=attributes, channels=channels, scale=scale, cuts=cuts,
        brokers=brokers, places=places, capacity=capacity, spare=spare, current=current,
        max_bad_fraction=max_bad_fraction, spark=spark,
    )  # fmt: skip
    with open_job(out, overwrite=overwrite, spark=spark, progress=progress) as job:
        job.start(meanwhile=lambda: _prepare(method, core))
        traffic, instance = inputs.read(job)
        assignment = _assign(job, instance, method, seed, {"core": core, **parameters})
        moving = None if inputs.current is None else transition(assignment, inputs.current)
        return write_content_plan(job, assignment, traffic, inputs, moving, seed)


def _prepare(method: str, core: str) -> None:
    """Load libraries and compiled code before they are needed."""
    from topicweave.content import assign as find_brokers
    from topicweave.content import evaluation_instance

    find_brokers(evaluation_instance(6, 2, 3), method, core=core)
    load_libraries(NEEDED_LATER)


def _assign(job: Job, instance: Instance, method: str, seed: int, parameters: dict[str, Any]) -> Assignment:
    from topicweave.content import assign as find_brokers

    with job.stages.stage("assign"):
        found = find_brokers(instance, method, seed=seed, **parameters)
        against = "" if found.random_cost is None else f", a random assignment {found.random_cost.total:,.6g}"
        job.stages.say(f"cost {found.cost.total:,.6g}{against}")
    return found
