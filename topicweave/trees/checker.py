"""An independent check of trees that works on sets and dictionaries of labels, and shares no code with what builds
them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from topicweave.errors import InputError
from topicweave.metrics.matching import check_nouns

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicweave.model import Interest, Overlay


def check_trees(interest: Interest, overlay: Overlay, edges: Mapping[str, Iterable[tuple[str, str]]]) -> list[str]:
    """List everything that is wrong with trees.

    Empty if each spans exactly its members, without a cycle, over links of the overlay.

    Parameters
    ----------
    interest, overlay
        The members of each topic, and the existing links.
    edges
        For every topic its tree, as pairs (parent, child). Topics that share a tree, because they are filters that
        overlap, have the same pairs; the tree then spans the members of all of them.
    """
    check_nouns(interest, overlay)
    if not isinstance(edges, Mapping):
        raise InputError(
            f"Trees are a mapping of topics to pairs, but a {type(edges).__name__} was given; build a dict."
        )
    members: dict[str, set[str]] = {topic: set() for topic in interest.topics}
    for node, topic in interest.pairs():
        members[topic].add(node)
    links = {frozenset(pair) for pair in overlay.pairs()}
    together: dict[frozenset[tuple[str, str]], list[str]] = defaultdict(list)
    wrong = [f"topic {topic!r} has no tree" for topic in sorted(members.keys() - edges.keys())]
    for topic, pairs in edges.items():
        try:
            listed = [(parent, child) for parent, child in pairs]
        except (TypeError, ValueError):
            raise InputError(f"The tree of {topic!r} is not a list of pairs (parent, child); give its links.") from None
        if topic not in members:
            wrong.append(f"there is a tree for {topic!r}, which is not a topic")
        elif len(set(listed)) != len(listed):
            wrong.append(f"the tree of {topic!r} lists a link twice")
        else:
            together[frozenset(listed)].append(topic)
    for tree, topics in together.items():
        for group in [topics] if any(_is_wild(topic) for topic in topics) else [[topic] for topic in topics]:
            wanted = set().union(*(members[topic] for topic in group))
            wrong += [f"the tree of {group[0]!r} {what}" for what in _faults(tree, wanted, links)]
    return wrong


def _faults(tree: frozenset[tuple[str, str]], members: set[str], links: set[frozenset[str]]) -> list[str]:
    found = []
    outside = sorted({node for pair in tree for node in pair} - members)
    if outside:
        found.append(f"passes {outside[0]!r}, which is not a member")
    foreign = sorted(pair for pair in tree if frozenset(pair) not in links)
    if foreign:
        found.append(f"uses {foreign[0]}, which is not a link of the overlay")
    near: dict[str, set[str]] = defaultdict(set)
    for parent, child in tree:
        near[parent].add(child)
        near[child].add(parent)
    seen: set[str] = set()
    waiting = sorted(members)[:1]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(near[node] - seen)
    missing = sorted(members - seen)
    if missing:
        found.append(f"does not reach {missing[0]!r}")
    if len(tree) > max(len(members | seen) - 1, 0):
        found.append("has a cycle")
    children = [child for _, child in tree]
    if len(set(children)) != len(children):
        found.append("gives a node two parents")
    return found


def _is_wild(topic: str) -> bool:
    return any(level in ("+", "#") for level in topic.split("/"))
