"""All measurements of an overlay in one record; also those that have no file of their own: degrees and redundancy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import OverlayError
from topicweave.metrics.blocks import topic_blocks
from topicweave.metrics.distances import topic_distances
from topicweave.metrics.filtering import filtering_cost
from topicweave.metrics.verifier import report_of
from topicweave.model import Overlay
from topicweave.parameters import check_kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.metrics.blocks import TopicBlocks
    from topicweave.model import Interest


@dataclass(frozen=True)
class Measures:
    """The measurements by which overlays are compared; ``dataclasses.asdict`` turns them into a table row.

    Attributes
    ----------
    num_nodes, num_topics, num_subscriptions, num_edges
        Sizes.
    average_degree, maximum_degree
        Links per node.
    topic_connected, support, components, num_disconnected_topics
        As in :class:`Report`.
    maximum_topic_diameter
        The largest diameter of any topic's sub-overlay; infinite unless topic-connected.
    mean_topic_diameter, mean_topic_hops
        Means over the connected topics with at least two subscribers; 0 if there are none.
    mean_redundancy
        Mean of :func:`redundancy` over the topics with subscribers.
    filtering_cost
        Sum over all topics; infinite if the overlay does not connect the subscribers of some topic.
    """

    num_nodes: int
    num_topics: int
    num_subscriptions: int
    num_edges: int
    average_degree: float
    maximum_degree: int
    topic_connected: bool
    support: float
    components: int
    num_disconnected_topics: int
    maximum_topic_diameter: float
    mean_topic_diameter: float
    mean_topic_hops: float
    mean_redundancy: float
    filtering_cost: float

    def summary(self) -> str:
        """A table to print."""
        rows = [
            ("nodes", f"{self.num_nodes:,}"),
            ("topics", f"{self.num_topics:,}"),
            ("subscriptions", f"{self.num_subscriptions:,}"),
            ("links", f"{self.num_edges:,}"),
            ("average degree", f"{self.average_degree:.2f}"),
            ("maximum degree", f"{self.maximum_degree:,}"),
            ("support", f"{self.support:.4f}" + (" (topic-connected)" if self.topic_connected else "")),
            ("components", f"{self.components:,}"),
            ("disconnected topics", f"{self.num_disconnected_topics:,}"),
            ("maximum topic diameter", f"{self.maximum_topic_diameter:g}"),
            ("mean topic diameter", f"{self.mean_topic_diameter:.2f}"),
            ("mean topic hops", f"{self.mean_topic_hops:.2f}"),
            ("mean redundancy", f"{self.mean_redundancy:.3f}"),
            ("filtering cost", f"{self.filtering_cost:g}"),
        ]
        return "\n".join(f"{name:<24}{value}" for name, value in rows)


def measure(interest: Interest, overlay: Overlay, *, sample: int | None = None, seed: int = 0) -> Measures:
    """Measure an overlay in every respect.

    Parameters
    ----------
    interest, overlay
        The subscriptions, and the links among the same nodes.
    sample
        Measure distances from at most this many random subscribers of each topic, which saves time for topics with many
        thousands. Diameters are then lower bounds and mean hops estimates.
    seed
        Seed of the random numbers for ``sample``.
    """
    blocks = topic_blocks(interest, overlay)
    report = report_of(interest, blocks)
    distances = topic_distances(interest, overlay, sample=sample, seed=seed)
    joined = (blocks.subscribers > 1) & (blocks.components == 1)
    return Measures(
        num_nodes=interest.num_nodes,
        num_topics=interest.num_topics,
        num_subscriptions=interest.num_subscriptions,
        num_edges=overlay.num_edges,
        average_degree=overlay.average_degree,
        maximum_degree=overlay.maximum_degree,
        topic_connected=report.topic_connected,
        support=report.support,
        components=report.components,
        num_disconnected_topics=len(report.disconnected_topics),
        maximum_topic_diameter=float(distances.diameter.max(initial=0)),
        mean_topic_diameter=float(distances.diameter[joined].mean()) if joined.any() else 0.0,
        mean_topic_hops=float(distances.mean_hops[joined].mean()) if joined.any() else 0.0,
        mean_redundancy=float(_redundancy_of(blocks)[blocks.subscribers > 0].mean()) if report.components else 0.0,
        filtering_cost=float(filtering_cost(interest, overlay).sum()),
    )


def degree_distribution(overlay: Overlay) -> dict[int, int]:
    """The number of nodes of each degree, by ascending degree; degrees that no node has are left out."""
    check_kind(overlay, Overlay, "An Overlay is needed", "a design has one as .overlay", OverlayError)
    counts = np.bincount(overlay.degrees)
    return {int(degree): int(counts[degree]) for degree in np.flatnonzero(counts)}


def redundancy(interest: Interest, overlay: Overlay) -> NDArray[np.float64]:
    """Spare links per subscriber, for each topic: the links of its sub-overlay beyond those of a spanning forest; 0
    without subscribers.
    """
    return _redundancy_of(topic_blocks(interest, overlay))


def _redundancy_of(blocks: TopicBlocks) -> NDArray[np.float64]:
    forest = blocks.subscribers - blocks.components
    return np.asarray((blocks.edges - forest) / np.maximum(blocks.subscribers, 1))
