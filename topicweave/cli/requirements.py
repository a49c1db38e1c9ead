"""Options for requirements, shared by the commands that design and verify."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicweave.model import Requirements

NAMES = ("max_hops", "connectivity", "link_cost", "cost_weight", "max_degree", "forbidden", "required", "allowed",
         "regions")  # fmt: skip

REQUIREMENT_OPTIONS = (
    click.option("--max-hops", type=click.IntRange(min=2), metavar="H",
                 help="Required: any two subscribers of a topic are at most H links apart inside the topic."),
    click.option("--connectivity", type=click.IntRange(1, 3), metavar="K",
                 help="Required: every topic stays connected when any K - 1 nodes fail (2 or 3)."),
    click.option("--max-degree", metavar="N|CSV",
                 help="Required: at most N links for every node; or a table of node, max_degree."),
    click.option("--link-cost", metavar="CSV",
                 help="What links cost: a square table of nodes or regions; or source, target, cost; or node, x, y."),
    click.option("--cost-weight", type=click.FloatRange(0, 1), metavar="W",
                 help="How much costs count against the number of links, from 0 to 1 (the default)."),
    click.option("--forbidden", metavar="CSV",
                 help="Pairs of nodes or regions that must not be linked: source, target."),
    click.option("--required", metavar="CSV", help="Pairs that must be linked: source, target."),
    click.option("--allowed", metavar="CSV",
                 help="The only pairs of nodes or regions that may be linked: source, target."),
    click.option("--regions", metavar="CSV", help="The region of each node: node, region."),
)  # fmt: skip


def requirements_of(given: Mapping[str, Any]) -> Requirements | None:
    """The requirements that the options describe; None if there are none."""
    options = {name: given[name] for name in NAMES}
    if all(value is None for value in options.values()):
        return None
    from topicweave.pipeline.plan.requirement_tables import requirements_from

    return requirements_from(**options)


def whole_number(text: str) -> int | str:
    """The limit as a number if the text is one; otherwise unchanged, because whoever uses it reports bad values."""
    return int(text) if text.isascii() and text.isdigit() else text
