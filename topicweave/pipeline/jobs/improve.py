"""The job that turns a plan into one with fewer links: read, search, write, verify, report, publish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from topicweave.errors import InputError, TargetError
from topicweave.files import as_path
from topicweave.optimise.improve import KEEP
from topicweave.parameters import check_number, check_seed, check_whole
from topicweave.pipeline.job import load_libraries, open_job
from topicweave.pipeline.plan.manifest import describe_inputs, new_manifest
from topicweave.pipeline.plan.plan import Plan, write_subscriptions
from topicweave.pipeline.plan.preferred import describe_preferred, preferred_overlay
from topicweave.pipeline.plan.reader import read_plan
from topicweave.pipeline.plan.requirements import read_requirements
from topicweave.pipeline.plan.source import PlanFolder
from topicweave.pipeline.plan.target import QUARANTINE
from topicweave.pipeline.publishing import finish_plan, plan_counts, verify_written, write_edges
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.wording import counted, link_changes

if TYPE_CHECKING:
    import os

    from topicweave.model import Design, Overlay
    from topicweave.pipeline.job import Job, Out, Spark
    from topicweave.pipeline.plan.preferred import PreferLike
    from topicweave.pipeline.plan.reader import StoredPlan
    from topicweave.pipeline.sources.source import Records
    from topicweave.pipeline.spark.progress import Observer

NEEDED_LATER = ("pandas", "jinja2", "matplotlib.figure", "matplotlib.backends.backend_svg")


def improve(
    plan: str | os.PathLike[str],
    *,
    out: Out = None,
    overwrite: bool = False,
    max_degree: int | str | None = KEEP,
    max_changes: int | None = None,
    prefer: PreferLike = None,
    seconds: float = 60.0,
    rounds: int | None = None,
    bound: float | None = None,
    csv: bool = False,
    csv_safe: bool = False,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int = 0,
) -> Plan:
    """Connect the topics of a plan with fewer links; the written files are checked to connect every topic.

    The plan holds the subscriptions it was made for, so nothing else is read. Spark starts after the search, to verify
    what was written; Ctrl-C during the search ends it, and what was found by then is written.

    Parameters
    ----------
    plan
        The folder of a topic-connected plan, which is not changed.
    max_degree, max_changes, seconds, rounds
        As in :func:`topicweave.improve`.
    prefer
        The folder of a plan, or an overlay, whose links stay if that costs nothing; with ``max_changes`` the plan
        itself by default.
    bound
        Seconds to search for a certified lower bound; manifest, report and summary then show the gap to it.
    csv, csv_safe
        As in :func:`design`.
    out, overwrite, spark, progress
        The folder to write the new plan to, the session, and the observer of progress: see :func:`open_job`.
    seed
        Seed of all random choices; with ``rounds`` the same seed gives the same plan.

    Raises
    ------
    ParameterError
        A parameter is outside its range.
    TargetError
        The folder exists already, is the plan itself, is being written by another run, or cannot be written.
    ReadError
        The plan cannot be read, or does not hold its subscriptions.
    InputError
        The plan leaves a topic disconnected, or it has requirements.
    """
    from topicweave.optimise import improve as improve_links

    for name, limit in (("seconds", seconds), ("bound", bound)):
        if limit is not None:
            check_number(name, limit, 0)
    for name, number in (("rounds", rounds), ("max_changes", max_changes)):
        if number is not None:
            check_whole(name, number, 0)
    check_seed(seed)
    source = PlanFolder(as_path(plan, "the plan"))
    _check_target(out, plan)
    required = read_requirements(plan)
    if required is not None and required.names:
        raise InputError(
            f"{plan} has requirements ({', '.join(required.names)}), which improve does not know and would break; "
            f"design it again with them instead."
        )
    preferred = preferred_overlay(prefer)
    with open_job(out, overwrite=overwrite, spark=spark, progress=progress) as job:
        with job.stages.stage("read"):
            stored = read_plan(plan)
            job.stages.say(counted(stored.overlay.num_edges, "link"))
        with job.stages.stage("search"):
            made = improve_links(
                stored.interest, stored.overlay, max_degree=max_degree, max_changes=max_changes,
                prefer=_of_nodes(preferred, stored), seconds=seconds, rounds=rounds, seed=seed,
                progress=job.stages.observer.on_design,
            )  # fmt: skip
            changes = describe_preferred(plan, stored.overlay, made.overlay)
            assert changes is not None
            job.stages.say(f"{counted(made.overlay.num_edges, 'link')}; {link_changes(changes)}")
        with job.writing(), job.stages.stage("write"):
            write_edges(made, job.folder, csv, csv_safe)
            write_subscriptions(stored.interest, job.folder)
            (job.folder / QUARANTINE).mkdir()
        job.start(meanwhile=lambda: load_libraries(NEEDED_LATER))
        records = source.read(job.spark)
        verification = verify_written(job, records.subscriptions, made)

        def describe() -> dict[str, Any]:
            compared = {"improved": changes, "prefer": describe_preferred(prefer, preferred, made.overlay)}
            return {**_manifest(job, stored, records, made, seed), **compared}

        manifest = finish_plan(job, stored.interest, made, verification, describe, bound=bound, seed=seed)
        return Plan(stored.interest, made, verification, manifest, job.publish())


def _check_target(out: Out, plan: str | os.PathLike[str]) -> None:
    import os

    if isinstance(out, str | os.PathLike) and os.path.exists(out) and os.path.samefile(out, os.path.expanduser(plan)):
        raise TargetError(f"{out} is the plan to improve, which must stay; choose another folder.")


def _of_nodes(preferred: Overlay | None, stored: StoredPlan) -> Overlay | None:
    """Those of the preferred links that join nodes of the plan, in its node numbers."""
    from topicweave.model import Overlay

    if preferred is None:
        return None
    known = stored.interest.node_numbers
    pairs = [pair for pair in preferred.pairs() if pair[0] in known and pair[1] in known]
    return Overlay.from_pairs(pairs, labels=stored.interest.nodes)


def _manifest(job: Job, stored: StoredPlan, records: Records, made: Design, seed: int) -> dict[str, Any]:
    with spark_failures("the plan"):
        counts = {part.role: part.count().to_dict() for part in records.parts}
    interest = stored.interest
    return new_manifest(
        "improve",
        inputs=describe_inputs(records.parts, PlanFolder.kind),
        rows={
            "inputs": counts, "duplicates": 0, "subscriptions": interest.num_subscriptions,
            "nodes": interest.num_nodes, "topics": interest.num_topics, "notes": {}, "remarks": [],
        },
        parameters=made.parameters,
        seed=seed,
        counts=plan_counts(interest, made.overlay),
        seconds=job.stages.seconds,
        spark=job.spark,
        candidates=None,
        resumed={},
    )  # fmt: skip
