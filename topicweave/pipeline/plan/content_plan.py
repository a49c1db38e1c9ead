"""The folder of a content plan: who sits where, the links, the routing, and a page about it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave._version import __version__
from topicweave.content import lower_bound
from topicweave.pipeline.plan.target import Target
from topicweave.pipeline.plan_files import MANIFEST
from topicweave.pipeline.quality.quarantine import write_quarantine
from topicweave.reports.content_page import content_page

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from topicweave.content import Assignment
    from topicweave.pipeline.sources.traffic import Traffic


def write_content_plan(
    assignment: Assignment, traffic: Traffic, out: str | os.PathLike[str], *, overwrite: bool = False
) -> Path:
    """Write ``assignment.parquet``, ``edges.parquet``, ``routing.jsonl``, the quarantine, the manifest and the page."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    instance = assignment.instance
    with Target(out, overwrite) as target:
        with target.writing():
            names = pa.array(instance.brokers)
            table = pa.table(
                {
                    "user": pa.array(instance.users),
                    "broker": names.take(pa.array(assignment.broker)),
                    "traffic": instance.need,
                    "access_price": instance.access_price[np.arange(instance.num_users), assignment.broker],
                }
            )
            pq.write_table(table, target.folder / "assignment.parquet")
            ends = assignment.overlay.edges
            carried = assignment.cost.link_traffic[ends[:, 0], ends[:, 1]]
            pq.write_table(
                assignment.overlay.to_arrow().append_column("traffic", pa.array(carried)),
                target.folder / "edges.parquet",
            )
            with (target.folder / "routing.jsonl").open("w", encoding="utf-8") as file:
                for broker, channel, links in assignment.routing.trees():
                    file.write(json.dumps({"broker": broker, "channel": channel, "links": links}) + "\n")
        num_quarantined = write_quarantine(traffic.quarantine, target.folder / "quarantine")
        with target.writing():
            manifest = content_manifest(assignment, traffic, num_quarantined)
            (target.folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
            (target.folder / "report.html").write_text(
                content_page(assignment, manifest["cost"]["lower_bound"]), encoding="utf-8"
            )
        return target.publish()


def content_manifest(assignment: Assignment, traffic: Traffic, num_quarantined: int) -> dict[str, Any]:
    """What was done with what, and what came out."""
    random = assignment.random_cost
    bound = lower_bound(assignment.instance)
    return {
        "topicweave": __version__,
        "method": assignment.method,
        "parameters": dict(assignment.parameters),
        "users": assignment.instance.num_users,
        "brokers": assignment.instance.num_brokers,
        "channels": assignment.instance.num_channels,
        "cuts": {name: list(borders) for name, borders in traffic.channels.edges.items()},
        "duration": traffic.duration,
        "cost": {
            "access": assignment.cost.access,
            "core": assignment.cost.core,
            "total": assignment.cost.total,
            "random": None if random is None else random.total,
            "lower_bound": bound.total,
        },
        "reduction": None if random is None else assignment.reduction,
        "links": assignment.overlay.num_edges,
        "moves": len(assignment.moves),
        "rows": {part.name: counts.to_dict() for part, counts in zip(traffic.parts, traffic.counts, strict=True)},
        "quarantined": num_quarantined,
        "inputs": [
            {"path": file.path, "size": file.size, "sha256": file.sha256()}
            for part in traffic.parts
            for file in part.files
        ],
        "notes": [*assignment.instance.notes, *assignment.notes],
    }
