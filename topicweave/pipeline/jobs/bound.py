"""The job that finds how few links any overlay needs, and how far a plan is from that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicweave.parameters import check_number, check_seed
from topicweave.pipeline.job import as_source, check_present, open_job
from topicweave.pipeline.loading import load_in
from topicweave.pipeline.plan.reader import read_plan
from topicweave.pipeline.plan.target import plan_folder
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION, check_max_bad_fraction
from topicweave.wording import gap_in_words

if TYPE_CHECKING:
    import os
    from typing import Any

    from topicweave.model import Interest, Overlay
    from topicweave.optimise import Bound
    from topicweave.pipeline.job import Job, SourceLike, Spark
    from topicweave.pipeline.spark.progress import Observer


@dataclass(frozen=True)
class PlanBound:
    """The result of :func:`bound`.

    Attributes
    ----------
    bound
        The certified bound; its certificate was checked.
    links
        Number of links of the plan; None if there is no plan.
    """

    bound: Bound
    links: int | None = None

    @property
    def gap(self) -> float | None:
        """By what share the links of the plan exceed the least number that the bound allows; None without a plan."""
        return None if self.links is None else self.bound.gap(self.links)

    def to_dict(self) -> dict[str, Any]:
        """The result as a dictionary."""
        facts: dict[str, Any] = {"bound": self.bound.value, "least_links": self.bound.links}
        return facts if self.links is None else {**facts, "links": self.links, "gap": self.gap}

    def summary(self) -> str:
        """A sentence or two to print."""
        said = (
            f"No overlay has fewer than {self.bound.links:,} links (certified bound {self.bound.value:,.2f}, checked)."
        )
        return said if self.gap is None else f"{said}\n{self.links:,} links are planned: {gap_in_words(self.gap)}."


def bound(
    source: SourceLike,
    plan: str | os.PathLike[str] | None = None,
    *,
    seconds: float = 10.0,
    max_bad_fraction: float = MAX_BAD_FRACTION,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int = 0,
) -> PlanBound:
    """Find a number of links that no overlay can go below, check its certificate, and compare a plan with it.

    Parameters
    ----------
    source
        The subscriptions: whatever :func:`design` takes, or a plan folder, which contains those it was made for and is
        read without Spark.
    plan
        The plan to compare; if ``source`` is a plan folder, that plan by default.
    seconds
        How long to search; Ctrl-C ends the search as well, with the bound found by then.
    max_bad_fraction
        The share of bad rows up to which the good ones are used.
    spark, progress
        The session, and the observer of progress: see :func:`open_job`.
    seed
        Seed of all random choices.

    Raises
    ------
    ReadError, BadRowsError
        An input cannot be read, or too much of it is bad.
    TooLargeError
        The prices of all pairs do not fit into memory.
    """
    from topicweave.optimise import lower_bound

    check_number("seconds", seconds, 0)
    check_max_bad_fraction(max_bad_fraction)
    check_seed(seed)
    with open_job(spark=spark, progress=progress) as job:
        interest, overlay = _read(job, source, plan, max_bad_fraction, spark)
        with job.stages.stage("bound"):
            found = lower_bound(interest, seconds=seconds, seed=seed, progress=job.stages.observer.on_design)
            job.stages.say(f"{found.value:,.2f}")
        with job.stages.stage("check"):
            found.check()
    return PlanBound(found, None if overlay is None else overlay.num_edges)


def _read(
    job: Job, source: SourceLike, plan: str | os.PathLike[str] | None, max_bad_fraction: float, spark: Spark
) -> tuple[Interest, Overlay | None]:
    """Read the subscriptions and, if there is a plan, its links."""
    folder = plan_folder(source)
    if folder is not None:
        with job.stages.stage("read"):
            stored = read_plan(folder)
            return stored.interest, (stored if plan is None else read_plan(plan, stored.interest)).overlay
    readable = as_source(source)
    check_present(readable.tables, spark)
    loaded = load_in(job, readable, max_bad_fraction)
    loaded.records.release()
    return loaded.interest, None if plan is None else read_plan(plan, loaded.interest).overlay
