"""The job that designs along several axes, so that a person can choose: links against hops, degree and cost."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from topicweave.algorithms.registry import DEFAULT
from topicweave.errors import InputError
from topicweave.model import Requirements
from topicweave.parameters import check_choice, check_kind, check_seed, check_whole
from topicweave.pipeline.job import as_source, check_present, open_job, verb
from topicweave.pipeline.loading import load_in
from topicweave.pipeline.plan.manifest import describe_inputs, new_manifest, plain, write_manifest
from topicweave.pipeline.plan.requirements import describe_requirements, requirements_in_words, write_requirements
from topicweave.pipeline.plan.target import TRADEOFF, TRADEOFF_PAGE
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION, check_max_bad_fraction
from topicweave.pipeline.workers.designs import Wish, design_all
from topicweave.reports.tradeoff_page import COST, DEGREE, HOPS, MET, TradeoffPoint, tradeoff_page
from topicweave.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from topicweave.pipeline.job import Job, Out, SourceLike, Spark
    from topicweave.pipeline.loading import Loaded
    from topicweave.pipeline.sources.source import Source
    from topicweave.pipeline.spark.progress import Observer

AXES = (HOPS, DEGREE, COST)
LEAST_HOPS, STEEPNESS = 2, 1.35
UNLIMITED = ("gm", "minmax")  # the designs without a limit: the fewest links, and the lowest maximum degree


@dataclass(frozen=True)
class Tradeoff:
    """The designs of a trade-off.

    Attributes
    ----------
    points
        The designs, in the order of the page.
    folder
        Where page and figures were written; None if nowhere.
    """

    points: tuple[TradeoffPoint, ...]
    folder: Path | None = None

    def summary(self) -> str:
        """A few lines to print."""
        from topicweave.reports.tradeoff_page import in_words

        lines = [f"{counted(len(self.points), 'design')}, {sum(p.outcome == MET for p in self.points)} as asked for"]
        for number, point in enumerate(self.points, 1):
            figures = "–"
            if point.links is not None:
                figures = f"{point.links:,} links, at most {point.maximum_degree:,} a node, {point.largest_hops} hops"
            cost = "" if point.cost is None else f", cost {point.cost:,.0f}"
            lines.append(f"  {number:>2}  {in_words(point):<44}  {figures}{cost}")
        if self.folder is not None:
            lines.append(f"  written to {self.folder}")
        return "\n".join(lines)


@verb("pipeline.tradeoff(source, spark=...)")
def tradeoff(
    source: SourceLike,
    algorithm: str = DEFAULT,
    *,
    axes: Sequence[str] | None = None,
    steps: int = 6,
    requirements: Requirements | None = None,
    out: Out = None,
    overwrite: bool = False,
    command: str = "topicweave design SUBSCRIPTIONS",
    max_bad_fraction: float = MAX_BAD_FRACTION,
    spark: Spark = None,
    progress: Observer | None = None,
    seed: int = 0,
) -> Tradeoff:
    """Design along several axes, one design for each Spark task, and write a page to choose from.

    Parameters
    ----------
    source
        The subscriptions: whatever :func:`design` takes.
    algorithm
        The algorithm of the designs with a limit.
    axes
        ``"hops"``, ``"degree"`` and ``"cost"``; by default all, without ``"cost"`` if links have no costs.
    steps
        How many limits to try on each axis.
    requirements
        What all designs honour. Its link costs are those of the axis ``"cost"``.
    command
        How the commands on the page begin.
    max_bad_fraction
        The share of bad rows up to which the good ones are used.
    out, overwrite, spark, progress
        The folder to write to, the session, and the observer of progress: see :func:`open_job`.
    seed
        Seed of all designs.

    Raises
    ------
    InputError
        The axis ``"cost"`` was asked for, but links have no costs.
    """
    check_max_bad_fraction(max_bad_fraction)
    check_seed(seed)
    check_whole("steps", steps, 1)
    wanted = _checked_axes(axes, requirements)
    readable = as_source(source)
    check_present(readable.tables, spark)
    with open_job(out, overwrite=overwrite, spark=spark, progress=progress) as job:
        loaded = load_in(job, readable, max_bad_fraction)
        loaded.records.release()
        base = requirements or Requirements()
        with job.stages.stage("without limits"):
            plain_wishes = [Wish("none", None, name, requirements) for name in dict.fromkeys((*UNLIMITED, algorithm))]
            points = design_all(job.spark, loaded.interest, plain_wishes, seed)
        with job.stages.stage("along the axes"):
            wishes = _wishes(wanted, algorithm, base, points, steps)
            if wishes:
                points += design_all(job.spark, loaded.interest, wishes, seed)
            job.stages.say(counted(len(points), "design"))
        _write(job, readable, loaded, tuple(points), requirements, command, seed)
        return Tradeoff(tuple(points), job.publish())


def _checked_axes(axes: Sequence[str] | None, requirements: Requirements | None) -> tuple[str, ...]:
    if requirements is not None:
        check_kind(requirements, Requirements, "requirements= needs a Requirements object", "build one")
    has_costs = requirements is not None and requirements.link_cost is not None
    if axes is None:
        return AXES if has_costs else (HOPS, DEGREE)
    for axis in axes:
        check_choice("axis", axis, AXES, parameter="axes")
    if COST in axes and not has_costs:
        raise InputError("The axis 'cost' needs costs of links; give {parameter}.", parameter="link_cost")
    return tuple(axis for axis in AXES if axis in axes)


def _wishes(
    axes: Sequence[str], algorithm: str, base: Requirements, points: Sequence[TradeoffPoint], steps: int
) -> list[Wish]:
    """The limits to design for, between the extremes of the designs without a limit."""
    found = []
    by_name = {point.algorithm: point for point in points}
    if HOPS in axes:
        most = max((point.largest_hops or 0 for point in points if point.algorithm == algorithm), default=0)
        found += [
            Wish(HOPS, hops, algorithm, replace(base, max_hops=hops)) for hops in spread(LEAST_HOPS, most - 1, steps)
        ]
    if DEGREE in axes:
        low, high = (by_name[name].maximum_degree or 0 for name in ("minmax", "gm"))
        found += [
            Wish(DEGREE, cap, algorithm, replace(base, max_degree=cap)) for cap in spread(max(low, 2), high - 1, steps)
        ]
    if COST in axes:
        weights = np.linspace(0, 1, steps).round(3).tolist()
        found += [Wish(COST, weight, algorithm, replace(base, cost_weight=weight)) for weight in weights]
    return found


def spread(low: int, high: int, count: int) -> list[int]:
    """Up to ``count`` whole numbers from ``low`` to ``high``, denser at the low end; none if there are none."""
    if high < low:
        return []
    return sorted({round(number) for number in np.geomspace(low, high, count).tolist()})


def _write(
    job: Job,
    source: Source,
    loaded: Loaded,
    points: tuple[TradeoffPoint, ...],
    requirements: Requirements | None,
    command: str,
    seed: int,
) -> None:
    interest = loaded.interest
    facts = {"nodes": interest.num_nodes, "topics": interest.num_topics, "subscriptions": interest.num_subscriptions}
    required = [] if requirements is None else requirements_in_words(requirements)
    with job.writing(), job.stages.stage("report"):
        rows = [plain(asdict(point)) for point in points]
        (job.folder / TRADEOFF).write_text(json.dumps(rows, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        commands = [_command(command, point) for point in points]
        page = tradeoff_page(points, commands, {**facts, "required": required})
        (job.folder / TRADEOFF_PAGE).write_text(page, encoding="utf-8")
        write_requirements(requirements, job.folder, interest.nodes)
    with job.writing():
        manifest = new_manifest(
            "tradeoff",
            inputs=describe_inputs(loaded.records.parts, source.kind, source.options()),
            rows=loaded.to_dict(),
            parameters={},
            seed=seed,
            counts={**facts, "designs": len(points)},
            seconds=job.stages.seconds,
            spark=job.spark,
            requirements=None if requirements is None else describe_requirements(requirements),
        )
        write_manifest(job.folder, manifest, job.stages.seconds)


def _command(begin: str, point: TradeoffPoint) -> str:
    option = {HOPS: "--max-hops", DEGREE: "--max-degree", COST: "--cost-weight"}.get(point.axis)
    limit = "" if option is None else f" {option} {point.limit:g}"
    return f"{begin} --algorithm {point.algorithm}{limit} --out plan/"
