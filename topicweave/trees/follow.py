"""Trees that follow an overlay event by event, and change only where they must.

A topic's tree is checked only if its members changed or one of its links is gone. Its remaining links are kept; the
links that join the pieces are chosen for all topics of an event together, so that few brokers have to be told. A link
is told to the end whose label sorts last, and ends that have to be told something anyway come first.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

from topicweave.columns import CHILD, PARENT, TOPIC
from topicweave.errors import InputError
from topicweave.trees.build import trees_from_arrow
from topicweave.trees.difference import BOTH, TreeChange
from topicweave.trees.filters import is_filter

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicweave.model import Interest, Overlay
    from topicweave.trees.result import Trees

Link = tuple[str, str]
MOST_TRIED = 40  # up to this many brokers, all sets of one or two are tried


class Network(Protocol):
    """What has to be known about the overlay after an event."""

    def members(self, topic: str) -> set[str]:
        """The members of a topic."""

    def neighbours_of(self, node: str) -> set[str]:
        """The neighbours of a node."""


class FollowedTrees:
    """The trees of an overlay that changes.

    Parameters
    ----------
    trees
        The trees at the beginning.
    """

    def __init__(self, trees: Trees) -> None:
        wild = next((topic for topic in trees.interest.topics if is_filter(topic)), None)
        if wild is not None:
            raise InputError(f"Topic {wild!r} is a filter; trees follow plain topics only, so expand it first.")
        self._links: dict[str, set[Link]] = {}
        self._users: dict[Link, set[str]] = defaultdict(set)
        for topic in trees.interest.topics:
            self._links[topic] = {(a, b) if a < b else (b, a) for a, b in trees.edges(topic)}
            for link in self._links[topic]:
                self._users[link].add(topic)

    def follow(
        self, removed: Iterable[Link], changed_topics: Iterable[str], network: Network
    ) -> tuple[TreeChange, ...]:
        """Update the trees after an event.

        Parameters
        ----------
        removed
            Links that no longer exist.
        changed_topics
            Topics that some node has gained or lost.
        network
            The overlay after the event.
        """
        gone = set(removed)
        affected = set(changed_topics).union(*(self._users.get(link, ()) for link in gone))
        before = {topic: set(self._links.get(topic, ())) for topic in affected}
        told: set[str] = set()
        broken: dict[str, _Pieces] = {}
        for topic in sorted(affected):
            members = network.members(topic)
            kept = {link for link in before[topic] if link not in gone and members.issuperset(link)}
            told.update(max(link) for link in before[topic] - kept)
            self._links[topic] = kept
            pieces = _Pieces(members, kept)
            if pieces.number > 1:
                broken[topic] = pieces
        self._join(broken, told, network)
        return self._changes(before)

    def _join(self, broken: dict[str, _Pieces], told: set[str], network: Network) -> None:
        """Join the pieces of all broken trees, telling as few brokers as the search finds."""
        offers: dict[str, list[tuple[str, Link]]] = defaultdict(list)
        for topic, pieces in broken.items():
            for node in sorted(pieces.outside_largest()):
                for other in sorted(network.neighbours_of(node) & pieces.members):
                    link = (node, other) if node < other else (other, node)
                    if not pieces.is_joined(link):
                        offers[max(link)].append((topic, link))
        for teller in [*sorted(told & offers.keys()), *_fewest(offers, told, broken)]:
            told.add(teller)
            self._take(offers[teller], broken)
        cut = sorted(topic for topic, pieces in broken.items() if pieces.number > 1)
        if cut:
            raise InputError(f"The overlay does not connect topic {cut[0]!r}; its tree cannot follow.")

    def _take(self, offers: Iterable[tuple[str, Link]], broken: dict[str, _Pieces]) -> None:
        """Use links: first those that other trees use already, then those that join most pieces."""
        topics: dict[Link, list[str]] = defaultdict(list)
        for topic, link in offers:
            topics[link].append(topic)
        while topics:
            worth = {link: sum(not broken[t].is_joined(link) for t in listed) for link, listed in topics.items()}
            best = max(topics, key=lambda link: (worth[link] > 0, link in self._users, worth[link], link))
            for topic in topics.pop(best):
                if broken[topic].join(best):
                    self._links[topic].add(best)

    def _changes(self, before: dict[str, set[Link]]) -> tuple[TreeChange, ...]:
        dropped, added = [], []
        for topic, old in before.items():
            new = self._links[topic]
            for link in old - new:
                self._users[link].discard(topic)
                if not self._users[link]:
                    del self._users[link]
                dropped.append(TreeChange(topic, link, BOTH, False))
            for link in new - old:
                self._users[link].add(topic)
                added.append(TreeChange(topic, link, BOTH, True))
            if not new:
                del self._links[topic]
        return (*sorted(dropped), *sorted(added))

    def trees(self, interest: Interest, overlay: Overlay) -> Trees:
        """The current trees, for the current interest and overlay."""
        import pyarrow as pa

        rows = [(topic, *link) for topic, links in sorted(self._links.items()) for link in sorted(links)]
        names = pa.schema([(name, pa.string()) for name in (TOPIC, PARENT, CHILD)])
        columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(3)]
        return trees_from_arrow(interest, overlay, pa.table(columns, schema=names))


class _Pieces:
    """The members of a topic, grouped by what is left of its tree."""

    def __init__(self, members: set[str], links: Iterable[Link]) -> None:
        self.members = members
        self.number = len(members)
        self._above: dict[str, str] = {}
        self._size = dict.fromkeys(members, 1)
        for link in links:
            self.join(link)

    def _top(self, node: str) -> str:
        while node in self._above:
            node = self._above[node]
        return node

    def is_joined(self, link: Link) -> bool:
        return self._top(link[0]) == self._top(link[1])

    def join(self, link: Link) -> bool:
        """Join the pieces of both ends; False if both ends are in the same piece."""
        one, other = self._top(link[0]), self._top(link[1])
        if one == other:
            return False
        if self._size[one] < self._size[other]:
            one, other = other, one
        self._above[other] = one
        self._size[one] += self._size.pop(other)
        self.number -= 1
        return True

    def copy(self) -> _Pieces:
        """A copy, for trying something out."""
        made = _Pieces.__new__(_Pieces)
        made.members, made.number = self.members, self.number
        made._above, made._size = dict(self._above), dict(self._size)
        return made

    def outside_largest(self) -> set[str]:
        """All members outside the largest piece: each link between pieces has an end here."""
        largest = max(self._size, key=lambda top: (self._size[top], top))
        return {node for node in self.members if self._top(node) != largest}


def _fewest(offers: dict[str, list[tuple[str, Link]]], told: set[str], broken: dict[str, _Pieces]) -> list[str]:
    """Further nodes to tell so that every tree is complete: one or two if that is enough, otherwise chosen greedily."""
    left = {topic: pieces.copy() for topic, pieces in broken.items()}
    _join_all((offer for name in sorted(told & offers.keys()) for offer in offers[name]), left)
    left = {topic: pieces for topic, pieces in left.items() if pieces.number > 1}
    useful = {
        name: [(topic, link) for topic, link in listed if topic in left]
        for name, listed in sorted(offers.items())
        if name not in told
    }
    useful = {name: listed for name, listed in useful.items() if listed}
    if len(useful) <= MOST_TRIED:
        for size in range(3):
            for names in combinations(useful, size):
                if _is_whole(names, useful, left):
                    return list(names)
    chosen: list[str] = []
    while any(pieces.number > 1 for pieces in left.values()):
        worth = {name: _num_joined(listed, left) for name, listed in useful.items()}
        best = max(worth, key=lambda name: (worth[name], name), default="")
        if not worth.get(best):
            break
        _join_all(useful.pop(best), left)
        chosen.append(best)
    return chosen


def _is_whole(names: tuple[str, ...], useful: dict[str, list[tuple[str, Link]]], left: dict[str, _Pieces]) -> bool:
    if {topic for name in names for topic, _ in useful[name]} != left.keys():
        return False
    tried = {topic: pieces.copy() for topic, pieces in left.items()}
    _join_all((offer for name in names for offer in useful[name]), tried)
    return all(pieces.number == 1 for pieces in tried.values())


def _num_joined(offers: list[tuple[str, Link]], left: dict[str, _Pieces]) -> int:
    return _join_all(offers, {topic: pieces.copy() for topic, pieces in left.items()})


def _join_all(offers: Iterable[tuple[str, Link]], pieces: dict[str, _Pieces]) -> int:
    return sum(pieces[topic].join(link) for topic, link in offers if topic in pieces)
