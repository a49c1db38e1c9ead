"""Roles: which nodes publish a topic, and which subscribe to it.

A publisher is a member of its topic, whether or not it subscribes as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicweave.model.interest_checks import PUBLISHES, SUBSCRIBES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from topicweave.model import Interest

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Membership:
    """The topics that a node subscribes to, and the topics that it publishes."""

    subscribed: frozenset[str] = NOTHING
    published: frozenset[str] = NOTHING

    @property
    def topics(self) -> frozenset[str]:
        """All topics that the node publishes or subscribes to."""
        return self.subscribed | self.published if self.published else self.subscribed

    @property
    def silent(self) -> frozenset[str]:
        """The topics that the node publishes without subscribing to them."""
        return self.published - self.subscribed


class Roles:
    """Which nodes publish which topics; nothing is stored about nodes that only subscribe."""

    def __init__(self) -> None:
        self._published: dict[str, frozenset[str]] = {}
        self._silent: dict[str, frozenset[str]] = {}
        self._silent_in: dict[str, set[str]] = {}  # by topic

    @classmethod
    def from_interest(cls, interest: Interest) -> Roles:
        """Read the publishers of an interest."""
        made = cls()
        if interest.roles is None:
            return made
        owner = np.repeat(np.arange(interest.num_nodes), np.diff(interest.indptr))
        for v in np.unique(owner[(interest.roles & PUBLISHES) != 0]).tolist():
            part = slice(int(interest.indptr[v]), int(interest.indptr[v + 1]))
            topics, bits = interest.indices[part], interest.roles[part]
            having = (
                frozenset(interest.topics[t] for t in topics[(bits & bit) != 0].tolist())
                for bit in (SUBSCRIBES, PUBLISHES)
            )
            made.put(interest.nodes[v], Membership(*having))
        return made

    def membership(self, node: str, topics: frozenset[str]) -> Membership:
        """The roles of a node in its topics."""
        published = self._published.get(node)
        if published is None:
            return Membership(topics)
        return Membership(topics - self._silent.get(node, NOTHING), published)

    def put(self, node: str, membership: Membership | None) -> None:
        """Set what a node subscribes to and publishes; None if it has left."""
        for topic in self._silent.pop(node, NOTHING):
            self._silent_in[topic].discard(node)
            if not self._silent_in[topic]:
                del self._silent_in[topic]
        self._published.pop(node, None)
        if membership is None or not membership.published:
            return
        self._published[node] = membership.published
        if membership.silent:
            self._silent[node] = membership.silent
            for topic in membership.silent:
                self._silent_in.setdefault(topic, set()).add(node)

    def silent(self, topic: str) -> set[str]:
        """The nodes that publish a topic without subscribing to it."""
        return self._silent_in.get(topic, set())

    def bits(
        self, nodes: Sequence[str], topics: Sequence[str], indptr: NDArray[np.int64], indices: NDArray[np.int32]
    ) -> NDArray[np.uint8] | None:
        """The roles as bits, one entry per (node, topic) of the CSR arrays of an interest; None if there are no
        publishers.
        """
        if not self._published:
            return None
        found = np.full(len(indices), SUBSCRIBES, dtype=np.uint8)
        for v, node in enumerate(nodes):
            if node in self._published:
                published, silent = self._published[node], self._silent.get(node, NOTHING)
                for place in range(int(indptr[v]), int(indptr[v + 1])):
                    topic = topics[indices[place]]
                    found[place] = SUBSCRIBES * (topic not in silent) | PUBLISHES * (topic in published)
        return found

    def to_notes(self) -> dict[str, list[list[str]]]:
        """The roles in the form stored in a snapshot: what each publisher publishes, and what of that it does not
        subscribe to.
        """
        return {
            node: [sorted(published), sorted(self._silent.get(node, NOTHING))]
            for node, published in sorted(self._published.items())
        }

    @classmethod
    def from_notes(cls, notes: Mapping[str, list[list[str]]], topics_of: Mapping[str, frozenset[str]]) -> Roles:
        """Read what :meth:`to_notes` returned, for nodes with these topics; raises a ValueError for anything else."""
        made = cls()
        for node, (published, silent) in notes.items():
            has = topics_of.get(node, NOTHING)
            if not published or not set(silent) <= set(published) <= has:
                raise ValueError(f"{node!r} publishes what it does not have")
            made.put(node, Membership(has - frozenset(silent), frozenset(published)))
        return made
