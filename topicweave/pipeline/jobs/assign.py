"""The job from publication logs and prices to an assignment of users to brokers: read, assign, write, publish."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from topicweave.content.core import DEFAULT_CORE, check_core
from topicweave.content.registry import DEFAULT, find_method
from topicweave.parameters import check_number, check_seed, fill
from topicweave.pipeline.job import check_present, load_libraries, open_job
from topicweave.pipeline.plan.content_plan import (
    ContentPlan,
    content_sections,
    write_content_report,
    write_content_tables,
)
from topicweave.pipeline.plan.manifest import ASSIGN, describe_files, describe_inputs, new_manifest, write_manifest
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION, check_max_bad_fraction
from topicweave.pipeline.sources.cuts import check_cuts
from topicweave.pipeline.sources.formats.table import as_table
from topicweave.pipeline.sources.publications import as_publications
from topicweave.pipeline.sources.traffic import read_traffic
from topicweave.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from pyspark.sql import DataFrame

    from topicweave.content import Assignment, Instance, Prices, Transition
    from topicweave.content.places import UserTable
    from topicweave.pipeline.job import Job, Out, Spark
    from topicweave.pipeline.sources.formats.files import Paths
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.sources.publications import Publications
    from topicweave.pipeline.sources.traffic import Traffic
    from topicweave.pipeline.spark.progress import Observer

NEEDED_LATER = ("pyarrow.parquet", "pandas", "scipy.sparse.csgraph", "jinja2", "topicweave.reports.content_page",
                "matplotlib.figure", "matplotlib.backends.backend_svg")  # fmt: skip


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
        of the ``assignment.parquet`` of a plan. The plan then lists which users move, in which order, and what each
        move saves.
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
    from topicweave.content.places import as_placement, as_places
    from topicweave.content.prices import as_prices

    # Refuse what cannot succeed at once, because starting Spark takes seconds.
    log, ranges = as_publications(publications, attributes), as_table(subscriptions)
    check_max_bad_fraction(max_bad_fraction)
    check_cuts(log.attributes, channels, scale, cuts)
    check_number("spare", spare, 1)
    check_seed(seed)
    check_core(core)
    fill(method, find_method(method).parameters, parameters)
    check_present((log.table, ranges), spark)
    price_of = as_prices(prices)
    sites = price_of.places if brokers is None else tuple(brokers)
    price_of.between(sites, sites)
    homes = None if places is None else as_places(places)
    today = None if current is None else as_placement(current)
    with open_job(out, overwrite=overwrite, spark=spark, progress=progress) as job:
        job.start(meanwhile=lambda: _prepare(method, core))
        with job.stages.stage("read traffic"):
            traffic = read_traffic(
                job.spark,
                log,
                ranges,
                num_channels=channels,
                scale=scale,
                cuts=cuts,
                max_bad_fraction=max_bad_fraction,
            )
            sizes = (len(traffic.users), "user"), (traffic.channels.num_channels, "channel")
            job.stages.say(", ".join(counted(number, what) for number, what in sizes))
        instance = traffic.instance(price_of, sites, places=homes, capacity=capacity, spare=spare)
        assignment = _assign(job, instance, method, seed, {"core": core, **parameters})
        moving = None if today is None else transition(assignment, today)
        with job.writing(), job.stages.stage("write"):
            write_content_tables(assignment, traffic, job.folder, moving)
            aside = f", {counted(traffic.num_bad, 'bad row')} put aside" if traffic.num_bad else ""
            job.stages.say(f"{counted(assignment.overlay.num_edges, 'link')} between brokers{aside}")
        with job.writing(), job.stages.stage("report"):
            inputs = [
                *describe_inputs(traffic.parts[:1], "publications", {"attributes": log.attributes}),
                *describe_inputs(traffic.parts[1:], "ranges"),
                *_small_inputs(prices=prices, places=places, current=current),
            ]
            manifest = _manifest(job, assignment, traffic, moving, inputs, seed)
            write_content_report(assignment, manifest["cost"]["lower_bound"], job.folder, moving)
        with job.writing():
            write_manifest(job.folder, manifest, job.stages.seconds)
        return ContentPlan(assignment, traffic, manifest, job.publish(), moving)


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


def _small_inputs(**given: Any) -> list[dict[str, Any]]:
    """Prices and places, as described in the manifest; objects in memory have no files."""
    return [
        describe_files(role, [value] if isinstance(value, str | os.PathLike) else [])
        for role, value in given.items()
        if value is not None
    ]


def _manifest(
    job: Job,
    assignment: Assignment,
    traffic: Traffic,
    moving: Transition | None,
    inputs: list[dict[str, Any]],
    seed: int,
) -> dict[str, Any]:
    from topicweave.content import lower_bound

    instance = assignment.instance
    read = {part.role: counts.to_dict() for part, counts in zip(traffic.parts, traffic.counts, strict=True)}
    return new_manifest(
        ASSIGN,
        inputs=inputs,
        rows={"inputs": read},
        parameters={name: value for name, value in assignment.parameters.items() if name != "seed"},
        seed=seed,
        counts={
            "users": instance.num_users,
            "brokers": instance.num_brokers,
            "channels": instance.num_channels,
            "subscriptions": int(traffic.subscribe.sum()),
            "links": assignment.overlay.num_edges,
            "moves": len(assignment.moves),
        },
        seconds=job.stages.seconds,
        spark=job.spark,
        **content_sections(assignment, traffic, lower_bound(instance, assignment.core).total, moving),
    )
