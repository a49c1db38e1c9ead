"""What happens when a broker or a link fails: how trees change, which topics are cut off, and which unused links are
needed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.errors import InputError
from topicweave.metrics import verify
from topicweave.model import Overlay
from topicweave.model.labels import as_labels, listed
from topicweave.parameters import check_kind
from topicweave.trees.build import trees
from topicweave.trees.difference import NEITHER, carried, directions, tree_changes
from topicweave.trees.result import Trees

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from topicweave.model import Interest
    from topicweave.trees.difference import TreeChange

Link = tuple[str, str]


@dataclass(frozen=True)
class Failure:
    """The consequences of the failure of one node.

    Attributes
    ----------
    node
        The node that fails.
    changes
        What to change in the trees so that its topics reach all other members again; its own links are not listed.
    cut_topics
        Topics whose other members the overlay cannot connect without the node; their trees cannot be repaired.
    """

    node: str
    changes: tuple[TreeChange, ...]
    cut_topics: tuple[str, ...]


@dataclass(frozen=True)
class LinkFailure:
    """The consequences of the failure of one link, while both its nodes still run.

    Attributes
    ----------
    link
        The link that fails, the smaller label first.
    changes
        What to change in the trees so that its topics reach all members again; the link itself is not listed.
    cut_topics
        Topics whose members the overlay cannot connect without the link.
    """

    link: Link
    changes: tuple[TreeChange, ...]
    cut_topics: tuple[str, ...]


@dataclass(frozen=True)
class Standby:
    """A link that no tree uses, and the failures after which it would be used.

    Attributes
    ----------
    link
        Label pair, the smaller label first.
    stands_in_for
        The nodes whose failure, alone, brings it into use, sorted.
    topics
        The topics that it then carries.
    stands_in_for_links
        The links whose failure, alone, brings it into use, sorted.
    """

    link: Link
    stands_in_for: tuple[str, ...]
    topics: tuple[str, ...]
    stands_in_for_links: tuple[Link, ...] = ()


def failures(found: Trees, nodes: Iterable[str] | None = None) -> Iterator[Failure]:
    """What to do if one of these nodes (by default any node) fails; every node is treated separately."""
    check_kind(found, Trees, "failures() needs Trees", "make them with deploy.trees")
    return _failures(found, found.interest.nodes if nodes is None else as_labels(tuple(listed(nodes, "node")), "node"))


def link_failures(found: Trees, links: Iterable[Link] | None = None) -> Iterator[LinkFailure]:
    """What to do if one of these links fails, by default any that some tree uses; every link is treated separately."""
    check_kind(found, Trees, "link_failures() needs Trees", "make them with deploy.trees")
    if links is None:
        idle = set(found.unused)
        return _link_failures(found, [link for link in _pairs(found.overlay) if link not in idle])
    return _link_failures(found, _known_links(found, links))


def _failures(found: Trees, nodes: Iterable[str]) -> Iterator[Failure]:
    before, pairs = directions(found), found.overlay.pairs()
    for node in nodes:
        # A tree without the node does not change when the node fails.
        rest = found.by_class.restrict(topics=found.by_class.topics_of(node)).remove([node])
        links = Overlay.from_pairs((pair for pair in pairs if node not in pair), rest.nodes)
        yield Failure(node, *_repaired(found, rest, links, before))


def _link_failures(found: Trees, failing: Iterable[Link]) -> Iterator[LinkFailure]:
    before, pairs = directions(found), _pairs(found.overlay)
    topics_of: dict[Link, list[str]] = defaultdict(list)
    for topic, links in before.items():
        for link in links:
            topics_of[link].append(topic)
    for gone in failing:
        rest = found.by_class.restrict(topics=topics_of[gone])
        others = Overlay.from_pairs((pair for pair in pairs if pair != gone), rest.nodes)
        yield LinkFailure(gone, *_repaired(found, rest, others, before))


def _repaired(
    found: Trees, rest: Interest, links: Overlay, before: Mapping[str, Mapping[Link, str]]
) -> tuple[tuple[TreeChange, ...], tuple[str, ...]]:
    """The changes that make trees over the remaining links, and the topics that have none."""
    cut = verify(rest, links).disconnected_topics
    remaining = set(_pairs(links))
    whole = rest.restrict(topics=[topic for topic in rest.topics if topic not in set(cut)])
    kept = {
        (topic, link): way
        for topic in whole.topics
        for link, way in before[topic].items()
        if link in remaining and way != NEITHER
    }
    return tree_changes(kept, carried(trees(whole, links, prefer=found))), cut


def _pairs(overlay: Overlay) -> list[Link]:
    return [(a, b) if a < b else (b, a) for a, b in overlay.pairs()]


def _known_links(found: Trees, links: Iterable[Link]) -> list[Link]:
    known, wanted = set(_pairs(found.overlay)), []
    for given in listed(links, "link"):
        if not (isinstance(given, tuple | list) and len(given) == 2 and all(isinstance(end, str) for end in given)):
            raise InputError("A link is a pair of two nodes; give (node, node).")
        link = (min(given), max(given))
        if link not in known:
            raise InputError(f"The overlay has no link {link[0]!r} - {link[1]!r}; give one of its links.")
        wanted.append(link)
    return wanted


def standby(found: Trees, nodes: Iterable[str] | None = None, links: Iterable[Link] | None = None) -> list[Standby]:
    """Every link that no tree uses, with the nodes and links after whose failure it is needed.

    By default the failure of any node and of any link is considered. A link that stands in for nothing is not needed by
    any repair. None of these links is deployed: after a failure the repaired trees are rolled out, including the link.
    """
    check_kind(found, Trees, "standby() needs Trees", "make them with deploy.trees")
    idle = set(found.unused)
    nodes_of: dict[Link, set[str]] = {link: set() for link in idle}
    links_of: dict[Link, set[Link]] = {link: set() for link in idle}
    topics_of: dict[Link, set[str]] = {link: set() for link in idle}
    for change, node in ((change, each.node) for each in failures(found, nodes) for change in each.changes):
        if change.is_added and change.link in idle:
            nodes_of[change.link].add(node)
            topics_of[change.link].add(change.topic)
    for change, link in ((change, each.link) for each in link_failures(found, links) for change in each.changes):
        if change.is_added and change.link in idle:
            links_of[change.link].add(link)
            topics_of[change.link].add(change.topic)
    return [
        Standby(link, tuple(sorted(nodes_of[link])), tuple(sorted(topics_of[link])), tuple(sorted(links_of[link])))
        for link in sorted(idle)
    ]


def standby_facts(found: Trees) -> dict[str, Any]:
    """The links that no tree uses, and how the trees change after the failure of any single node or link, as a
    dictionary that JSON can represent; failures after which nothing can be changed are left out.
    """
    links = [
        {
            "link": list(each.link), "topics": list(each.topics), "stands_in_for": list(each.stands_in_for),
            "stands_in_for_links": [list(link) for link in each.stands_in_for_links],
        }
        for each in standby(found)
    ]  # fmt: skip
    single: list[dict[str, Any]] = [{"node": each.node, **_changes(each)} for each in failures(found)]
    single += [{"link": list(each.link), **_changes(each)} for each in link_failures(found)]
    return {"links": links, "failures": [each for each in single if each["changes"]]}


def _changes(failure: Failure | LinkFailure) -> dict[str, Any]:
    return {"changes": [change._asdict() for change in failure.changes], "cut_topics": list(failure.cut_topics)}
