"""Trees that are kept up to date event by event, and change only where they must.

A topic's tree is checked only if its members changed or one of its links is gone. Its remaining links are kept; the
links that join the pieces are chosen for all topics of an event together, so that few brokers have to be told. A link
is told to the end whose label sorts last, and ends that have to be told something anyway come first. Members that only
publish a topic are joined last, each by one link if the others are connected without them.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

from topicweave.columns import CHILD, PARENT, TOPIC
from topicweave.errors import InputError
from topicweave.trees.build import trees_from_arrow
from topicweave.trees.difference import NEITHER, TreeChange, directions, ways
from topicweave.trees.filters import is_filter
from topicweave.trees.pieces import Link, Pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from topicweave.model import Interest, Overlay
    from topicweave.trees.result import Trees

MOST_TRIED = 40  # with at most this many brokers to choose from, all sets of one or two of them are tried


class OverlayView(Protocol):
    """What the trees need to know about the overlay after an event."""

    def members(self, topic: str) -> set[str]:
        """The members of a topic."""

    def silent(self, topic: str) -> set[str]:
        """The nodes that publish a topic without subscribing to it."""

    def neighbours_of(self, node: str) -> set[str]:
        """The neighbours of a node."""


class FollowedTrees:
    """The trees of an overlay that changes, kept up to date.

    Parameters
    ----------
    trees
        The trees at the beginning.
    """

    def __init__(self, trees: Trees) -> None:
        wild = next((topic for topic in trees.interest.topics if is_filter(topic)), None)
        if wild is not None:
            raise InputError(f"Topic {wild!r} is a filter; trees follow plain topics only, so expand it first.")
        self._objective = trees.objective
        self._ways: dict[str, dict[Link, str]] = {}
        self._users: dict[Link, set[str]] = defaultdict(set)
        for topic, found in directions(trees).items():
            if found:
                self._ways[topic] = found
            for link in found:
                self._users[link].add(topic)

    def follow(
        self, removed: Iterable[Link], changed_topics: Iterable[str], network: OverlayView
    ) -> tuple[TreeChange, ...]:
        """Update the trees after an event.

        Parameters
        ----------
        removed
            Links that no longer exist.
        changed_topics
            Topics that some node has gained or lost, or started or stopped receiving.
        network
            The overlay after the event.
        """
        gone = set(removed)
        affected = set(changed_topics).union(*(self._users.get(link, ()) for link in gone))
        links: dict[str, set[Link]] = {}
        told: set[str] = set()
        broken: dict[str, Pieces] = {}
        for topic in sorted(affected):
            members, before = network.members(topic), self._ways.get(topic, {})
            links[topic] = kept = {link for link in before if link not in gone and members.issuperset(link)}
            told.update(max(link) for link in before if link not in kept)
            pieces = Pieces(members, kept)
            if pieces.number > 1:
                broken[topic] = pieces
        silent = {topic: network.silent(topic) & broken[topic].members for topic in broken}
        for rule in (_among_receivers, _as_leaf, _anyhow) if any(silent.values()) else (_anyhow,):
            allowed = {topic: rule(broken[topic], silent[topic]) for topic in broken}
            self._join(broken, told, network, links, allowed)
        cut = sorted(topic for topic, pieces in broken.items() if pieces.number > 1)
        if cut:
            raise InputError(f"The overlay does not connect topic {cut[0]!r}; its tree cannot follow.")
        return self._changes({topic: ways(found, network.silent(topic)) for topic, found in links.items()})

    def used(self, links: Iterable[Link]) -> set[Link]:
        """Those of these links that some tree uses."""
        return {link for link in links if link in self._users}

    def broken_without(self, links: Iterable[Link], network: OverlayView) -> dict[str, Pieces]:
        """The trees that fall apart without these links: for each topic, the pieces of its present members."""
        found = {}
        gone = set(links)
        for topic in sorted(set().union(*(self._users[link] for link in self.used(gone)))):
            members = network.members(topic)
            pieces = Pieces(
                members, (link for link in self._ways[topic] if link not in gone and members.issuperset(link))
            )
            if pieces.number > 1:
                found[topic] = pieces
        return found

    def _join(
        self,
        broken: dict[str, Pieces],
        told: set[str],
        network: OverlayView,
        links: dict[str, set[Link]],
        allowed: Mapping[str, Callable[[Link], bool]],
    ) -> None:
        """Join the pieces of broken trees by allowed links, so that as few brokers as possible must be reconfigured."""
        offers: dict[str, list[tuple[str, Link]]] = defaultdict(list)
        for topic, pieces in broken.items():
            for node in sorted(pieces.outside_largest()):
                for other in sorted(network.neighbours_of(node) & pieces.members):
                    link = (node, other) if node < other else (other, node)
                    if not pieces.is_joined(link) and allowed[topic](link):
                        offers[max(link)].append((topic, link))
        for teller in [*sorted(told & offers.keys()), *_fewest(offers, told, broken)]:
            told.add(teller)
            self._take(offers[teller], broken, links)

    def _take(self, offers: Iterable[tuple[str, Link]], broken: dict[str, Pieces], links: dict[str, set[Link]]) -> None:
        """Take from the offered links those that join pieces: first links that other trees already use, then links that
        join pieces in the most topics.
        """
        topics: dict[Link, list[str]] = defaultdict(list)
        for topic, link in offers:
            topics[link].append(topic)
        while topics:
            worth = {link: sum(not broken[t].is_joined(link) for t in listed) for link, listed in topics.items()}
            best = max(topics, key=lambda link: (worth[link] > 0, link in self._users, worth[link], link))
            for topic in topics.pop(best):
                if broken[topic].join(best):
                    links[topic].add(best)

    def _changes(self, after: dict[str, dict[Link, str]]) -> tuple[TreeChange, ...]:
        """Make these the trees of their topics; a link whose direction changes is recorded as removed and added."""
        dropped, added = [], []
        for topic, new in after.items():
            old = self._ways.pop(topic, {})
            for link, way in old.items():
                if link not in new:
                    self._users[link].discard(topic)
                    if not self._users[link]:
                        del self._users[link]
                if way not in (new.get(link), NEITHER):
                    dropped.append(TreeChange(topic, link, way, False))
            for link, way in new.items():
                self._users[link].add(topic)
                if way not in (old.get(link), NEITHER):
                    added.append(TreeChange(topic, link, way, True))
            if new:
                self._ways[topic] = new
        return (*sorted(dropped), *sorted(added))

    @property
    def objective(self) -> str:
        """What the trees minimise when they are first built: ``depth``, ``latency`` or ``load``."""
        return self._objective

    def rows(self) -> list[tuple[str, str, str]]:
        """Each topic with each link of its tree, sorted."""
        return [(topic, *link) for topic, links in sorted(self._ways.items()) for link in sorted(links)]

    def trees(self, interest: Interest, overlay: Overlay) -> Trees:
        """The current trees as :class:`Trees`, for the current interest and overlay."""
        return trees_from_rows(interest, overlay, self.rows(), self._objective)


def trees_from_rows(interest: Interest, overlay: Overlay, rows: list[tuple[str, str, str]], objective: str) -> Trees:
    """Make trees from the rows that :meth:`FollowedTrees.rows` returned; anything else is a ReadError."""
    import pyarrow as pa

    names = pa.schema([(name, pa.string()) for name in (TOPIC, PARENT, CHILD)])
    columns = [pa.array([row[i] for row in rows], pa.string()) for i in range(3)]
    return trees_from_arrow(interest, overlay, pa.table(columns, schema=names), objective)


def _among_receivers(pieces: Pieces, silent: set[str]) -> Callable[[Link], bool]:
    return silent.isdisjoint


def _as_leaf(pieces: Pieces, silent: set[str]) -> Callable[[Link], bool]:
    """Return a test for links: does a link attach a publisher that has no links yet to a member that receives?

    No link passes the test before all members that receive are connected.
    """
    if not pieces.connects(pieces.members - silent):
        return lambda link: False
    alone = {node for node in silent if pieces.is_alone(node)}
    return lambda link: len(alone.intersection(link)) == 1 and not silent.issuperset(link)


def _anyhow(pieces: Pieces, silent: set[str]) -> Callable[[Link], bool]:
    return lambda link: True


def _fewest(offers: dict[str, list[tuple[str, Link]]], told: set[str], broken: dict[str, Pieces]) -> list[str]:
    """Which other brokers to reconfigure so that every tree can be completed: one or two if that is enough, otherwise
    chosen greedily.
    """
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


def _is_whole(names: tuple[str, ...], useful: dict[str, list[tuple[str, Link]]], left: dict[str, Pieces]) -> bool:
    if {topic for name in names for topic, _ in useful[name]} != left.keys():
        return False
    tried = {topic: pieces.copy() for topic, pieces in left.items()}
    _join_all((offer for name in names for offer in useful[name]), tried)
    return all(pieces.number == 1 for pieces in tried.values())


def _num_joined(offers: list[tuple[str, Link]], left: dict[str, Pieces]) -> int:
    return _join_all(offers, {topic: pieces.copy() for topic, pieces in left.items()})


def _join_all(offers: Iterable[tuple[str, Link]], pieces: dict[str, Pieces]) -> int:
    return sum(pieces[topic].join(link) for topic, link in offers if topic in pieces)
