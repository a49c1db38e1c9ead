"""The job that asks what would break if nodes of a plan failed, and how the overlay would be repaired. It does not need
Spark.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from topicweave.errors import InputError, OverlayError
from topicweave.parameters import did_you_mean
from topicweave.pipeline.plan.reader import read_plan
from topicweave.pipeline.plan.requirements import read_requirements
from topicweave.pipeline.spark.progress import Stages
from topicweave.wording import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from topicweave.churn import Change
    from topicweave.model import Interest, Overlay, Requirements
    from topicweave.outages import Outage, SingleOutages
    from topicweave.pipeline.spark.progress import Observer

    Place = str | os.PathLike[str]

WORST = 20


@dataclass(frozen=True)
class WhatIf:
    """What :func:`whatif` found.

    Attributes
    ----------
    outage
        What the failure breaks; None if no node or region was named.
    repair
        The links that a maintainer would add and remove; None if no node or region was named, if the repair was not
        asked for, or if there is none.
    no_repair
        Why there is no repair, if it was asked for.
    single
        What the failure of each single node breaks; None if nodes or regions were named.
    by_region
        What the failure of each region breaks, the worst first; empty if nodes or regions were named, or there are no
        regions.
    """

    outage: Outage | None = None
    repair: Change | None = None
    no_repair: str | None = None
    single: SingleOutages | None = field(default=None, repr=False)
    by_region: tuple[tuple[str, Outage], ...] = field(default=(), repr=False)

    def to_dict(self, worst: int = WORST) -> dict[str, Any]:
        """The findings as a dictionary that JSON can represent, with this many of the worst single failures."""
        found: dict[str, Any] = {}
        if self.outage is not None:
            found["outage"] = self.outage.to_dict()
            found["repair"] = None if self.repair is None else _links(self.repair)
            found["no_repair"] = self.no_repair
        if self.single is not None:
            found["single"] = self.single.figures()
            found["worst"] = [each._asdict() for each in self.single.worst(worst)]
            found["regions"] = [
                {"region": name, "nodes": len(each.nodes), "broken": len(each.broken), "cut_off": each.cut_off}
                for name, each in self.by_region
            ]
        return found


def whatif(
    plan: Place,
    *,
    fail: Iterable[str] = (),
    fail_regions: Iterable[str] = (),
    regions: Place | Mapping[str, str] | None = None,
    repair: bool = True,
    progress: Observer | None = None,
) -> WhatIf:
    """Find out what would break if these nodes failed together, before and after a repair; if no nodes are given, rank
    all single failures.

    Parameters
    ----------
    plan
        A plan folder.
    fail
        Nodes that fail.
    fail_regions
        Regions of which all nodes fail.
    regions
        The region of each node: a mapping, or a CSV file with the columns ``node`` and ``region``, which may be an
        inventory.
    repair
        Whether to work out the repair as well: the links that :class:`topicweave.churn.Shadow` would add and remove, or
        :class:`topicweave.churn.Strict` for a plan with requirements. That takes longer than everything else.
    progress
        Who is told what is going on.

    Raises
    ------
    ReadError
        It is not a plan folder, or a file is missing or damaged.
    InputError
        There is no such node or region, or regions fail but were not given.
    """
    from topicweave.outages import outage, region_outages, single_outages

    stages = Stages(progress)
    names = _listed(fail, "node"), _listed(fail_regions, "region")
    known = _regions(regions)
    with stages.stage("read plan"):
        stored = read_plan(plan)
        failing = [*names[0], *_nodes_of(names[1], stored.interest, known)]
        stages.say(f"{counted(stored.interest.num_nodes, 'node')}, {counted(stored.overlay.num_edges, 'link')}")
    if not failing:
        with stages.stage("single failures"):
            single = single_outages(stored.interest, stored.overlay)
            by_region = region_outages(stored.interest, stored.overlay, known) if known else []
            stages.say(f"{counted(single.num_harmful, 'node')} of {stored.interest.num_nodes:,} would break a topic")
        return WhatIf(single=single, by_region=tuple(by_region))
    with stages.stage("outage"):
        found = outage(stored.interest, stored.overlay, failing)
        stages.say(f"{counted(len(found.broken), 'topic')} would break")
    if not repair:
        return WhatIf(found)
    with stages.stage("repair"):
        try:
            change = _repair(stored.interest, stored.overlay, found, read_requirements(stored.folder))
        except OverlayError as error:
            return WhatIf(found, no_repair=str(error))
        stages.say(f"{counted(len(change.added), 'link')} to add")
    return WhatIf(found, change)


def _repair(interest: Interest, overlay: Overlay, found: Outage, requirements: Requirements | None) -> Change:
    from topicweave.churn import Change, Event, Shadow, Strict

    leaves = (Event("leave", node) for node in found.nodes)
    if requirements is not None:
        return Strict(interest, overlay, requirements=requirements).apply(leaves)
    if not found.broken:  # nothing needs repair, and a maintainer would waste time choosing backups for every node
        gone = set(found.nodes)
        ends = (tuple(sorted(pair)) for pair in overlay.pairs() if gone.intersection(pair))
        return Change(removed=tuple(sorted((one, other) for one, other in ends)))
    return Shadow(interest, overlay).apply(leaves)


def _regions(given: Place | Mapping[str, str] | None) -> Mapping[str, str]:
    from collections.abc import Mapping

    from topicweave.outages import read_regions

    if given is None or isinstance(given, Mapping):
        return given or {}
    return read_regions(given)


def _nodes_of(names: list[str], interest: Interest, known: Mapping[str, str]) -> list[str]:
    from topicweave.outages.joint import nodes_by_region

    if not names:
        return []
    if not known:
        raise InputError(
            "Regions fail only if it is known which nodes they have; give {parameter}.", parameter="regions"
        )
    by_region = nodes_by_region(interest, known)
    for name in names:
        if name not in by_region:
            raise InputError(f"No node of the plan is in region {name!r}; {did_you_mean(name, sorted(by_region))}")
    return [node for name in names for node in by_region[name]]


def _listed(given: Iterable[str], what: str) -> list[str]:
    from topicweave.model.labels import listed

    return list(listed(given, what))


def _links(change: Change) -> dict[str, Any]:
    return {"added": change.added, "removed": change.removed, "violations": [str(each) for each in change.violations]}
