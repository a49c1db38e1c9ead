"""The changes from one set of trees to another: which topics start or stop using which links."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from topicweave.errors import InputError
from topicweave.parameters import check_kind

if TYPE_CHECKING:
    from collections.abc import Collection

    from topicweave.trees.result import Trees

BOTH, FORWARD, BACKWARD = "both", "forward", "backward"
NEITHER = "neither"  # the direction of a link over which nothing passes, because nobody subscribes to the topic
Direction = Literal["both", "forward", "backward"]


class TreeChange(NamedTuple):
    """A topic starts or stops using a link.

    Attributes
    ----------
    topic
        Label; for filters that share a tree, the first.
    link
        Label pair, the smaller label first.
    direction
        ``both``; or, if nobody beyond one end subscribes, ``forward`` (from the first label of the link to the second)
        or ``backward``.
    is_added
        Whether it starts.
    """

    topic: str
    link: tuple[str, str]
    direction: str
    is_added: bool


def carried(trees: Trees) -> dict[tuple[str, tuple[str, str]], str]:
    """For every topic and link of the trees, the direction in which messages pass; links over which none pass, because
    nobody subscribes to the topic, are left out.
    """
    return {
        (topic, link): way
        for topic, found in directions(trees).items()
        for link, way in found.items()
        if way != NEITHER
    }  # fmt: skip


def directions(trees: Trees) -> dict[str, dict[tuple[str, str], str]]:
    """For every topic, in which direction messages pass each link of its tree."""
    receivers = _receivers(trees)
    found = {}
    for topic in trees.by_class.topics:
        links = [(a, b) if a < b else (b, a) for a, b in trees.edges(topic)]
        silent = {node for link in links for node in link} - receivers[topic]
        found[topic] = ways(links, silent)
    return found


def ways(links: Collection[tuple[str, str]], silent: Collection[str]) -> dict[tuple[str, str], str]:
    """In which direction messages of a topic pass each link of its tree: towards the nodes that receive them.

    A silent node is one that only publishes.
    """
    if not silent:
        return dict.fromkeys(links, BOTH)
    near: dict[str, list[str]] = {}
    for one, other in links:
        near.setdefault(one, []).append(other)
        near.setdefault(other, []).append(one)
    parent: dict[str, str] = {}
    below: dict[str, int] = {}  # for each node, how many nodes of its subtree receive
    total: dict[str, int] = {}  # for each root, how many nodes of its tree receive
    root_of: dict[str, str] = {}
    for root in near:
        if root in root_of:
            continue
        order = [root]
        root_of[root] = root
        for node in order:  # the list grows while the loop goes through it
            for other in near[node]:
                if other not in root_of:
                    root_of[other] = root
                    parent[other] = node
                    order.append(other)
        below.update((node, int(node not in silent)) for node in order)
        for node in reversed(order[1:]):
            below[parent[node]] += below[node]
        total[root] = below[root]
    found: dict[tuple[str, str], str] = {}
    for link in links:
        child = link[1] if parent.get(link[1]) == link[0] else link[0]
        # whether any subscriber is on the child's side of the link, and on the parent's side
        beyond = [below[child] > 0, total[root_of[child]] - below[child] > 0]
        forward, backward = beyond if child == link[1] else beyond[::-1]
        found[link] = BOTH if forward and backward else FORWARD if forward else BACKWARD if backward else NEITHER
    return found


def tree_changes(
    before: Mapping[tuple[str, tuple[str, str]], str], after: Mapping[tuple[str, tuple[str, str]], str]
) -> tuple[TreeChange, ...]:
    """The changes between two sets of trees, removals first; a change of direction counts as a removal and an
    addition.
    """
    for given in (before, after):
        check_kind(given, Mapping, "tree_changes() needs the direction by (topic, link)", "give a dictionary")
    try:
        gone = [TreeChange(*key, way, False) for key, way in sorted(before.items()) if after.get(key) != way]
        new = [TreeChange(*key, way, True) for key, way in sorted(after.items()) if before.get(key) != way]
    except TypeError:  # raised if the dictionary has other keys, or labels that cannot be sorted
        raise InputError(
            "tree_changes() needs the direction by (topic, link), but some keys are none; give pairs of a topic and "
            "a pair of labels."
        ) from None
    return (*gone, *new)


def _receivers(trees: Trees) -> dict[str, set[str]]:
    by_class = trees.by_class
    found: dict[str, set[str]] = {topic: set() for topic in by_class.topics}
    for i, (node, topic) in enumerate(by_class.pairs()):
        if by_class.receives[i]:
            found[topic].add(node)
    return found
