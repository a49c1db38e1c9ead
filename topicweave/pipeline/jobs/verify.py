"""The job that checks links against subscriptions; neither needs to come from topicweave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from topicweave.errors import ReadError
from topicweave.model import Requirements
from topicweave.parameters import check_kind
from topicweave.pipeline.connectivity import Verification, list_links
from topicweave.pipeline.job import as_source, check_present, open_job, verb
from topicweave.pipeline.plan.manifest import ASSIGN, read_manifest
from topicweave.pipeline.plan.requirements import read_requirements
from topicweave.pipeline.plan.source import read_edges
from topicweave.pipeline.plan.target import plan_folder
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION, check_max_bad_fraction
from topicweave.pipeline.required import verify_required
from topicweave.pipeline.sources.formats.table import Table, as_table
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from topicweave.pipeline.connectivity import ListedLinks
    from topicweave.pipeline.job import SourceLike, Spark
    from topicweave.pipeline.quality.reasons import Counts
    from topicweave.pipeline.spark.progress import Observer


@verb("pipeline.verify(source, links, spark=...)")
def verify(
    source: SourceLike,
    links: Table | DataFrame | str | os.PathLike[str] | None = None,
    *,
    diameters: bool = False,
    requirements: Requirements | None = None,
    max_bad_fraction: float = MAX_BAD_FRACTION,
    spark: Spark = None,
    progress: Observer | None = None,
) -> Verification:
    """Check that links connect every topic's subscribers through subscribers of that topic alone.

    Parameters
    ----------
    source
        The subscriptions: whatever :func:`design` takes, or a plan folder, which contains those it was made for.
    links
        A plan folder, or any path, table or data frame with the fields ``source`` and ``target``. May be omitted if
        ``source`` is a plan folder, whose own links are then checked.
    diameters
        Whether to measure topic diameters as well, which takes longer.
    requirements
        What to check besides; by default the requirements of the plan, if the links are those of a plan that has some.
    max_bad_fraction
        The share of bad rows among the subscriptions up to which the good ones are used.
    spark, progress
        The session, and the observer of progress: see :func:`open_job`.

    Raises
    ------
    ReadError, BadRowsError
        An input cannot be read, or too much of it is bad; no row of the links may be bad.
    """
    check_max_bad_fraction(max_bad_fraction)
    if links is None:
        links = plan_folder(source)
        if links is None:
            raise ReadError("There are no links to verify: name them, or give the folder of a plan, which holds both.")
        if read_manifest(links).get("kind") == ASSIGN:
            raise ReadError(
                f"{links} assigns users to brokers, and its links join brokers, not users; give the plan of an overlay."
            )
    if requirements is None:
        folder = plan_folder(links.path if isinstance(links, Table) else links)
        requirements = None if folder is None else read_requirements(folder)
    else:
        check_kind(requirements, Requirements, "requirements= needs Requirements", "build one with tw.Requirements")
    listed, readable = as_table(links), as_source(source)
    check_present((*readable.tables, listed), spark)
    with open_job(spark=spark, progress=progress) as job:
        session = job.start()
        with job.stages.stage("read"):
            edges = read_edges(session, listed)
            records = readable.read(session)
        try:
            with job.stages.stage("clean"):
                with spark_failures("the subscriptions"):
                    counts = {part.role: part.count() for part in records.parts}
                for part in records.parts:
                    part.check(counts[part.role], max_bad_fraction)
            with job.stages.stage("verify"):
                found = verify_required(records.subscriptions, edges, requirements, diameters=diameters)
                job.stages.say(f"support {found.support:.4f}")
                with spark_failures("the links"):
                    return replace(found, counts=counts, links=list_links(records.subscriptions, edges))
        finally:
            records.release()


@dataclass(frozen=True)
class VerifiedFiles:
    """What :func:`verify_files` returns: the parts of a :class:`Verification`."""

    verification: Verification
    counts: Mapping[str, Counts]
    links: ListedLinks


def verify_files(*given: Any, **named: Any) -> VerifiedFiles:
    """The former form of :func:`verify`; it returns the same in several parts."""
    from topicweave.deprecation import warn_form

    form = "pipeline.verify(source, links, spark=...)"
    warn_form(f"pipeline.verify_files is now pipeline.verify: call {form}.", stacklevel=2)
    if not isinstance(given[0], str):
        given, named = given[1:], {"spark": given[0], **named}
    for old, new in (("stages", "progress"), ("edges", "links")):
        if old in named:
            named[new] = named.pop(old)
    found = verify(*given, **named)
    assert found.links is not None
    return VerifiedFiles(found, found.counts, found.links)
