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
        ``both``; or, if one end only publishes, ``forward`` (from the first label of the link to the second) or
        ``backward``.
    is_added
        Whether it starts.
    """

    topic: str
    link: tuple[str, str]
    direction: str
    is_added: bool


def carried(trees: Trees) -> dict[tuple[str, tuple[str, str]], str]:
    """For every topic and link of the trees, the direction in which messages pass."""
    receivers = _receivers(trees)
    found: dict[tuple[str, tuple[str, str]], str] = {}
    for topic in trees.by_class.topics:
        links = [(a, b) if a < b else (b, a) for a, b in trees.edges(topic)]
        silent = {node for link in links for node in link} - receivers[topic]
        found.update(((topic, link), way) for link, way in ways(links, silent).items())
    return found


def ways(links: Collection[tuple[str, str]], silent: Collection[str]) -> dict[tuple[str, str], str]:
    """In which direction messages of a topic pass each link of its tree; a silent node is one that only publishes."""
    if not silent:
        return dict.fromkeys(links, BOTH)
    degree: dict[str, int] = {}
    for link in links:
        for node in link:
            degree[node] = degree.get(node, 0) + 1
    found: dict[tuple[str, str], str] = {}
    for link in links:
        leaves = [node for node in link if degree[node] == 1 and node in silent]
        found[link] = BOTH if len(leaves) != 1 else FORWARD if leaves[0] == link[0] else BACKWARD
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
