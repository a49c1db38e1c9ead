"""Which bridge to configure for every link that a tree uses: which end connects, and which topics pass in each
direction.

This is the same for every kind of broker; an exporter writes it in the syntax of one.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from topicweave.errors import InputError
from topicweave.trees.difference import BACKWARD, BOTH, FORWARD, carried
from topicweave.trees.filters import REST, is_malformed, overlap, widest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from topicweave.deploy.inventory import Inventory
    from topicweave.trees import Trees

IN, OUT = "in", "out"
HIDDEN = "$"


@dataclass(frozen=True, order=True)
class Route:
    """A topic filter that a bridge carries, and in which direction: ``in``, ``out`` or ``both``, seen from the broker
    that connects.
    """

    pattern: str
    direction: str = BOTH


@dataclass(frozen=True)
class Bridge:
    """A connection that one broker opens to another and that carries messages between them.

    Attributes
    ----------
    owner, remote
        The broker that opens the connection and whose file describes it, and the broker it connects to.
    routes
        The filters that pass, sorted.
    retired
        Filters that passed before a change but no longer do. The file must name them, because a session that survives
        restarts would go on receiving their messages.
    """

    owner: str
    remote: str
    routes: tuple[Route, ...]
    retired: tuple[str, ...] = ()

    @property
    def link(self) -> tuple[str, str]:
        """The names of both brokers, in sorted order."""
        return (self.owner, self.remote) if self.owner < self.remote else (self.remote, self.owner)


@dataclass(frozen=True)
class Deployment:
    """All bridges that a plan needs.

    Attributes
    ----------
    bridges
        The bridge on each link; the links are sorted.
    local
        For each broker, the filters that pass between itself and its sidecar, if a sidecar holds its bridges;
        directions as seen from the sidecar.
    """

    bridges: Mapping[tuple[str, str], Bridge]
    local: Mapping[str, tuple[Route, ...]]

    def owned_by(self, name: str) -> list[Bridge]:
        """The bridges that a broker's configuration file describes."""
        return [bridge for bridge in self.bridges.values() if bridge.owner == name]

    def by_owner(self) -> dict[str, list[Bridge]]:
        """For every broker that opens connections, its bridges."""
        found: dict[str, list[Bridge]] = defaultdict(list)
        for bridge in self.bridges.values():
            found[bridge.owner].append(bridge)
        return dict(found)


def deployment(trees: Trees, inventory: Inventory, *, prefixes: bool = True, others: Iterable[str] = ()) -> Deployment:
    """The bridges to configure so that the messages of every topic travel along its tree and nowhere else.

    Parameters
    ----------
    trees
        The trees.
    inventory
        Says which end of a link can connect to the other.
    prefixes
        Whether one filter such as ``plant/7/#`` may stand for all topics below a prefix if they have the same tree;
        topics that appear there later are then carried, too.
    others
        Further brokers that the inventory may list: those of the previous or next plan.
    """
    inventory.check_covers(trees.interest.nodes, others)
    check_topics(trees.interest.topics)
    way_of: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    for (topic, link), way in carried(trees).items():
        way_of[topic][link] = way
    filters_of: dict[str, list[str]] = defaultdict(list)
    for number, topic in enumerate(trees.interest.topics):
        filters_of[trees.by_class.topics[trees.class_of[number]]].append(topic)
    routes: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    pattern_of = _patterns(filters_of, way_of, prefixes)
    for topic, ways in way_of.items():
        for link, way in ways.items():
            routes[link].update((pattern, way) for pattern in pattern_of[topic])
    bridges = {link: _bridge(inventory.owner(*link), link, found) for link, found in sorted(routes.items())}
    return Deployment(bridges, _local(bridges))


def check_topics(topics: Iterable[str]) -> None:
    """Raise an error for a topic that is neither a name nor a filter of MQTT, or that a broker's file cannot hold."""
    for topic in topics:
        if is_malformed(topic) or topic.startswith(HIDDEN) or topic != topic.strip() or "\n" in topic or " " in topic:
            raise InputError(
                f"Topic {topic!r} cannot be bridged: MQTT has wildcards only as whole levels, '#' as the last one, and "
                f"broker files no blanks; rename it, or leave it out of the plan."
            )


