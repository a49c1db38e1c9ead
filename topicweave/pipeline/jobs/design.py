"""The main job: read subscriptions, clean and number them, design, write, verify, measure, publish."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager, closing, nullcontext
from typing import TYPE_CHECKING, Any

from topicweave.algorithms.registry import DEFAULT
from topicweave.errors import NotFoundError, VerificationError
from topicweave.model import Interest, Overlay
from topicweave.parameters import check_choice, check_number
from topicweave.pipeline.job import as_source, check_present, load_libraries, open_job, verb
from topicweave.pipeline.loading import Loaded, load_in
from topicweave.pipeline.plan.manifest import describe_inputs, new_manifest
from topicweave.pipeline.plan.plan import Plan, write_subscriptions
from topicweave.pipeline.plan.target import QUARANTINE
from topicweave.pipeline.publishing import finish_plan, plan_counts, verify_written, write_edges
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION, check_max_bad_fraction
from topicweave.pipeline.spark.progress import DESIGN
from topicweave.reports.plan_page import describe_candidates, in_words
from topicweave.wording import counted

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from topicweave.algorithms.greedy.near import Search
    from topicweave.algorithms.options import Options
    from topicweave.model import Design, Requirements
    from topicweave.pipeline.job import Job, Out, SourceLike, Spark
    from topicweave.pipeline.plan.preferred import PreferLike
    from topicweave.pipeline.sources.source import Source
    from topicweave.pipeline.spark.progress import Observer
    from topicweave.reports.tradeoff_page import TradeoffPoint

TREE_OBJECTIVES = ("depth", "load")
NEEDED_LATER = ("pyarrow.parquet", "pandas", "scipy.sparse.linalg", "scipy.spatial",
                "jinja2", "matplotlib.figure", "matplotlib.backends.backend_svg")  # fmt: skip


@verb("pipeline.design(source, algorithm, spark=...)")
def design(
    source: SourceLike,
    algorithm: str = DEFAULT,
    *,
    out: Out = None,
    overwrite: bool = False,
    fresh: bool = False,
    csv: bool = False,
    csv_safe: bool = False,
    trees: str | None = None,
    prefer: PreferLike = None,
    requirements: Requirements | None = None,
    tradeoff: str | os.PathLike[str] | None = None,
    bound: float | None = None,
    max_bad_fraction: float = MAX_BAD_FRACTION,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Plan:
    """Design an overlay for raw subscription data; the written files are checked to connect every topic.

    Parameters
    ----------
    source
        What to read: a path, a table's name or a data frame of subscriptions, a :class:`Table` saying how to read it,
        one of :class:`Subscriptions`, :class:`SocialGraph`, :class:`EventLog`, :class:`Clients`, or the folder of
        another plan, which contains the subscriptions it was made for.
    algorithm
        A name from ``topicweave.ALGORITHMS``.
    fresh
        Whether to do everything again. Otherwise, if a run to the same folder was killed, this one resumes: it reuses
        what was read from the same input in the same way (if it has a million rows or more), and the design by the same
        algorithm with the same parameters and seed (if it took 10 seconds or more).
    csv
        Whether to write the links as ``edges.csv`` as well.
    csv_safe
        Whether to write ``edges.csv`` with an apostrophe before labels that a spreadsheet would run as a formula (they
        begin with ``=``, ``+``, ``-`` or ``@``); a program that reads it then finds other labels than were given.
    trees
        An objective of :func:`topicweave.deploy.trees`, ``"depth"`` or ``"load"``: also write the trees by which the
        overlay is deployed, as ``trees.parquet``.
    prefer
        The folder of an earlier plan, or an overlay, whose links come first among equally good ones (greedy family), so
        that few change; manifest, report and summary say how many were kept, added and removed.
    requirements
        What the overlay must keep to besides connecting every topic. The plan keeps them in its folder for later
        commands; the written links are checked against them.
    tradeoff
        The folder of an earlier :func:`tradeoff`; the report then shows where this plan lies among its designs.
    bound
        Seconds to search for a certified lower bound on the links of any overlay; manifest, report and summary then say
        by how much the plan exceeds it at most.
    max_bad_fraction
        The share of bad rows up to which the good ones are used.
    out, overwrite, spark, progress
        The folder to write the plan to, the session, and the observer of progress: see :func:`open_job`.
    seed
        The same seed gives the same plan, on any number of cores, partitions and machines.
    parameters
        Further arguments of :func:`topicweave.design`.

    Raises
    ------
    ParameterError
        The algorithm or its parameters do not exist or are outside their range.
    TargetError
        The folder exists already, is being written by another run, or cannot be written.
    ReadError, BadRowsError
        The input cannot be read, or too much of it is bad.
    ImpossibleError
        No overlay meets the requirements; the message names what proves it.
    NotFoundError
        The algorithm found no overlay that meets them. The best one was written all the same; the error's field
        ``plan`` is that plan.
    VerificationError
        The written links do not connect what the algorithm said they connect.
    """
    from topicweave.algorithms.design import rehearse
    from topicweave.algorithms.options import check_options

    check_max_bad_fraction(max_bad_fraction)
    if trees is not None:
        check_choice("objective", trees, TREE_OBJECTIVES, parameter="trees")
    if bound is not None:
        check_number("bound", bound, 0)
    readable = as_source(source)
    check_present(readable.tables, spark)
    preferred = None
    if prefer is not None:
        from topicweave.pipeline.plan.preferred import describe_preferred, preferred_overlay

        preferred = parameters["prefer"] = preferred_overlay(prefer)
    if requirements is not None:
        parameters["requirements"] = requirements
    options = check_options(algorithm, seed=seed, **parameters)
    points: tuple[TradeoffPoint, ...] = ()
    if tradeoff is not None:
        from topicweave.pipeline.plan.tradeoff import read_tradeoff

        points = read_tradeoff(tradeoff)
    if options.memory_limit is not None:
        rehearse(options)  # fails at this point already if the memory limit is too low for any design
    with open_job(out, overwrite=overwrite, spark=spark, progress=progress) as job:
        job.start(meanwhile=lambda: _prepare(options))
        loaded = load_in(job, readable, max_bad_fraction, resume=True, fresh=fresh)
        try:
            planned, missed = _design(job, loaded, options, parameters)
            _write(job, loaded, planned, csv or csv_safe, csv_safe)
            if requirements is not None:
                from topicweave.pipeline.plan.requirements import write_requirements

                with job.writing():
                    write_requirements(requirements, job.folder, loaded.interest.nodes)
            verification = verify_written(
                job, loaded.records.subscriptions, planned, has_all_topics=parameters.get("topics") is None,
                requirements=requirements,
            )  # fmt: skip
            if verification.violations and missed is None:
                raise VerificationError(
                    f"The links written violate the requirements ({verification.violations[0]}), but "
                    f"{planned.algorithm} said that they meet them; nothing was published, please report this."
                )
        except VerificationError:
            if loaded.checkpoints is not None:
                # a resumed stage may be the cause, if the input changed without being noticed
                loaded.checkpoints.clear()
            raise
        finally:
            loaded.records.release()

        def describe() -> dict[str, Any]:
            kept = None if prefer is None else describe_preferred(prefer, preferred, planned.overlay)
            return {**_manifest(job, readable, loaded, planned, seed, parameters), "prefer": kept}

        manifest = finish_plan(
            job, loaded.interest, planned, verification, describe, trees=trees, bound=bound, seed=seed, points=points
        )
        if loaded.checkpoints is not None:
            loaded.checkpoints.clear()
        plan = Plan(loaded.interest, planned, verification, manifest, job.publish())
        if missed is not None:
            missed.fields["plan"] = plan
            raise missed
        return plan


def _prepare(options: Options) -> None:
    """Load libraries and compiled code before they are needed."""
    from topicweave.algorithms.design import rehearse
    from topicweave.outages import single_outages

    rehearse(options)
    two = Interest.from_pairs([("a", "t"), ("b", "t")])
    single_outages(two, Overlay.empty(two.nodes))
    load_libraries(NEEDED_LATER)


def _design(
    job: Job, loaded: Loaded, options: Options, parameters: dict[str, Any]
) -> tuple[Design, NotFoundError | None]:
    """Design the links; if the requirements are not met, return the best design together with the error that says
    so.
    """
    saved, missed = loaded.checkpoints, None
    with job.stages.stage(DESIGN), _search(job, options, loaded.interest.num_nodes) as search:
        before = time.perf_counter()
        planned = (
            None if saved is None else saved.find_design(loaded.interest, options.algorithm, parameters, options.seed)
        )
        if planned is None:
            try:
                planned = _plan_links(loaded.interest, options, search, job.stages.observer)
            except NotFoundError as error:
                planned, missed = error.fields["design"], error
            if saved is not None and missed is None:
                saved.save_design(planned, time.perf_counter() - before)
        taken = in_words(describe_candidates(planned, parameters))
        job.stages.say(
            f"{counted(planned.overlay.num_edges, 'link')}, {planned.overlay.average_degree:.2f} per node, "
            f"at most {planned.overlay.maximum_degree}{taken and f'; {taken}'}{saved.remark(DESIGN) if saved else ''}"
        )
    return planned, missed


def _plan_links(interest: Interest, options: Options, search: Search | None, observer: Observer) -> Design:
    from topicweave.algorithms.design import design_with

    return design_with(interest, options, search=search, progress=observer.on_design)


def _search(job: Job, options: Options, num_nodes: int) -> AbstractContextManager[Search | None]:
    """The function that searches for near candidates, if the design needs one."""
    if options.num_near(num_nodes) is None:
        return nullcontext()
    from topicweave.pipeline.workers.near_search import SparkSearch

    return closing(SparkSearch(job.spark))


def _write(job: Job, loaded: Loaded, planned: Design, csv: bool, csv_safe: bool) -> None:
    with job.writing(), job.stages.stage("write"):
        write_edges(planned, job.folder, csv, csv_safe)
        write_subscriptions(loaded.interest, job.folder)
        _write_quarantine(loaded, job.folder)
        aside = f", {counted(loaded.num_bad, 'bad row')} put aside" if loaded.num_bad else ""
        job.stages.say(counted(planned.overlay.num_edges, "link") + aside)


def _write_quarantine(loaded: Loaded, folder: Path) -> None:
    (folder / QUARANTINE).mkdir()
    if not loaded.num_bad:
        return
    from topicweave.pipeline.quality.quarantine import write_quarantine

    written = write_quarantine(loaded.records.quarantine, folder / QUARANTINE)
    if written != loaded.num_bad:
        raise VerificationError(
            f"{loaded.num_bad:,} bad rows were counted, but {written:,} are in the quarantine: the input has changed "
            f"while it was read; rerun on a stable copy."
        )


def _manifest(
    job: Job,
    source: Source,
    loaded: Loaded,
    planned: Design,
    seed: int,
    parameters: dict[str, Any],
) -> dict[str, Any]:
    return new_manifest(
        "design",
        inputs=describe_inputs(loaded.records.parts, source.kind, source.options()),
        rows=loaded.to_dict(),
        parameters=planned.parameters,
        seed=seed,
        counts=plan_counts(loaded.interest, planned.overlay),
        seconds=job.stages.seconds,
        spark=job.spark,
        candidates=describe_candidates(planned, parameters),
        resumed={} if loaded.checkpoints is None else loaded.checkpoints.resumed,
    )
