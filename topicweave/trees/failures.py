"""What happens when a broker fails: how the trees change, which topics are cut off, and which unused links are
needed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicweave.metrics import verify
from topicweave.model import Overlay
from topicweave.model.labels import as_labels, listed
from topicweave.parameters import check_kind
from topicweave.trees.build import trees
from topicweave.trees.difference import carried, tree_changes
from topicweave.trees.result import Trees

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    """

    link: Link
    stands_in_for: tuple[str, ...]
    topics: tuple[str, ...]


def failures(found: Trees, nodes: Iterable[str] | None = None) -> Iterator[Failure]:
    """What to do if one of these nodes (by default any node) fails; every node is treated separately."""
    check_kind(found, Trees, "failures() needs Trees", "make them with deploy.trees")
    return _failures(found, found.interest.nodes if nodes is None else as_labels(tuple(listed(nodes, "node")), "node"))


def _failures(found: Trees, nodes: Iterable[str]) -> Iterator[Failure]:
    before: dict[str, dict[Link, str]] = defaultdict(dict)
    for (topic, link), way in carried(found).items():
        before[topic][link] = way
    pairs = found.overlay.pairs()
    for node in nodes:
        # A tree without the node does not change when the node fails.
        rest = found.by_class.restrict(topics=found.by_class.topics_of(node)).remove([node])
        links = Overlay.from_pairs((pair for pair in pairs if node not in pair), rest.nodes)
        cut = verify(rest, links).disconnected_topics
        whole = rest.restrict(topics=[topic for topic in rest.topics if topic not in set(cut)])
        after = carried(trees(whole, links, prefer=found))
        kept = {
            (topic, link): way
            for topic in whole.topics
            for link, way in before[topic].items()
            if node not in link
        }  # fmt: skip
        yield Failure(node, tree_changes(kept, after), cut)


def standby(found: Trees, nodes: Iterable[str] | None = None) -> list[Standby]:
    """Every link that no tree uses, with the nodes after whose failure it is needed.

    A link that stands in for no node is not needed by any repair. None of these links is deployed: after a failure the
    repaired trees are rolled out, including the link.
    """
    check_kind(found, Trees, "standby() needs Trees", "make them with deploy.trees")
    idle = set(found.unused)
    nodes_of: dict[Link, list[str]] = {link: [] for link in idle}
    topics_of: dict[Link, set[str]] = {link: set() for link in idle}
    for failure in failures(found, nodes):
        for link in {change.link for change in failure.changes if change.is_added} & idle:
            nodes_of[link].append(failure.node)
        for change in failure.changes:
            if change.is_added and change.link in idle:
                topics_of[change.link].add(change.topic)
    return [Standby(link, tuple(sorted(nodes_of[link])), tuple(sorted(topics_of[link]))) for link in sorted(idle)]
