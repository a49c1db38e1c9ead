"""What to do when one broker fails: how the trees change, and which topics are cut."""

from __future__ import annotations

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


@dataclass(frozen=True)
class Failure:
    """The failure of one node.

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


def failures(found: Trees, nodes: Iterable[str] | None = None) -> Iterator[Failure]:
    """What to do if each of these nodes (by default all) fails, one at a time."""
    check_kind(found, Trees, "failures() needs Trees", "make them with deploy.trees")
    return _failures(found, found.interest.nodes if nodes is None else as_labels(tuple(listed(nodes, "node")), "node"))


def _failures(found: Trees, nodes: Iterable[str]) -> Iterator[Failure]:
    before = carried(found)
    for node in nodes:
        rest = found.interest.remove([node])
        links = Overlay.from_pairs((pair for pair in found.overlay.pairs() if node not in pair), rest.nodes)
        cut = verify(rest, links).disconnected_topics
        whole = rest.restrict(topics=[topic for topic in rest.topics if topic not in set(cut)])
        after = carried(trees(whole, links, prefer=found))
        broken = set(cut)
        kept = {key: way for key, way in before.items() if node not in key[1] and key[0] not in broken}
        yield Failure(node, tree_changes(kept, after), cut)
