"""Trees: one spanning tree for each topic, immutable, with statistics."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from topicweave.columns import CHILD, DEPTH, PARENT, TOPIC
from topicweave.errors import InputError
from topicweave.model.labels import find_numbers

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay


class TreeArrays(NamedTuple):
    """The trees as arrays, one for each class of topics that share a tree (see :class:`Trees`).

    The last two arrays are by class, the others by member, in the order of ``Interest.subscribers``.

    parent: node, -1 for the root; depth: hops from the root; link: number in the overlay, -1 for the root; degree:
    links of the tree at the member; hops: the most between two members; total_hops: the sum over all pairs of members.
    """

    parent: NDArray[np.int32]
    depth: NDArray[np.int32]
    link: NDArray[np.int32]
    degree: NDArray[np.int32]
    hops: NDArray[np.int32]
    total_hops: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Trees:
    """The result of :func:`topicweave.deploy.trees`.

    Attributes
    ----------
    interest, overlay
        What the trees were made for.
    objective
        What the trees minimise: ``depth``, ``latency`` or ``load``.
    class_of
        The class of each topic. A class has one tree; topics are in the same class if they are MQTT filters that can
        match the same message, otherwise each is a class of its own.
    by_class
        The same interest with one topic per class; ``interest`` itself if no topics share a class.
    arrays
        The trees by number.
    """

    interest: Interest
    overlay: Overlay
    objective: str
    class_of: NDArray[np.int32] = field(repr=False)
    by_class: Interest = field(repr=False)
    arrays: TreeArrays = field(repr=False)

    # ---- one topic ----------------------------------------------------------------------------------------------

    def edges(self, topic: str) -> list[tuple[str, str]]:
        """The links of a topic's tree as label pairs (parent, child), parents before children."""
        rows = self._rows(topic)
        nodes = self.by_class.subscribers[1][rows]
        order = np.argsort(self.arrays.depth[rows], kind="stable")[1:]
        label = self.interest.nodes
        parent = self.arrays.parent[rows]
        return [(label[parent[i]], label[nodes[i]]) for i in order.tolist()]

    def root(self, topic: str) -> str:
        """The root of a topic's tree."""
        rows = self._rows(topic)
        found = np.flatnonzero(self.arrays.parent[rows] < 0)
        return str(self.interest.nodes[self.by_class.subscribers[1][rows][found[0]]])

    def depth(self, topic: str) -> int:
        """The number of hops from the root to the farthest member."""
        return int(self.arrays.depth[self._rows(topic)].max(initial=0))

    def hops(self, topic: str) -> int:
        """The largest number of links that a message on the topic may have to cross."""
        return int(self.arrays.hops[self._class(topic)])

    def path(self, topic: str, source: str, target: str) -> list[str]:
        """The nodes through which a message on the topic passes from one member to another, including both."""
        above = {child: parent for parent, child in self.edges(topic)}
        for node in (source, target):
            if node not in above and node != self.root(topic):
                raise InputError(f"Node {node!r} is not a member of topic {topic!r}; choose two of its members.")
        up, down = ([node] for node in (source, target))
        for way in (up, down):
            while way[-1] in above:
                way.append(above[way[-1]])
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        return up + down[-2::-1]

    def _class(self, topic: str) -> int:
        return int(self.class_of[find_numbers([topic], self.interest.topic_numbers, "topic")[0]])

    def _rows(self, topic: str) -> slice:
        number = self._class(topic)
        starts = self.by_class.subscribers[0]
        return slice(int(starts[number]), int(starts[number + 1]))

    # ---- all topics ---------------------------------------------------------------------------------------------

    @cached_property
    def depths(self) -> NDArray[np.int64]:
        """The depth of each topic's tree."""
        starts = self.by_class.subscribers[0]
        filled = np.flatnonzero(np.diff(starts))
        found = np.zeros(self.by_class.num_topics, dtype=np.int64)
        if len(filled):
            found[filled] = np.maximum.reduceat(self.arrays.depth, starts[filled])
        return found[self.class_of]

    @cached_property
    def mean_hops(self) -> NDArray[np.float64]:
        """For each topic, the mean number of links between two members, over all pairs."""
        members = np.diff(self.by_class.subscribers[0])
        pairs = members * (members - 1) / 2
        mean: NDArray[np.float64] = np.divide(self.arrays.total_hops, pairs, out=np.zeros(len(pairs)), where=pairs > 0)
        by_topic: NDArray[np.float64] = mean[self.class_of]
        return by_topic

    @cached_property
    def relayed(self) -> NDArray[np.int64]:
        """For each node, the number of topics that it passes on from one neighbour to another."""
        inner = self.by_class.subscribers[1][self.arrays.degree >= 2]
        return np.bincount(inner, minlength=self.interest.num_nodes).astype(np.int64)

    @cached_property
    def topics_per_link(self) -> NDArray[np.int64]:
        """For each link of the overlay, the number of trees that use it."""
        used = self.arrays.link[self.arrays.link >= 0]
        return np.bincount(used, minlength=self.overlay.num_edges).astype(np.int64)

    @property
    def unused(self) -> list[tuple[str, str]]:
        """Links of the overlay that no tree uses, as label pairs."""
        label = self.overlay.labels
        return [(label[u], label[v]) for u, v in self.overlay.edges[self.topics_per_link == 0].tolist()]

    @property
    def relays(self) -> list[tuple[str, str]]:
        """Nodes that must pass on messages of a topic which they only publish, as (node, topic).

        A class is named by its first topic. Messages to which nobody subscribes are not passed on.
        """
        starts, nodes = self.by_class.subscribers
        is_receiver = receiving(self.by_class)
        rows = np.flatnonzero((self.arrays.degree >= 2) & ~is_receiver)
        topic = np.searchsorted(starts, rows, side="right") - 1
        counts = np.concatenate([[0], np.cumsum(is_receiver)])
        is_wanted = counts[starts[topic + 1]] > counts[starts[topic]]
        rows, topic = rows[is_wanted], topic[is_wanted]
        pairs = zip(nodes[rows].tolist(), topic.tolist(), strict=True)
        return [(self.interest.nodes[v], self.by_class.topics[t]) for v, t in pairs]

    def figures(self) -> dict[str, float | int | str]:
        """A few statistics of the trees, for manifests and reports."""
        shared = np.diff(self.by_class.subscribers[0])[self.class_of] > 1
        return {
            "objective": self.objective,
            "trees": int(np.count_nonzero(np.diff(self.by_class.subscribers[0]) > 1)),
            "links_used": int(np.count_nonzero(self.topics_per_link)),
            "links_unused": int(np.count_nonzero(self.topics_per_link == 0)),
            "largest_depth": int(self.depths.max(initial=0)),
            "mean_depth": float(self.depths[shared].mean()) if shared.any() else 0.0,
            "most_hops": int(self.arrays.hops.max(initial=0)),
            "mean_hops": float(self.mean_hops[shared].mean()) if shared.any() else 0.0,
            "most_topics_relayed_by_a_node": int(self.relayed.max(initial=0)),
            "most_topics_on_a_link": int(self.topics_per_link.max(initial=0)),
            "publishers_that_relay": len(self.relays),
        }

    def to_arrow(self) -> pa.Table:
        """A table with a row for each link of each tree: ``topic``, ``parent``, ``child``, ``depth``; a class is listed
        under its first topic.

        Topics that share a tree with others are listed by :attr:`class_of`; a reader finds them again from their names.
        """
        import pyarrow as pa

        starts, nodes = self.by_class.subscribers
        rows = np.flatnonzero(self.arrays.parent >= 0)
        topic = np.repeat(np.arange(self.by_class.num_topics, dtype=np.int32), np.diff(starts))[rows]
        columns = {
            TOPIC: (topic, self.by_class.topics),
            PARENT: (self.arrays.parent[rows], self.interest.nodes),
            CHILD: (nodes[rows], self.interest.nodes),
        }
        return pa.table(
            {
                **{
                    name: pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), pa.array(labels, pa.string()))
                    for name, (numbers, labels) in columns.items()
                },
                DEPTH: pa.array(self.arrays.depth[rows], pa.int32()),
            }
        )

    def __repr__(self) -> str:
        used = int(np.count_nonzero(self.topics_per_link))
        return f"Trees({self.interest.num_topics} topics over {used} of {self.overlay.num_edges} links)"


def receiving(interest: Interest) -> NDArray[np.bool_]:
    """For each member, in the order of ``Interest.subscribers``, whether it subscribes to the topic."""
    if interest.roles is None:
        return np.ones(interest.num_subscriptions, dtype=bool)
    return interest.receives[np.argsort(interest.indices, kind="stable")]
