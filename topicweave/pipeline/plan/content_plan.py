"""The folder of a content plan: who sits where, the links, the routing, and a page about it."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave._version import __version__
from topicweave.content import lower_bound
from topicweave.pipeline.plan.target import MANIFEST, Target
from topicweave.pipeline.quality.quarantine import write_quarantine
from topicweave.reports.charts import BLUE, GREY, ORANGE, chart

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from topicweave.content import Assignment
    from topicweave.pipeline.sources.traffic import Traffic

_MOST_ON_MAP = 40  # brokers, and groups of users by nearest broker
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2933}"
    "section{margin:2rem 0}table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right;border-bottom:"
    "1px solid #e4e7eb}td:first-child,th:first-child{text-align:left}svg{width:100%;height:auto}"
)


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
            (target.folder / "report.html").write_text(content_page(assignment, manifest), encoding="utf-8")
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


def content_page(assignment: Assignment, manifest: dict[str, Any]) -> str:
    """One self-contained page."""
    title = f"{manifest['users']:,} users at {manifest['brokers']:,} brokers by {assignment.method}"
    sections = [
        ("Cost against random", _cost_rows(manifest) + _cost_chart(assignment)),
        ("Load of each broker, against its capacity", _load_chart(assignment)),
        ("Who sits where", _map(assignment)),
        ("What the migration steps saved", _steps(assignment)),
    ]
    notes = "".join(f"<p>{escape(note)}</p>" for note in manifest["notes"])
    body = "".join(f"<section><h2>{heading}</h2>{content}</section>" for heading, content in sections)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>{notes}{body}</body></html>\n"
    )


def _cost_rows(manifest: dict[str, Any]) -> str:
    cost = manifest["cost"]
    rows = [("access", cost["access"]), ("core", cost["core"]), ("total", cost["total"])]
    rows += [("a random assignment", cost["random"]), ("no assignment is below", cost["lower_bound"])]
    cells = "".join(f"<tr><td>{name}</td><td>{_shown(value)}</td></tr>" for name, value in rows if value is not None)
    ratio = manifest["reduction"]
    said = "" if ratio is None else f"<p>The random assignment costs {ratio:.2f} times as much.</p>"
    return f"{said}<table>{cells}</table>"


def _shown(value: float) -> str:
    """A cost in full where it is large, with four digits where it is not."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _cost_chart(assignment: Assignment) -> str:
    shown = [(assignment.method, assignment.cost)]
    if assignment.random_cost is not None:
        shown.append(("random", assignment.random_cost))

    def paint(axes: Any) -> None:
        names = [name for name, _ in shown]
        access = [cost.access for _, cost in shown]
        axes.barh(names, access, color=BLUE, label="access")
        axes.barh(names, [cost.core for _, cost in shown], left=access, color=ORANGE, label="core")
        axes.legend()
        axes.set_xlabel("cost")

    return chart(paint, height=2.0)


def _load_chart(assignment: Assignment) -> str:
    order = np.argsort(-assignment.cost.load, kind="stable")
    capacity = assignment.instance.capacity[order]

    def paint(axes: Any) -> None:
        position = np.arange(len(order))
        if np.isfinite(capacity).all():
            axes.bar(position, capacity, color=GREY, alpha=0.4, label="capacity")
        axes.bar(position, assignment.cost.load[order], color=BLUE, label="load")
        if len(order) <= _MOST_ON_MAP:
            axes.set_xticks(position, [assignment.instance.brokers[j] for j in order], rotation=90)
        axes.legend()

    return chart(paint)


def _map(assignment: Assignment) -> str:
    """Which broker serves the users that are nearest to which: rows are nearest brokers, columns serving ones."""
    instance = assignment.instance
    busiest = np.argsort(-assignment.cost.load, kind="stable")[:_MOST_ON_MAP]
    counts = np.zeros((instance.num_brokers, instance.num_brokers), dtype=np.int64)
    np.add.at(counts, (instance.access_price.argmin(axis=1), assignment.broker), 1)
    at_home = int(np.trace(counts))

    def paint(axes: Any) -> None:
        axes.imshow(counts[np.ix_(busiest, busiest)], cmap="Blues", aspect="auto")
        names = [instance.brokers[j] for j in busiest]
        axes.set_xticks(range(len(names)), names, rotation=90)
        axes.set_yticks(range(len(names)), names)
        axes.set_xlabel("served by")
        axes.set_ylabel("nearest to")
        axes.grid(False)

    return f"<p>{at_home:,} of {instance.num_users:,} users sit at the broker that is cheapest for them.</p>" + chart(
        paint, height=5.0
    )


def _steps(assignment: Assignment) -> str:
    moves = assignment.moves
    if not len(moves):
        return "<p>No user was moved after the first assignment.</p>"

    def paint(axes: Any) -> None:
        left = assignment.cost.total + moves.saved.sum() - np.concatenate(([0.0], np.cumsum(moves.saved)))
        axes.plot(left, color=BLUE)
        axes.set_xlabel("steps")
        axes.set_ylabel("cost")

    largest = np.argsort(-moves.saved, kind="stable")[:10]
    names = assignment.instance.brokers
    rows = "".join(
        f"<tr><td>{escape(assignment.instance.users[moves.user[m]])}</td><td>{escape(names[moves.origin[m]])}</td>"
        f"<td>{escape(names[moves.target[m]])}</td><td>{_shown(float(moves.saved[m]))}</td></tr>"
        for m in largest
    )
    head = "<tr><th>user</th><th>from</th><th>to</th><th>saved</th></tr>"
    return chart(paint) + f"<p>The ten that saved most, of {len(moves):,}:</p><table>{head}{rows}</table>"
