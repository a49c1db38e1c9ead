"""New links after a leave that appear only in configuration files which have to change anyway.

If dissemination trees are followed, the files of those brokers change that name a link to the node which leaves. A new
link that is named in one of these files costs nothing more, whereas a tree that is led over another existing link, or
over a new one named elsewhere, changes a further file. So the pieces of the trees are joined by such links first; the
usual repair then connects what is still apart.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from topicweave.churn.overlay_state import OverlayState
    from topicweave.trees.follow import FollowedTrees
    from topicweave.trees.pieces import Link

# nodes within this many links of the maximum degree get new links only after all others
ROOM = 2


class ToldLinks:
    """Chooses new links that join the pieces of trees after a leave and appear only in files which have to change
    anyway.

    Parameters
    ----------
    state
        State of the overlay after the links of the leaving nodes were removed; it is not changed.
    trees
        The trees before the removal.
    removed
        The links of the leaving nodes, as labels.
    leaving
        The leaving nodes.
    cap
        A maximum degree above this counts as this; nodes that have as many links get no further ones.
    """

    def __init__(
        self, state: OverlayState, trees: FollowedTrees, removed: Iterable[Link], leaving: set[str], cap: int
    ) -> None:
        self._state = state
        removed = list(removed)
        # a link is configured in the file of whichever end sorts last
        self._told = sorted({max(link) for link in trees.used(removed)} - leaving)
        self._pieces = trees.broken_without(removed, state)
        # members that only publish a topic must not become relays for it, so the usual repair handles them
        self._receivers = {topic: pieces.members - state.silent(topic) for topic, pieces in self._pieces.items()}
        self._degree: dict[str, int] = {}
        self._limit = min(state.maximum_degree, cap)

    def choose(self, members: NDArray[np.int32]) -> NDArray[np.int32]:
        """New links among these nodes, as pairs of slots; first those that join pieces of the most trees.

        Existing links named in the same files are taken into account: what they join needs no new link.
        """
        for teller in self._told:
            for other in sorted(self._state.neighbours_of(teller)):
                if other < teller:
                    for topic in self._apart((other, teller)):
                        self._pieces[topic].join((other, teller))
        names = sorted(self._state.nodes.name(v) for v in members.tolist())
        chosen: list[Link] = []
        # ranks only ever get worse, so a link whose rank is unchanged when its turn comes is the best
        queue = [
            (rank, link)
            for teller in self._told
            for link in self._new_links(teller, names)
            if (rank := self._rank(link)) is not None
        ]
        heapq.heapify(queue)
        while queue:
            old, link = heapq.heappop(queue)
            rank = self._rank(link)
            if rank == old:
                for topic in self._apart(link):
                    self._pieces[topic].join(link)
                for node in link:
                    self._degree[node] += 1
                chosen.append(link)
            elif rank is not None:
                heapq.heappush(queue, (rank, link))
        number = self._state.nodes.number
        return np.array([[number[a], number[b]] for a, b in chosen], dtype=np.int32).reshape(-1, 2)

    def _new_links(self, teller: str, names: Iterable[str]) -> list[Link]:
        near = self._state.neighbours_of(teller)
        return [(name, teller) for name in names if name < teller and name not in near]

    def _apart(self, link: Link) -> list[str]:
        """The topics that both ends receive and in which they are in different pieces."""
        return [
            topic
            for topic, receivers in self._receivers.items()
            if receivers.issuperset(link) and not self._pieces[topic].is_joined(link)
        ]

    def _rank(self, link: Link) -> tuple[int, int, int] | None:
        """The rank of a link (the lowest is chosen first); None if the link must not be made or would join nothing.

        First the trees that it joins; then how near its ends are to the maximum degree; then the topics of the other
        end, because a link to a node with many topics is likely to be useful in later repairs, too.
        """
        joined = len(self._apart(link))
        degree = max(self._degree_of(node) for node in link)
        if not joined or degree >= self._limit:
            return None
        return -joined, max(0, degree + ROOM - self._limit), -self._num_topics(link[0])

    def _degree_of(self, node: str) -> int:
        if node not in self._degree:
            self._degree[node] = int(self._state.neighbours.length[self._state.nodes.number[node]])
        return self._degree[node]

    def _num_topics(self, node: str) -> int:
        return int(np.bitwise_count(self._state.rows[self._state.nodes.number[node]]).sum())
