"""The changes from one plan to another: links, trees, and the lines of every broker's configuration file."""

from __future__ import annotations

import difflib
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.deploy.bridges import deployment
from topicweave.deploy.inventory import GOOD_HOST, Broker, Inventory
from topicweave.deploy.mosquitto import INSIDE, mosquitto_files
from topicweave.trees.difference import BACKWARD, BOTH, FORWARD, carried, tree_changes
from topicweave.wording import counted

if TYPE_CHECKING:
    from topicweave.trees import TreeChange, Trees

ARROWS = {BOTH: "↔", FORWARD: "→", BACKWARD: "←"}


@dataclass(frozen=True)
class PlanDifference:
    """What differs between two plans.

    Attributes
    ----------
    joined, left
        Brokers that are new, and brokers that are gone.
    links_added, links_removed
        Links that trees start and stop using.
    tree_changes
        Which topics start and stop being carried over which links.
    files
        For each broker whose file changes, the lines that are added (``+``) and removed (``-``). A line that begins
        with a blank names the connection to which the lines after it belong.
    """

    joined: tuple[str, ...]
    left: tuple[str, ...]
    links_added: tuple[tuple[str, str], ...]
    links_removed: tuple[tuple[str, str], ...]
    tree_changes: tuple[TreeChange, ...]
    files: dict[str, tuple[str, ...]]

    @property
    def is_empty(self) -> bool:
        """Whether the plans are the same."""
        return not (self.joined or self.left or self.tree_changes or self.files)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics whose trees change."""
        return tuple(sorted({change.topic for change in self.tree_changes}))

    @property
    def links_by_topic(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """For every topic whose tree changes, the links that it starts and stops using, with directions, as text."""
        found: dict[str, tuple[list[str], list[str]]] = {}
        for topic, (one, other), way, is_added in self.tree_changes:
            found.setdefault(topic, ([], []))[not is_added].append(f"{one} {ARROWS[way]} {other}")
        return {topic: (tuple(added), tuple(removed)) for topic, (added, removed) in sorted(found.items())}

    def summary(self) -> str:
        """The differences in one line."""
        if self.is_empty:
            return "Nothing changes."
        return (
            f"{counted(len(self.files), 'file')} to change: {counted(len(self.links_added), 'link')} to add, "
            f"{len(self.links_removed)} to remove, {counted(len(self.topics), 'topic')} with another tree, "
            f"{counted(len(self.joined), 'broker')} to start, {len(self.left)} to stop."
        )

    def text(self) -> str:
        """The differences as text: brokers, then links, then trees by topic, then file by file."""
        lines = [f"  + broker {name}" for name in self.joined] + [f"  - broker {name}" for name in self.left]
        lines += [f"  + link {a} - {b}" for a, b in self.links_added]
        lines += [f"  - link {a} - {b}" for a, b in self.links_removed]
        for topic, (added, removed) in self.links_by_topic.items():
            lines.append(f"  ~ tree of {topic}")
            lines += [f"      + {link}" for link in added] + [f"      - {link}" for link in removed]
        for name, changed in self.files.items():
            lines += [f"  ~ {name}/topicweave.conf", *(f"      {line}" for line in changed)]
        return "\n".join([*lines, self.summary()])

    def to_dict(self) -> dict[str, Any]:
        """The differences as a dictionary that JSON can represent."""
        return {
            "joined": list(self.joined), "left": list(self.left), "links_added": list(self.links_added),
            "links_removed": list(self.links_removed), "trees": [change._asdict() for change in self.tree_changes],
            "files": {name: list(lines) for name, lines in self.files.items()},
        }  # fmt: skip


def unnamed_inventory(*plans: Trees) -> Inventory:
    """The inventory used when none is given: every broker's name is also its host name.

    A name that cannot be a host name, because it has blanks or slashes, is replaced by a digest of it.
    """
    nodes = sorted({node for plan in plans for node in plan.interest.nodes})
    return Inventory(Broker(name, _host_of(name), 1883, 1884) for name in nodes)


def _host_of(name: str) -> str:
    if GOOD_HOST.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode(errors="backslashreplace")).hexdigest()
    return f"broker-{digest[:16]}"


def plan_difference(
    before: Trees, after: Trees, inventory: Inventory | None = None, *, layout: str = INSIDE, prefixes: bool = True
) -> PlanDifference:
    """Compare the trees of two plans, and the broker files that follow from them."""
    inventory = unnamed_inventory(before, after) if inventory is None else inventory
    nodes = [set(trees.interest.nodes) for trees in (before, after)]
    planned = [deployment(trees, inventory, prefixes=prefixes, others=nodes[0] | nodes[1]) for trees in (before, after)]
    old, new = (mosquitto_files(each, inventory, layout, names) for each, names in zip(planned, nodes, strict=True))
    files = {}
    for name in sorted(old.keys() | new.keys()):
        if changed := _changed_lines(old.get(name, ""), new.get(name, "")):
            files[name] = changed
    links = [{link for _, link in carried(trees)} for trees in (before, after)]
    return PlanDifference(
        joined=tuple(sorted(nodes[1] - nodes[0])),
        left=tuple(sorted(nodes[0] - nodes[1])),
        links_added=tuple(sorted(links[1] - links[0])),
        links_removed=tuple(sorted(links[0] - links[1])),
        tree_changes=tree_changes(carried(before), carried(after)),
        files=files,
    )


def _changed_lines(old: str, new: str) -> tuple[str, ...]:
    """The lines that differ between two files, connection by connection."""
    before, after = _by_connection(old), _by_connection(new)
    found: list[str] = []
    for name in [*before, *(name for name in after if name not in before)]:
        one, other = before.get(name, []), after.get(name, [])
        lines = difflib.unified_diff(one, other, n=0, lineterm="")
        changed = [line for line in lines if line[0] in "+-" and line[:3] not in ("+++", "---") and line[1:]]
        if changed and name in before and name in after and name:
            found.append(f" {name}")
        found += changed
    return tuple(found)


def _by_connection(text: str) -> dict[str, list[str]]:
    """Divide the lines of a configuration file among its connections.

    The key of a connection is its first line, such as ``connection x``. Lines before the first connection have the key
    ``""``.
    """
    found: dict[str, list[str]] = {"": []}
    name = ""
    for line in text.splitlines():
        if line.startswith("connection "):
            name = line
        found.setdefault(name, []).append(line)
    return found
