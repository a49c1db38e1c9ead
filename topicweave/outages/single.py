"""The failures of single nodes: what each of them would break."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from topicweave.metrics.matching import matched_edges
from topicweave.parameters import check_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay


class SingleOutage(NamedTuple):
    """What the failure of a node would break.

    Attributes
    ----------
    node
        The node that fails.
    broken
        The number of topics whose other subscribers fall into pieces.
    cut_off
        The number of their subscriptions outside the largest piece of each, summed over these topics.
    """

    node: str
    broken: int
    cut_off: int


@dataclass(frozen=True, eq=False)
class SingleOutages:
    """What the failure of each node, alone, would break; made by :func:`single_outages`.

    Attributes
    ----------
    nodes, topics
        Labels, in the order of the arrays.
    broken, cut_off
        For each node, the numbers that :class:`SingleOutage` has.
    breakers
        For each topic, how many nodes there are whose failure alone breaks it.
    """

    nodes: Sequence[str] = field(repr=False)
    topics: Sequence[str] = field(repr=False)
    broken: NDArray[np.int64] = field(repr=False)
    cut_off: NDArray[np.int64] = field(repr=False)
    breakers: NDArray[np.int64] = field(repr=False)

    @property
    def num_harmful(self) -> int:
        """The number of nodes whose failure breaks a topic."""
        return int(np.count_nonzero(self.broken))

    @property
    def num_fragile_topics(self) -> int:
        """The number of topics that the failure of a single node breaks."""
        return int(np.count_nonzero(self.breakers))

    def worst(self, count: int = 20) -> list[SingleOutage]:
        """The worst failures first: those that cut off the most subscriptions, then those that break the most topics.

        Failures that break nothing are left out.
        """
        check_whole("count", count, 0)
        harmful = np.flatnonzero(self.broken)
        order = harmful[np.lexsort((harmful, -self.broken[harmful], -self.cut_off[harmful]))][:count]
        return [SingleOutage(self.nodes[v], int(self.broken[v]), int(self.cut_off[v])) for v in order.tolist()]

    def figures(self) -> dict[str, int]:
        """The numbers that manifests and summaries show."""
        (worst,) = self.worst(1) or [SingleOutage("", 0, 0)]
        return {
            "harmful_nodes": self.num_harmful,
            "fragile_topics": self.num_fragile_topics,
            "most_cut_off": worst.cut_off,
        }


def single_outages(interest: Interest, overlay: Overlay) -> SingleOutages:
    """Find out for every node what its failure alone would break.

    One search of each topic is enough for all its members, so that the time is proportional to the subscriptions and
    to the links of all topics together, not to the number of nodes times that.

    Parameters
    ----------
    interest
        The subscriptions; members that only publish count like subscribers.
    overlay
        Links among the same nodes. If a topic is not connected, only what a failure breaks in addition counts.

    Examples
    --------
    >>> from topicweave import Interest, Overlay
    >>> interest = Interest.from_pairs([(node, "news") for node in "abcd"])
    >>> found = single_outages(interest, Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d")]))
    >>> found.worst()
    [SingleOutage(node='b', broken=1, cut_off=1), SingleOutage(node='c', broken=1, cut_off=1)]
    """
    from topicweave.kernels.outages import single_outages as search
    from topicweave.kernels.topic_links import members_of, topic_links

    edges = matched_edges(interest, overlay)
    start, one, other, _ = topic_links(interest.indptr, interest.indices, interest.num_topics, edges)
    member_start, members, _ = members_of(interest.indptr, interest.indices, interest.receives, interest.num_topics)
    pieces, cut_off = search(start, one, other, member_start)
    broken = np.flatnonzero(pieces)
    topic_of = np.searchsorted(member_start, broken, side="right") - 1
    return SingleOutages(
        interest.nodes,
        interest.topics,
        np.bincount(members[broken], minlength=interest.num_nodes).astype(np.int64),
        np.bincount(members[broken], weights=cut_off[broken], minlength=interest.num_nodes).astype(np.int64),
        np.bincount(topic_of, minlength=interest.num_topics).astype(np.int64),
    )
