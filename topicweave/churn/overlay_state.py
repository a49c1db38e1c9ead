"""OverlayState: the current nodes, topics, links and backups as arrays that change in place.

Nodes and topics have *slots* (internal numbers); the slot of a node that left is given to the next that joins. Every
decision depends on slots and sets only, never on the order within a set, so that a maintainer loaded from a file goes
on exactly as the saved one would have done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.churn.roles import Roles
from topicweave.kernels.churn.adjacency import Adjacency, empty_adjacency, enlarged, put_all, take_all
from topicweave.kernels.churn.backups import Choice, list_topics, new_choice
from topicweave.kernels.churn.pieces import Search, new_search
from topicweave.kernels.churn.small_problem import clear_bits, set_bits
from topicweave.kernels.labels import label_hashes
from topicweave.model import Interest, Overlay

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

ADJACENCIES = ("subscribers", "neighbours", "backups", "primaries")


class Slots:
    """Assigns numbers to labels; freed numbers are used again, the most recently freed first."""

    def __init__(self) -> None:
        self.number: dict[str, int] = {}
        self.label: list[str | None] = []
        self.free: list[int] = []

    def get(self, label: str) -> int:
        """The number of a label; a label without one gets a new number."""
        found = self.number.get(label)
        if found is None:
            if self.free:
                found = self.free.pop()
                self.label[found] = label
            else:
                found = len(self.label)
                self.label.append(label)
            self.number[label] = found
        return found

    def release(self, number: int) -> None:
        """Free a number."""
        label = self.label[number]
        assert label is not None
        del self.number[label]
        self.label[number] = None
        self.free.append(number)

    def name(self, number: int) -> str:
        """The label that has this number."""
        label = self.label[number]
        assert label is not None
        return label


class OverlayState:
    """The subscriptions, links and backups of all nodes."""

    rows: NDArray[np.uint64]
    marks: NDArray[np.uint64]  # hash of each node's label, by internal node number; hashes break ties
    subscribers: Adjacency
    neighbours: Adjacency
    backups: Adjacency
    primaries: Adjacency
    search: Search
    choice: Choice

    def __init__(self) -> None:
        self.nodes, self.topics = Slots(), Slots()
        self.roles = Roles()
        self.rows = np.zeros((0, 1), dtype=np.uint64)
        self.marks = np.zeros(0, dtype=np.uint64)
        for name in ADJACENCIES:
            setattr(self, name, empty_adjacency(0))  # type: ignore[no-untyped-call]
        self.reserve(64, 64)

    @classmethod
    def from_overlay(cls, interest: Interest, overlay: Overlay) -> OverlayState:
        """Make the state from an interest and an overlay of the same nodes."""
        state = cls()
        state.reserve(interest.num_nodes, interest.num_topics)
        for v, label in enumerate(interest.nodes):
            assert state.nodes.get(label) == v
        state.marks[: interest.num_nodes] = label_hashes(interest.nodes)
        counts = np.bincount(interest.indices, minlength=interest.num_topics)
        slot = np.full(interest.num_topics, -1, dtype=np.int32)
        for t in np.flatnonzero(counts).tolist():
            slot[t] = state.topics.get(interest.topics[t])
        owner = np.repeat(np.arange(interest.num_nodes, dtype=np.int32), np.diff(interest.indptr))
        flat = slot[interest.indices]
        np.bitwise_or.at(state.rows, (owner, flat >> 6), np.uint64(1) << (flat & 63).astype(np.uint64))
        state.put("subscribers", flat, owner)
        state.link(overlay.edges.astype(np.int32))
        state.roles = Roles.from_interest(interest)
        return state

    # ---- capacity -----------------------------------------------------------------------------------------------

    def reserve(self, num_nodes: int, num_topics: int) -> None:
        """Make room for this many nodes and topics."""
        rows, words = self.rows.shape
        if num_nodes <= rows and num_topics <= 64 * words and hasattr(self, "search"):
            return
        more_words = words if num_topics <= 64 * words else max(-(-num_topics // 64), 2 * words)
        grown = (rows if num_nodes <= rows else max(num_nodes, rows + rows // 2), more_words)
        table = np.zeros(grown, dtype=np.uint64)
        table[:rows, :words] = self.rows
        self.rows = table
        self.marks = np.concatenate((self.marks, np.zeros(grown[0] - rows, dtype=np.uint64)))
        for name in ADJACENCIES:
            num_keys = 64 * grown[1] if name == "subscribers" else grown[0]
            setattr(self, name, enlarged(getattr(self, name), num_keys))
        self.search = new_search(grown[0])  # type: ignore[no-untyped-call]
        self.choice = new_choice(grown[0], 64 * grown[1], grown[1])  # type: ignore[no-untyped-call]

    def enlarge(self, name: str) -> None:
        """Enlarge the array that stores one of the adjacency structures, such as the neighbours of all nodes."""
        setattr(self, name, enlarged(getattr(self, name), 0))

    def put(self, name: str, keys: NDArray[np.int32], values: NDArray[np.int32]) -> None:
        """Add values to the sets of these keys in one of the adjacency structures, which grows as needed."""
        done = 0
        while (done := put_all(getattr(self, name), keys, values, done)) < len(keys):
            self.enlarge(name)

    # ---- changes ----------------------------------------------------------------------------------------------

    def add_node(self, label: str) -> int:
        """Add a node that has no topics or links yet; return its number."""
        v = self.nodes.get(label)
        self.reserve(v + 1, 1)
        self.marks[v] = label_hashes([label])[0]
        return v

    def remove_node(self, v: int) -> None:
        """Free the number of a node that has no topics, links, backups or primaries any more."""
        self.nodes.release(v)

    def topic_slots(self, labels: Iterable[str]) -> NDArray[np.int32]:
        """The numbers of these topics, in sorted label order; new topics get a number."""
        found = np.array([self.topics.get(label) for label in sorted(labels)], dtype=np.int32)
        self.reserve(1, int(found.max(initial=-1)) + 1)
        return found

    def subscribe(self, v: int, topics: NDArray[np.int32]) -> None:
        """Add topics to a node; it must not have any of them yet."""
        set_bits(self.rows[v], topics)
        self.put("subscribers", topics, np.full(len(topics), v, dtype=np.int32))

    def unsubscribe(self, v: int, topics: NDArray[np.int32]) -> None:
        """Remove topics from a node that has them; :meth:`sweep_topics` then frees the numbers of unused topics."""
        clear_bits(self.rows[v], topics)
        take_all(self.subscribers, topics, np.full(len(topics), v, dtype=np.int32))

    def sweep_topics(self, topics: Iterable[int]) -> None:
        """Free the numbers of those of the given topics that have no subscriber any more."""
        for t in topics:
            if self.subscribers.length[t] == 0 and self.topics.label[t] is not None:
                self.topics.release(t)

    def link(self, pairs: NDArray[np.int32]) -> None:
        """Add links; each must be given only once."""
        self.put("neighbours", pairs.ravel(), pairs[:, ::-1].ravel())

    def unlink(self, pairs: NDArray[np.int32]) -> None:
        """Remove links."""
        take_all(self.neighbours, pairs.ravel(), pairs[:, ::-1].ravel())

    # ---- views ------------------------------------------------------------------------------------------------

    def content(self, name: str, number: int) -> NDArray[np.int32]:
        """The values stored for a key in one of the adjacency structures, in ascending order."""
        adjacency = getattr(self, name)
        first = int(adjacency.start[number])
        return np.sort(adjacency.pool[first : first + int(adjacency.length[number])])

    def links_of(self, v: int) -> NDArray[np.int32]:
        """The links of a node as pairs of node numbers, the smaller number first."""
        near = self.content("neighbours", v)
        return np.stack((np.minimum(near, v), np.maximum(near, v)), axis=1).astype(np.int32)

    def topics_of(self, v: int) -> NDArray[np.int32]:
        """The topics of a node as numbers, in ascending order."""
        order = np.empty(64 * self.rows.shape[1], dtype=np.int32)
        return order[: list_topics(self.rows[v], order)]

    def topic_labels(self, v: int) -> frozenset[str]:
        """The topics of a node as labels."""
        return frozenset(self.topics.name(t) for t in self.topics_of(v).tolist())

    def members(self, topic: str) -> set[str]:
        """The subscribers of a topic as labels."""
        t = self.topics.number.get(topic)
        return set() if t is None else {self.nodes.name(v) for v in self.content("subscribers", t).tolist()}

    def silent(self, topic: str) -> set[str]:
        """The nodes that publish a topic without subscribing to it, as labels."""
        return self.roles.silent(topic)

    def neighbours_of(self, node: str) -> set[str]:
        """The neighbours of a node as labels."""
        return {self.nodes.name(v) for v in self.content("neighbours", self.nodes.number[node]).tolist()}

    @property
    def num_edges(self) -> int:
        return int(self.neighbours.length.sum()) // 2

    @property
    def maximum_degree(self) -> int:
        return int(self.neighbours.length.max())

    def links(self) -> NDArray[np.int32]:
        """All links as pairs of node numbers (u < v), sorted."""
        count = self.neighbours.length.astype(np.int64)
        owner = np.repeat(np.arange(len(count), dtype=np.int32), count)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
        other = self.neighbours.pool[np.repeat(self.neighbours.start, count) + within]
        pairs = np.stack((owner, other), axis=1)[owner < other]
        found: NDArray[np.int32] = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
        return found

    def interest(self) -> Interest:
        """The current nodes and subscriptions; topics without subscribers are left out."""
        nodes, slots = _sorted(self.nodes)
        topics, topic_slots = _sorted(self.topics)
        number = np.full(64 * self.rows.shape[1], -1, dtype=np.int32)
        number[topic_slots] = np.arange(len(topics), dtype=np.int32)
        owner, slot = subscriptions(self.rows[slots])
        indptr = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(nodes)))))
        indices = number[slot]
        return Interest.from_csr(nodes, topics, indptr, indices, self.roles.bits(nodes, topics, indptr, indices))

    def overlay(self) -> Overlay:
        """The current links as an overlay, sorted."""
        nodes, slots = _sorted(self.nodes)
        number = np.full(len(self.rows), -1, dtype=np.int64)
        number[slots] = np.arange(len(nodes))
        pairs = np.sort(number[self.links()], axis=1)
        return Overlay(nodes, pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))].reshape(-1, 2))

    def label_pairs(self, pairs: Iterable[Sequence[int]]) -> tuple[tuple[str, str], ...]:
        """Links as pairs of labels, the smaller label first."""
        found = ((self.nodes.name(u), self.nodes.name(v)) for u, v in pairs)
        return tuple((a, b) if a < b else (b, a) for a, b in found)

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError("The state of an overlay is saved by topicweave.churn.save, not by pickle.")


def _sorted(slots: Slots) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    labels = tuple(sorted(slots.number))
    return labels, np.array([slots.number[label] for label in labels], dtype=np.int64)


def subscriptions(rows: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The subscriptions whose bits are set in a table (a row for each node, a bit for each topic), in order: an array
    with the row of each, and an array with its topic's number.
    """
    octets = rows.astype("<u8").view(np.uint8).reshape(len(rows), 8 * rows.shape[1])
    owner, topic = np.nonzero(np.unpackbits(octets, axis=1, bitorder="little"))
    return owner, topic
