"""The verifier: is every topic connected? It shares no code with the algorithms that make overlays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from topicweave.metrics.blocks import topic_blocks
from topicweave.parameters import check_kind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.metrics.blocks import TopicBlocks
    from topicweave.metrics.violations import Violation
    from topicweave.model import Interest, Overlay, Requirements

MOST_NAMED = 5  # at most this many disconnected topics are named in a summary


@dataclass(frozen=True)
class Report:
    """What the verifier found.

    Attributes
    ----------
    topic_connected
        True if the subscribers of every topic reach each other through subscribers of that topic alone.
    support
        (TCC(∅) − TCC(E)) / (TCC(∅) − TCC(K)), K being all pairs; 1 if there was nothing to connect.
    components
        TCC(E): the number of connected components of all topics' sub-overlays.
    components_least, components_unlinked
        TCC(K), which is the number of topics with a subscriber, and TCC(∅), the number of subscriptions.
    disconnected_topics
        Labels of the topics with more than one component, sorted.
    violations
        What violates the requirements, if any were given.
    cost
        The sum of the costs of all links; None if the requirements give no costs.
    """

    topic_connected: bool
    support: float
    components: int
    components_least: int
    components_unlinked: int
    disconnected_topics: tuple[str, ...]
    violations: tuple[Violation, ...] = ()
    cost: float | None = None

    @property
    def satisfied(self) -> bool:
        """Whether every topic is connected and no requirement is violated."""
        return self.topic_connected and not self.violations

    def summary(self) -> str:
        """The verdict and the counts as a few lines to print."""
        verdict = "topic-connected" if self.topic_connected else "NOT topic-connected"
        lines = [
            verdict,
            f"  support       {self.support:.4f}",
            f"  components    {self.components:,} (at least {self.components_least:,})",
            f"  disconnected  {len(self.disconnected_topics):,} topics",
        ]
        if self.disconnected_topics:
            named = ", ".join(self.disconnected_topics[:MOST_NAMED])
            more = len(self.disconnected_topics) - MOST_NAMED
            lines.append(f"    {named}" + (f" and {more:,} more" if more > 0 else ""))
        if self.violations:
            lines.append(f"  violations    {len(self.violations):,}")
            lines += [f"    {violation}" for violation in self.violations[:MOST_NAMED]]
        if self.cost is not None:
            lines.append(f"  link costs    {self.cost:,.1f}")
        return "\n".join(lines)


def verify(interest: Interest, overlay: Overlay, requirements: Requirements | None = None) -> Report:
    """Check whether the overlay connects every topic and meets the requirements, and count what is missing.

    Parameters
    ----------
    interest
        The subscriptions.
    overlay
        Links among the same nodes.
    requirements
        Requirements to check as well. Those on nodes that the interest does not have are ignored.

    Examples
    --------
    >>> from topicweave.model import Interest, Overlay
    >>> interest = Interest.from_pairs([("a", "news"), ("b", "news"), ("c", "news")])
    >>> report = verify(interest, Overlay.from_pairs([("a", "b")], labels=interest.nodes))
    >>> report.topic_connected, report.support, report.disconnected_topics
    (False, 0.5, ('news',))
    """
    report = report_of(interest, topic_blocks(interest, overlay))
    if requirements is None:
        return report
    from topicweave.metrics.violations import find_violations, overlay_cost
    from topicweave.model import Requirements

    check_kind(requirements, Requirements, "verify() needs Requirements", "make them with tw.Requirements(...)")
    return replace(
        report,
        violations=find_violations(interest, overlay, requirements),
        cost=overlay_cost(interest, overlay, requirements),
    )


def report_of(interest: Interest, blocks: TopicBlocks) -> Report:
    """Turn the counts of all topics into a report."""
    components = int(blocks.components.sum())
    least = int(np.count_nonzero(blocks.subscribers))
    span = interest.num_subscriptions - least
    return Report(
        topic_connected=components == least,
        support=(interest.num_subscriptions - components) / span if span else 1.0,
        components=components,
        components_least=least,
        components_unlinked=interest.num_subscriptions,
        disconnected_topics=tuple(interest.topics[t] for t in np.flatnonzero(blocks.components > 1).tolist()),
    )


def topic_components(interest: Interest, overlay: Overlay) -> NDArray[np.int64]:
    """The number of connected components of each topic's sub-overlay; 0 for a topic without subscribers."""
    return topic_blocks(interest, overlay).components
