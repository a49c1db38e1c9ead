"""What an overlay saves: its links beside those of a ring for every topic and of a full mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicweave.model import Interest, Overlay


@dataclass(frozen=True)
class Comparison:
    """How many links another way of building the overlay needs."""

    name: str
    links: int
    average_degree: float
    maximum_degree: int


def comparisons(interest: Interest, overlay: Overlay) -> tuple[Comparison, ...]:
    """This overlay, a ring for every topic, and every node linked to every other."""
    from topicweave.algorithms.per_topic import ring
    from topicweave.model import Overlay as Links

    n = interest.num_nodes
    rings = Links(interest.nodes, ring(interest))
    return (
        Comparison("this plan", overlay.num_edges, overlay.average_degree, overlay.maximum_degree),
        Comparison("a ring for every topic", rings.num_edges, rings.average_degree, rings.maximum_degree),
        Comparison("full mesh", n * (n - 1) // 2, float(max(n - 1, 0)), max(n - 1, 0)),
    )
