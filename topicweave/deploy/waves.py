"""Waves: how to change from one deployment to another so that the bridges of a topic never form a cycle in between.

Within a wave the brokers change in any order, so any mixture of old and new files must be safe. Removing links from a
tree is safe in any order, and so is adding links that complete a tree; doing both at once is safe for a topic that
changes in a single file. So every change fits into two waves: the first drops links, the second adds links, and what
changes in a single file is done in the wave in which that file changes.

Between the two waves the trees of topics that change are not connected, and messages between their parts are lost. If
bridges are in sidecars, messages can be held back instead: a broker whose sidecar is disconnected from it keeps them in
the sidecar's session. This takes a wave before and a wave after the two: the first disconnects the brokers concerned
from their sidecars, the last connects them again. Nothing is lost then, but all topics of these brokers wait in
between.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from topicweave.deploy.bridges import Bridge, Deployment, Route, retiring
from topicweave.trees.filters import is_filter, overlap

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Link = tuple[str, str]


@dataclass(frozen=True)
class Wave:
    """One step of a rollout, in which brokers may change in any order.

    Attributes
    ----------
    deployment
        The configuration after the wave.
    changed
        The brokers whose file changes.
    started, stopped
        Brokers that are new in this wave, and brokers that are gone after it.
    dropped, added
        (filter, link) pairs that stop and start being carried.
    interrupted
        Filters that are not carried everywhere between this wave and the next: their messages may be lost meanwhile.
    held
        Brokers whose messages wait from this wave on, or from an earlier one, until the last.
    """

    deployment: Deployment
    changed: tuple[str, ...]
    started: tuple[str, ...]
    stopped: tuple[str, ...]
    dropped: tuple[tuple[str, Link], ...]
    added: tuple[tuple[str, Link], ...]
    interrupted: tuple[str, ...]
    held: tuple[str, ...] = ()


def waves(
    before: Deployment,
    after: Deployment,
    old_nodes: Iterable[str],
    new_nodes: Iterable[str],
    *,
    hold: bool = False,
) -> list[Wave]:
    """The steps from one deployment to another: at most two, or four if messages are to be held back meanwhile.

    Parameters
    ----------
    before, after
        The current configuration, and the new one.
    old_nodes, new_nodes
        The brokers of both plans.
    hold
        Hold messages back while trees are not connected, so that none is lost. Only for bridges in sidecars.
    """
    old_nodes, new_nodes = set(old_nodes), set(new_nodes)
    old, new = _entries(before), _entries(after)
    moving = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
    if not moving and before.local == after.local and old_nodes == new_nodes:
        return []
    delicate = _delicate(moving, old, new)
    middle = _middle(before, after, delicate, old_nodes, new_nodes)
    if middle is None:
        final = retiring(before, after)
        return [_wave(before, final, old_nodes, new_nodes, ())]
    first = retiring(before, middle)
    second = retiring(first, after)
    second = Deployment(
        {
            link: replace(bridge, retired=tuple(sorted({*bridge.retired, *_retired(first, link)} - _received(bridge))))
            for link, bridge in second.bridges.items()
        },
        second.local,
    )
    stay = old_nodes & new_nodes
    moved = tuple(sorted({pattern for pattern, _ in delicate}))
    if not hold:
        return [_wave(before, first, old_nodes, stay, moved), _wave(first, second, stay, new_nodes, ())]
    held = tuple(sorted(stay & _members(moved, (before.local, after.local))))
    parted, cut, joined = (_without(each, held) for each in (before, first, second))
    return [
        _wave(before, parted, old_nodes, old_nodes, (), held),
        _wave(parted, cut, old_nodes, stay, (), held),
        _wave(cut, joined, stay, new_nodes, (), held),
        _wave(joined, second, new_nodes, new_nodes, ()),
    ]


def _members(patterns: Iterable[str], several: Iterable[Mapping[str, tuple[Route, ...]]]) -> set[str]:
    """The brokers that exchange any of these filters with their sidecars."""
    moved = set(patterns)
    wild = [pattern for pattern in moved if is_filter(pattern)]
    return {
        name
        for local in several
        for name, routes in local.items()
        for route in routes
        if route.pattern in moved
        or any(overlap(route.pattern, one) for one in (moved if is_filter(route.pattern) else wild))
    }


def _without(deployment: Deployment, held: Iterable[str]) -> Deployment:
    """The same bridges, with some brokers temporarily disconnected from their sidecars."""
    gone = set(held)
    return Deployment(
        deployment.bridges, {name: routes for name, routes in deployment.local.items() if name not in gone}
    )


def _entries(deployment: Deployment) -> dict[tuple[str, Link], tuple[str, str]]:
    """Map each topic filter and link to the broker that opens the link's connection, and to the direction in which the
    filter's messages pass (``in``, ``out`` or ``both``, as in :class:`Route`).
    """
    return {
        (route.pattern, link): (bridge.owner, route.direction)
        for link, bridge in deployment.bridges.items()
        for route in bridge.routes
    }


def _delicate(
    moving: set[tuple[str, Link]],
    old: Mapping[tuple[str, Link], tuple[str, str]],
    new: Mapping[tuple[str, Link], tuple[str, str]],
) -> set[tuple[str, Link]]:
    """Changes that must not be made in one wave: filters that are removed from some links and added to others, in more
    than one file.
    """
    patterns = sorted({pattern for pattern, _ in moving})
    group = _groups(patterns)
    files: dict[int, set[str]] = defaultdict(set)
    drops: set[int] = set()
    adds: set[int] = set()
    for key in moving:
        number = group[key[0]]
        if key in old:
            files[number].add(old[key][0])
            drops.add(number)
        if key in new:
            files[number].add(new[key][0])
            adds.add(number)
    return {key for key in moving if group[key[0]] in drops & adds and len(files[group[key[0]]]) > 1}


def _groups(patterns: list[str]) -> dict[str, int]:
    """Group filters that can match the same message, because a prefix may have stood for several topics."""
    parent = {pattern: pattern for pattern in patterns}

    def find(pattern: str) -> str:
        while parent[pattern] != pattern:
            pattern = parent[pattern]
        return pattern

    wild = [pattern for pattern in patterns if "+" in pattern or "#" in pattern]
    for one in wild:
        for other in patterns:
            if overlap(one, other):
                parent[find(one)] = find(other)
    roots = {pattern: find(pattern) for pattern in patterns}
    number = {root: i for i, root in enumerate(sorted(set(roots.values())))}
    return {pattern: number[root] for pattern, root in roots.items()}


def _middle(
    before: Deployment,
    after: Deployment,
    delicate: set[tuple[str, Link]],
    old_nodes: set[str],
    new_nodes: set[str],
) -> Deployment | None:
    """The configuration after the first of two waves; None if one wave is enough.

    A filter is carried in it over no link for which its change is delicate; every other change is made in the first
    wave if its file changes there anyway, otherwise in the second.
    """
    if not delicate:
        return None
    old, new = _entries(before), _entries(after)
    touched = {old[key][0] for key in delicate if key in old} | {
        bridge.owner for link, bridge in before.bridges.items() if not set(link) <= new_nodes
    }
    routes: dict[Link, dict[str, tuple[str, str]]] = defaultdict(dict)
    for key in old.keys() | new.keys():
        pattern, link = key
        if not set(link) <= old_nodes & new_nodes:
            continue
        if key in delicate:
            continue
        is_early = (old.get(key) or new[key])[0] in touched
        entry = new.get(key) if is_early else old.get(key)
        if entry is not None:
            routes[link][pattern] = entry
    bridges = {}
    for link, found in sorted(routes.items()):
        owner = next(iter(found.values()))[0]
        said = tuple(sorted(Route(pattern, way) for pattern, (_, way) in found.items()))
        bridges[link] = Bridge(owner, link[1] if owner == link[0] else link[0], said)
    local = {}
    for name in sorted(old_nodes & new_nodes):
        # Nothing can circulate between a broker and its own sidecar, so the old and the new filters need not be
        # compared one by one here.
        found_local = after.local.get(name) if name in touched else before.local.get(name)
        if found_local:
            local[name] = found_local
    return Deployment(bridges, local)


def _wave(
    before: Deployment,
    after: Deployment,
    old_nodes: set[str],
    new_nodes: set[str],
    interrupted: tuple[str, ...],
    held: tuple[str, ...] = (),
) -> Wave:
    old, new = _entries(before), _entries(after)
    dropped = tuple(sorted(key for key in old if new.get(key) != old[key]))
    added = tuple(sorted(key for key in new if old.get(key) != new[key]))
    one, other = before.by_owner(), after.by_owner()
    changed = {
        name
        for name in new_nodes & old_nodes
        if one.get(name, []) != other.get(name, []) or before.local.get(name) != after.local.get(name)
    }
    started, stopped = tuple(sorted(new_nodes - old_nodes)), tuple(sorted(old_nodes - new_nodes))
    return Wave(after, tuple(sorted(changed)), started, stopped, dropped, added, interrupted, held)


def _retired(deployment: Deployment, link: Link) -> tuple[str, ...]:
    bridge = deployment.bridges.get(link)
    return () if bridge is None else bridge.retired


def _received(bridge: Bridge) -> set[str]:
    return {route.pattern for route in bridge.routes if route.direction != "out"}
