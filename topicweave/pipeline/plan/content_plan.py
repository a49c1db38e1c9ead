"""ContentPlan: an assignment of users to brokers, and the folder it is written to."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.columns import BROKER
from topicweave.errors import VerificationError
from topicweave.pipeline.plan.plan import pairs_table, write_pairs
from topicweave.pipeline.plan.target import ASSIGNMENT, EDGES, MOVES, NETWORK, QUARANTINE, REPORT, ROUTING
from topicweave.pipeline.quality.quarantine import write_quarantine
from topicweave.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from topicweave.content import Assignment, Transition
    from topicweave.pipeline.sources.traffic import Traffic


@dataclass(frozen=True)
class ContentPlan:
    """The result of :func:`topicweave.pipeline.assign`.

    Attributes
    ----------
    assignment
        The broker of every user, its cost, and the instance it was found for.
    traffic
        The rates and subscriptions computed from the logs.
    manifest
        Inputs, counts, parameters, versions and times.
    folder
        Where it was written; ``None`` if it was not written.
    transition
        Which users move, in which order; ``None`` if the current placement was not given.
    """

    assignment: Assignment
    traffic: Traffic = field(repr=False)
    manifest: Mapping[str, Any] = field(repr=False)
    folder: Path | None = None
    transition: Transition | None = field(default=None, repr=False)

    def summary(self) -> str:
        """A few lines to print."""
        read = sum(counts.read for counts in self.traffic.counts)
        lines = [self.assignment.summary(), f"  rows            {read:,} read, {self.traffic.num_bad:,} in quarantine"]
        if self.transition is not None:
            made = self.transition
            lines.append(f"  to move         {len(made.moves):,} users, which saves {made.moves.saved.sum():,.6g}")
            lines += [f"  note: {note}" for note in made.notes]
        if self.folder is not None:
            lines.append(f"  written to      {self.folder}")
        return "\n".join(lines)


def write_content_tables(
    assignment: Assignment, traffic: Traffic, folder: Path, transition: Transition | None = None
) -> None:
    """Write the tables of a content plan: assignment, links, routing trees, moves, the users' subscriptions, and the
    quarantine.
    """
    import pyarrow.parquet as pq

    pq.write_table(_assignment_table(assignment), folder / ASSIGNMENT)
    pq.write_table(_links_table(assignment), folder / EDGES)
    with (folder / ROUTING).open("w", encoding="utf-8") as file:
        for broker, channel, links in assignment.routing.trees():
            file.write(json.dumps({"broker": broker, "channel": channel, "links": links}) + "\n")
    if transition is not None:
        pq.write_table(_moves_table(transition), folder / MOVES)
    users, channels = np.nonzero(traffic.subscribe)
    write_pairs(pairs_table(users, traffic.users, channels, traffic.channels.labels), folder)
    _write_quarantine(traffic, folder)


def write_network(assignment: Assignment, traffic: Traffic, lower_bound: float, folder: Path) -> None:
    """Write what the plan's brokers need to know when they run."""
    from topicweave.content.processes.network_plan import NetworkPlan
    from topicweave.content.protocol.traffic import BYTES, PUBLICATIONS

    unit = BYTES if traffic.has_sizes else PUBLICATIONS
    NetworkPlan.of(assignment, traffic.channels, lower_bound=lower_bound, unit=unit).write(folder / NETWORK)


def write_content_report(
    assignment: Assignment, lower_bound: float, folder: Path, transition: Transition | None = None
) -> None:
    """Write the report page of a content plan."""
    from topicweave.reports.content_page import content_page

    (folder / REPORT).write_text(content_page(assignment, lower_bound, transition), encoding="utf-8")


def content_sections(
    assignment: Assignment, traffic: Traffic, lower_bound: float, transition: Transition | None = None
) -> dict[str, Any]:
    """The sections of the manifest that only content plans have."""
    random = assignment.random_cost
    moving = None
    if transition is not None:
        moving = {
            "moves": len(transition.moves),
            "arrivals": len(transition.arrivals),
            "overloading": transition.num_overloading,
            "cost_before": transition.cost_before,
            "saved": float(transition.moves.saved.sum()),
        }
    return {
        "method": assignment.method,
        "core": assignment.core,
        "cuts": {name: list(borders) for name, borders in traffic.channels.edges.items()},
        "duration": traffic.duration,
        "cost": {
            "access": assignment.cost.access,
            "core": assignment.cost.core,
            "core_least": assignment.cost.core_least,
            "total": assignment.cost.total,
            "random": None if random is None else random.total,
            "lower_bound": lower_bound,
        },
        "reduction": None if random is None else assignment.reduction,
        "transition": moving,
        "notes": [*assignment.instance.notes, *assignment.notes, *(() if transition is None else transition.notes)],
    }


def _assignment_table(assignment: Assignment) -> pa.Table:
    import pyarrow as pa

    instance = assignment.instance
    return pa.table(
        {
            "user": pa.array(instance.users),
            BROKER: pa.array(instance.brokers).take(pa.array(assignment.broker)),
            "traffic": instance.need,
            "access_price": instance.access_price[np.arange(instance.num_users), assignment.broker],
        }
    )


def _links_table(assignment: Assignment) -> pa.Table:
    """The links between brokers with their traffic, the busiest first."""
    import pyarrow as pa

    ends = assignment.overlay.edges
    carried = assignment.cost.link_traffic[ends[:, 0], ends[:, 1]]
    return assignment.overlay.to_arrow().append_column("traffic", pa.array(carried))


def _moves_table(transition: Transition) -> pa.Table:
    """The moves of users in order; for a user who had no broker before, old broker and saving are empty."""
    import pyarrow as pa

    columns = list(zip(*transition.rows(), strict=True)) or [()] * 5
    kinds = {"step": pa.int64(), "user": pa.string(), "from": pa.string(), "to": pa.string(), "saved": pa.float64()}
    return pa.table({name: pa.array(values, kind) for (name, kind), values in zip(kinds.items(), columns, strict=True)})


def _write_quarantine(traffic: Traffic, folder: Path) -> None:
    (folder / QUARANTINE).mkdir()
    if not traffic.num_bad:
        return
    written = write_quarantine(traffic.quarantine, folder / QUARANTINE)
    if written != traffic.num_bad:
        raise VerificationError(
            f"{counted(traffic.num_bad, 'bad row')} were counted, but {written:,} are in the quarantine: the input "
            f"changed while it was read; rerun on a stable copy."
        )
