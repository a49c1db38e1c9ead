"""The failure of several nodes together, such as all nodes of a region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError
from topicweave.metrics.matching import matched_edges
from topicweave.model.labels import as_label, find_numbers, listed
from topicweave.parameters import check_kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay


@dataclass(frozen=True)
class BrokenTopic:
    """A topic that a failure breaks.

    Attributes
    ----------
    topic
        Its label.
    subscribers
        How many of its subscribers remain.
    pieces
        The number of pieces into which they fall.
    cut_off
        How many of them are outside the largest piece; if the topic was not connected before, outside the largest piece
        of what was connected.
    """

    topic: str
    subscribers: int
    pieces: int
    cut_off: int


@dataclass(frozen=True)
class Outage:
    """The consequences of a failure.

    Attributes
    ----------
    nodes
        The nodes that fail, sorted.
    num_topics
        How many topics they have.
    broken
        The topics that break, in descending order of the subscribers cut off.
    cut_off_nodes
        The remaining nodes that are cut off in one topic or several, sorted.
    """

    nodes: tuple[str, ...]
    num_topics: int
    broken: tuple[BrokenTopic, ...]
    cut_off_nodes: tuple[str, ...]

    @property
    def cut_off(self) -> int:
        """The number of subscriptions cut off, summed over the topics that break."""
        return sum(each.cut_off for each in self.broken)

    def to_dict(self) -> dict[str, Any]:
        """The outage as a dictionary that JSON can represent."""
        return {
            "nodes": self.nodes,
            "topics": self.num_topics,
            "broken": [vars(each) for each in self.broken],
            "cut_off": self.cut_off,
            "cut_off_nodes": self.cut_off_nodes,
        }


def outage(interest: Interest, overlay: Overlay, nodes: Iterable[str]) -> Outage:
    """Find out what breaks if these nodes fail together.

    Parameters
    ----------
    interest
        The subscriptions; members that only publish count like subscribers.
    overlay
        Links among the same nodes.
    nodes
        The nodes that fail.

    Examples
    --------
    >>> from topicweave import Interest, Overlay
    >>> interest = Interest.from_pairs([(node, "news") for node in "abcde"])
    >>> chain = Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    >>> outage(interest, chain, ["b"]).broken
    (BrokenTopic(topic='news', subscribers=4, pieces=2, cut_off=1),)
    """
    return _Searched(interest, overlay).outage(nodes)


def region_outages(interest: Interest, overlay: Overlay, regions: Mapping[str, str]) -> list[tuple[str, Outage]]:
    """The failure of each region as a whole, worst first: those that cut off the most subscriptions.

    Parameters
    ----------
    interest, overlay
        As for :func:`outage`.
    regions
        The region of each node; nodes without one are in none, and nodes that the interest does not have are ignored.
    """
    searched = _Searched(interest, overlay)
    found = [(name, searched.outage(nodes)) for name, nodes in nodes_by_region(interest, regions).items()]
    return sorted(found, key=lambda each: (-each[1].cut_off, -len(each[1].broken), each[0]))


def nodes_by_region(interest: Interest, regions: Mapping[str, str]) -> dict[str, list[str]]:
    """The nodes of each region, both sorted."""
    check_kind(regions, Mapping, "Regions are a mapping of node to region", "read a file with read_regions")
    known = {as_label(node, "node"): as_label(name, "region") for node, name in regions.items()}
    found: dict[str, list[str]] = {name: [] for name in sorted(set(known.values()))}
    for node in interest.nodes:
        if node in known:
            found[known[node]].append(node)
    return {name: nodes for name, nodes in found.items() if nodes}


class _Searched:
    """The links of all topics, found once for several failures."""

    def __init__(self, interest: Interest, overlay: Overlay) -> None:
        from topicweave.kernels.topic_links import members_of, topic_links

        edges = matched_edges(interest, overlay)
        self._interest = interest
        self._links = topic_links(interest.indptr, interest.indices, interest.num_topics, edges)
        self._start, self._members, _ = members_of(
            interest.indptr, interest.indices, interest.receives, interest.num_topics
        )

    def outage(self, nodes: Iterable[str]) -> Outage:
        from topicweave.kernels.outages import joint_outage

        interest = self._interest
        numbers = np.unique(find_numbers(listed(nodes, "node"), interest.node_numbers, "node"))
        if not len(numbers):
            raise InputError("No node fails; name at least one.")
        gone = np.zeros(interest.num_nodes, dtype=np.bool_)
        gone[numbers] = True
        failed, pieces, cut_off, is_cut_off = joint_outage(*self._links[:3], self._start, self._members, gone)
        broken = np.flatnonzero(cut_off)
        broken = broken[np.lexsort((broken, -cut_off[broken]))]
        remaining = np.diff(self._start) - failed
        return Outage(
            tuple(interest.nodes[v] for v in numbers.tolist()),
            int(np.count_nonzero(failed)),
            tuple(
                BrokenTopic(interest.topics[t], int(remaining[t]), int(pieces[t]), int(cut_off[t]))
                for t in broken.tolist()
            ),
            tuple(interest.nodes[v] for v in self._distinct(is_cut_off)),
        )

    def _distinct(self, is_cut_off: NDArray[np.bool_]) -> list[int]:
        found: list[int] = np.unique(self._members[is_cut_off]).tolist()
        return found
