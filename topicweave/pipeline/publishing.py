"""Turns links into a finished plan folder: writes them, verifies what was written, measures and describes it.

Shared by :mod:`design <topicweave.pipeline.jobs.design>` and :mod:`improve <topicweave.pipeline.jobs.improve>`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from topicweave.errors import VerificationError
from topicweave.pipeline.connectivity import verify_frames
from topicweave.pipeline.plan.manifest import write_manifest
from topicweave.pipeline.plan.plan import (
    diameter_figures,
    edges_table,
    nodes_table,
    safe_for_spreadsheets,
    topics_table,
    write_trees,
)
from topicweave.pipeline.plan.target import EDGES, EDGES_CSV, NODES, REPORT, TOPICS
from topicweave.pipeline.sources.formats.files import read_local_parquet
from topicweave.reports.plan_page import Comparison, comparisons, plan_page
from topicweave.wording import gap_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from topicweave.model import Design, Interest, Overlay, Requirements
    from topicweave.outages import SingleOutages
    from topicweave.pipeline.connectivity import Verification
    from topicweave.pipeline.job import Job
    from topicweave.reports.tradeoff_page import TradeoffPoint
    from topicweave.trees import Trees

MOST_VIOLATIONS = 20
MOST_OUTAGES = 10  # how many of the worst single failures the manifest and the report list

ABOUT_TREES = {
    "meaning": "an overlay has cycles, and plain bridges on a cycle let messages loop for ever: it is deployed along "
    "one spanning tree for each topic, which topicweave export writes"
}


@dataclass(frozen=True)
class Measured:
    """What is reported about a plan besides its links: measurements of its topics, its trees, baseline designs, and
    what the failures of single nodes would break.
    """

    topics: pa.Table
    compared: tuple[Comparison, ...]
    trees: Trees | None
    outages: SingleOutages


def write_edges(planned: Design, folder: Path, csv: bool = False, csv_safe: bool = False) -> None:
    """Write the links; with ``csv`` also as text, with ``csv_safe`` in a form that spreadsheets do not execute."""
    import pyarrow.csv
    import pyarrow.parquet as pq

    edges = edges_table(planned)
    pq.write_table(edges, folder / EDGES)
    if csv or csv_safe:
        pyarrow.csv.write_csv(safe_for_spreadsheets(edges) if csv_safe else edges, folder / EDGES_CSV)


def verify_written(
    job: Job,
    subscriptions: DataFrame,
    planned: Design,
    *,
    has_all_topics: bool = True,
    requirements: Requirements | None = None,
) -> Verification:
    """Read back the links that were written, and check them against the subscriptions that were read.

    The verifier must find what the algorithm claims; a difference is a defect of topicweave, and no plan is published.
    They are not compared unless ``has_all_topics``: if an algorithm considered only some of the topics, its links may
    connect more than it claims. ``requirements`` are checked as well.
    """
    with job.stages.stage("verify"):
        written = read_local_parquet(job.spark, job.folder / EDGES)
        if requirements is None:
            verification = verify_frames(subscriptions, written, diameters=True)
        else:
            from topicweave.pipeline.required import verify_required

            verification = verify_required(subscriptions, written, requirements, diameters=True)
        if has_all_topics and verification.components != planned.components:
            raise VerificationError(
                f"The links written leave {verification.components:,} topic components, but {planned.algorithm} said "
                f"{planned.components:,}; nothing was published, please report this."
            )
        job.stages.say("every topic is connected" if verification.topic_connected else "some topics are not connected")
    return verification


def measure_plan(
    job: Job, interest: Interest, planned: Design, verification: Verification, trees: str | None = None
) -> Measured:
    """Measure a plan and write its tables; ``trees`` is the objective of the trees to write, if any."""
    import pyarrow.parquet as pq

    from topicweave.outages.single import single_outages

    with job.writing(), job.stages.stage("measure"):
        found = None if trees is None else _grown(interest, planned.overlay, trees)
        topics = topics_table(interest, verification, found)
        if found is not None:
            write_trees(found, job.folder)
        compared = comparisons(interest, planned.overlay)
        pq.write_table(nodes_table(interest, planned.overlay), job.folder / NODES)
        pq.write_table(topics, job.folder / TOPICS)
        outages = single_outages(interest, planned.overlay)
    return Measured(topics, compared, found, outages)


def plan_sections(planned: Design, verification: Verification, measured: Measured) -> dict[str, Any]:
    """The sections that the manifest of every overlay has."""
    return {
        "algorithm": planned.algorithm,
        "overlay": {
            "links": planned.overlay.num_edges,
            "average_degree": planned.overlay.average_degree,
            "maximum_degree": planned.overlay.maximum_degree,
            "notes": list(planned.notes),
        },
        "verification": {
            "topic_connected": verification.topic_connected,
            "support": verification.support,
            "components": verification.components,
            "disconnected_topics": len(verification.disconnected_topics),
        },
        "requirements": describe_check(verification),
        "diameters": {
            **diameter_figures(measured.topics),
            "meaning": "hops between the two farthest subscribers within the topic; null if a topic is not connected; "
            "if diameter_exact is false, a lower bound from a few searches",
        },
        "comparison": [asdict(each) for each in measured.compared],
        "outages": {
            **measured.outages.figures(),
            "worst": [each._asdict() for each in measured.outages.worst(MOST_OUTAGES)],
            "meaning": "what breaks if one node fails: topics whose other subscribers fall into pieces, and how many "
            "of these subscriptions are outside the largest piece",
        },
        "trees": ABOUT_TREES if measured.trees is None else {**ABOUT_TREES, **measured.trees.figures()},
    }


def describe_check(verification: Verification) -> dict[str, Any] | None:
    """The section of the manifest about requirements: what they are, and what violates them; None if there are none."""
    if verification.requirements is None:
        return None
    from topicweave.pipeline.plan.requirements import describe_requirements, requirements_in_words

    return {
        **describe_requirements(verification.requirements),
        "in_words": requirements_in_words(verification.requirements),
        "met": not verification.violations,
        "violations": len(verification.violations),
        "first_violations": [str(violation) for violation in verification.violations[:MOST_VIOLATIONS]],
        "cost": verification.cost,
    }


def plan_counts(interest: Interest, overlay: Overlay) -> dict[str, int]:
    """The numbers of nodes, topics, subscriptions and links for the manifest."""
    return {
        "nodes": interest.num_nodes,
        "topics": interest.num_topics,
        "subscriptions": interest.num_subscriptions,
        "links": overlay.num_edges,
    }


def finish_plan(
    job: Job,
    interest: Interest,
    planned: Design,
    verification: Verification,
    describe: Callable[[], dict[str, Any]],
    *,
    trees: str | None = None,
    bound: float | None = None,
    seed: int = 0,
    points: Sequence[TradeoffPoint] = (),
) -> dict[str, Any]:
    """Measure and describe a plan that was written and verified, so that it can be published; return its manifest.

    ``describe`` returns the sections of the manifest that depend on the job, to which the others are added; ``trees``
    is the objective of the trees to write with the plan, ``bound`` how many seconds to search for a bound; ``points``
    are the designs of a trade-off, among which the report shows the plan.
    """
    measured = measure_plan(job, interest, planned, verification, trees)
    known = None if bound is None else find_bound(job, interest, planned.overlay.num_edges, bound, seed)
    with job.writing(), job.stages.stage("report"):
        manifest = {**describe(), **plan_sections(planned, verification, measured), "bound": known}
        page = plan_page(interest, planned, verification, measured.topics, measured.compared, manifest, points)
        (job.folder / REPORT).write_text(page, encoding="utf-8")
    with job.writing():
        write_manifest(job.folder, manifest, job.stages.seconds)
    return manifest


def find_bound(job: Job, interest: Interest, links: int, seconds: float, seed: int) -> dict[str, Any]:
    """Compute a lower bound, check its certificate, and report the bound and the gap to it."""
    from topicweave.optimise import lower_bound

    with job.stages.stage("bound"):
        found = lower_bound(interest, seconds=seconds, seed=seed, progress=job.stages.observer.on_design)
        value = found.check()
        gap = found.gap(links)
        job.stages.say(f"no overlay has fewer than {found.links:,} links; {gap_in_words(gap)}")
    return {
        "value": value,
        "least_links": found.links,
        "gap": gap,
        "seconds": round(found.seconds, 3),
        "meaning": "no overlay that connects every topic has fewer links than least_links; the certificate was checked "
        "by SciPy, and topicweave bound --save writes such a certificate",
    }


def _grown(interest: Interest, overlay: Overlay, objective: str) -> Trees:
    """The dissemination trees; their code is imported only if they are asked for."""
    from topicweave.trees import trees

    return trees(interest, overlay, objective)