def _bridge(owner: str, link: tuple[str, str], routes: set[tuple[str, str]]) -> Bridge:
    outwards = FORWARD if owner == link[0] else BACKWARD
    said = (Route(pattern, BOTH if way == BOTH else OUT if way == outwards else IN) for pattern, way in routes)
    return Bridge(owner, link[1] if owner == link[0] else link[0], tuple(sorted(said)))


def _local(bridges: Mapping[tuple[str, str], Bridge]) -> dict[str, tuple[Route, ...]]:
    """What each broker exchanges with its sidecar: topics that arrive over some bridge pass in both directions, topics
    that only leave over bridges pass from the broker to the sidecar.
    """
    received: dict[str, set[str]] = defaultdict(set)
    passing: dict[str, set[str]] = defaultdict(set)
    for bridge in bridges.values():
        for route in bridge.routes:
            for end, gets in ((bridge.owner, (IN, BOTH)), (bridge.remote, (OUT, BOTH))):
                passing[end].add(route.pattern)
                if route.direction in gets:
                    received[end].add(route.pattern)
    return {
        name: tuple(sorted(Route(pattern, BOTH if pattern in received[name] else IN) for pattern in patterns))
        for name, patterns in sorted(passing.items())
    }


def _patterns(
    filters_of: Mapping[str, list[str]], way_of: Mapping[str, Mapping[tuple[str, str], str]], prefixes: bool
) -> dict[str, tuple[str, ...]]:
    """The filters to write for each topic: its own widest filters, or a shorter prefix that also covers other topics
    with the same tree.
    """
    found = {topic: widest(filters) for topic, filters in filters_of.items()}
    if not prefixes:
        return found
    below: dict[str, set[str]] = defaultdict(set)
    for topic, filters in filters_of.items():
        for text in filters:
            levels = text.split("/")
            for depth in range(1, len(levels)):
                below["/".join(levels[:depth])].add(topic)
            below[text].add(topic)
    wild = [topic for topic, filters in filters_of.items() if any("+" in text or REST in text for text in filters)]
    longest = {frozenset(group): prefix for prefix, group in sorted(below.items(), key=lambda item: item[0].count("/"))}
    # if several prefixes stand for the same topics, use the longest
    below = {prefix: set(group) for group, prefix in longest.items()}
    done: set[str] = set()
    for prefix in sorted(below, key=lambda text: (text.count("/"), text)):
        group = below[prefix]
        if len(group) < 2 or group & done or "+" in prefix or REST in prefix or prefix == "":
            continue
        trees = {tuple(sorted(way_of.get(topic, {}).items())) for topic in group}
        whole = f"{prefix}/{REST}"
        inside = all(overlap(text, whole) for topic in group for text in filters_of[topic])
        crossed = any(overlap(text, whole) for topic in wild if topic not in group for text in filters_of[topic])
        if len(trees) == 1 and () not in trees and inside and not crossed:
            for topic in group:
                found[topic] = widest([whole, *(text for text in filters_of[topic])])
            done |= group
    return found


def retiring(before: Deployment, after: Deployment) -> Deployment:
    """The new deployment, with the filters that only the old one needs and that brokers must therefore unsubscribe
    from.

    A link that is no longer used stays as a connection over which nothing passes, until the next change; otherwise its
    session would keep collecting messages at the other end.
    """
    bridges = dict(after.bridges)
    remaining = {*after.local}
    for link, old in before.bridges.items():
        new = after.bridges.get(link)
        received = {route.pattern for route in old.routes if route.direction != OUT}
        if new is None or new.owner != old.owner:
            if new is None and old.owner in remaining and old.remote in remaining:
                bridges[link] = Bridge(old.owner, old.remote, (), tuple(sorted(received)))
            continue
        still = {route.pattern for route in new.routes if route.direction != OUT}
        # mosquitto itself unsubscribes from filters that become send-only
        sent = {route.pattern for route in new.routes if route.direction == OUT}
        bridges[link] = replace(new, retired=tuple(sorted(received - still - sent)))
    return Deployment(dict(sorted(bridges.items())), after.local)
