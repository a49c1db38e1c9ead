"""What the jobs that assign users to brokers share: their inputs, checked before Spark starts, and the folder they
write.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.content.places import PLACEMENT_FILE, as_placement, as_places
from topicweave.content.prices import as_prices
from topicweave.parameters import check_number
from topicweave.pipeline.job import check_present
from topicweave.pipeline.plan.content_plan import (
    ContentPlan,
    content_sections,
    write_content_report,
    write_content_tables,
    write_network,
)
from topicweave.pipeline.plan.manifest import ASSIGN, describe_files, describe_inputs, new_manifest, write_manifest
from topicweave.pipeline.quality.reasons import check_max_bad_fraction
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
    from topicweave.pipeline.job import Job, Spark
    from topicweave.pipeline.sources.formats.files import Paths
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.sources.publications import Publications
    from topicweave.pipeline.sources.traffic import Traffic

NEEDED_LATER = ("pyarrow.parquet", "pandas", "scipy.sparse.csgraph", "jinja2", "topicweave.reports.content_page",
                "matplotlib.figure", "matplotlib.backends.backend_svg")  # fmt: skip


@dataclass(frozen=True)
class ContentInputs:
    """The inputs of a job that assigns users to brokers, as its parameters describe them; see
    :func:`topicweave.pipeline.assign`.
    """

    log: Publications
    ranges: Table
    prices: Prices
    brokers: Sequence[str]
    places: Mapping[str, str] | None
    current: Mapping[str, str] | None
    channels: int | Mapping[str, int]
    scale: str
    cuts: Mapping[str, Sequence[float]] | None
    capacity: float | Sequence[float] | None
    spare: float
    max_bad_fraction: float
    small: tuple[dict[str, Any], ...]  # prices, places and the current placement, as the manifest describes them

    def read(self, job: Job) -> tuple[Traffic, Instance]:
        """Read the logs on Spark and combine them with the prices."""
        with job.stages.stage("read traffic"):
            traffic = read_traffic(
                job.spark,
                self.log,
                self.ranges,
                num_channels=self.channels,
                scale=self.scale,
                cuts=self.cuts,
                max_bad_fraction=self.max_bad_fraction,
            )
            sizes = (len(traffic.users), "user"), (traffic.channels.num_channels, "channel")
            job.stages.say(", ".join(counted(number, what) for number, what in sizes))
        return traffic, traffic.instance(
            self.prices, self.brokers, places=self.places, capacity=self.capacity, spare=self.spare
        )


def check_inputs(
    publications: Publications | Table | DataFrame | Paths,
    subscriptions: Table | DataFrame | Paths,
    prices: Prices | pd.DataFrame | str | os.PathLike[str],
    *,
    attributes: Sequence[str],
    channels: int | Mapping[str, int],
    scale: str,
    cuts: Mapping[str, Sequence[float]] | None,
    brokers: Sequence[str] | None,
    places: UserTable | None,
    capacity: float | Sequence[float] | None,
    spare: float,
    current: UserTable | None,
    max_bad_fraction: float,
    spark: Spark,
) -> ContentInputs:
    """Refuse at once what cannot succeed, because starting Spark takes seconds."""
    log, ranges = as_publications(publications, attributes), as_table(subscriptions)
    check_max_bad_fraction(max_bad_fraction)
    check_cuts(log.attributes, channels, scale, cuts)
    check_number("spare", spare, 1)
    check_present((log.table, ranges), spark)
    price_of = as_prices(prices)
    sites = price_of.places if brokers is None else tuple(brokers)
    price_of.between(sites, sites)
    return ContentInputs(
        log,
        ranges,
        price_of,
        sites,
        None if places is None else as_places(places),
        None if current is None else as_placement(current),
        channels,
        scale,
        cuts,
        capacity,
        spare,
        max_bad_fraction,
        tuple(_small_inputs(prices=prices, places=places, current=current)),
    )


def write_content_plan(
    job: Job,
    assignment: Assignment,
    traffic: Traffic,
    inputs: ContentInputs,
    moving: Transition | None,
    seed: int,
) -> ContentPlan:
    """Write the tables, the report and the manifest, and publish the folder."""
    with job.writing(), job.stages.stage("write"):
        write_content_tables(assignment, traffic, job.folder, moving)
        aside = f", {counted(traffic.num_bad, 'bad row')} put aside" if traffic.num_bad else ""
        job.stages.say(f"{counted(assignment.overlay.num_edges, 'link')} between brokers{aside}")
    with job.writing(), job.stages.stage("report"):
        described = [
            *describe_inputs(traffic.parts[:1], "publications", {"attributes": inputs.log.attributes}),
            *describe_inputs(traffic.parts[1:], "ranges"),
            *inputs.small,
        ]
        manifest = _manifest(job, assignment, traffic, moving, described, seed)
        least = manifest["cost"]["lower_bound"]
        write_network(assignment, traffic, least, job.folder)
        write_content_report(assignment, least, job.folder, moving)
    with job.writing():
        write_manifest(job.folder, manifest, job.stages.seconds)
    return ContentPlan(assignment, traffic, manifest, job.publish(), moving)


def _small_inputs(**given: Any) -> list[dict[str, Any]]:
    """Prices, places and the current placement, as described in the manifest; objects in memory have no files."""
    found = []
    for role, value in given.items():
        if isinstance(value, str | os.PathLike):
            path = os.path.expanduser(value)
            found.append(describe_files(role, [os.path.join(path, PLACEMENT_FILE) if os.path.isdir(path) else path]))
        elif value is not None:
            found.append(describe_files(role, []))
    return found


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
