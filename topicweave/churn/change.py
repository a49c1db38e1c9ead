"""Change: what an event did to the overlay."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from topicweave.deprecation import warn_renamed

if TYPE_CHECKING:
    from topicweave.trees.difference import TreeChange

Link = tuple[str, str]


@dataclass(frozen=True)
class Change:
    """Links made and dropped by an event or a batch; a link both dropped and made again is in neither.

    Attributes
    ----------
    added, removed
        Label pairs, the smaller label first; the links of a node that left are among the removed.
    seconds
        How long it took, everything included.
    repair_seconds
        How long it took until the overlay was topic-connected again (Step II of SHADOW: backups not included).
    visited_links
        How many links were visited to find out what the event had broken.
    shadow_size
        How many nodes the repair chose its links among.
    trees
        Which topics begin and cease to be carried over which links, and in which direction; removals first. Empty
        unless the maintainer follows trees: see :meth:`topicweave.churn.Maintainer.follow_trees`.
    """

    added: tuple[Link, ...] = ()
    removed: tuple[Link, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    repair_seconds: float = field(default=0.0, compare=False)
    visited_links: int = field(default=0, compare=False)
    shadow_size: int = field(default=0, compare=False)
    trees: tuple[TreeChange, ...] = ()

    @property
    def num_changed(self) -> int:
        """How many links changed: the repair edge number of SHADOW §VI."""
        return len(self.added) + len(self.removed)

    def in_two_steps(self) -> tuple[Change, Change]:
        """The same change as two: all links that are made, then all that are dropped; between them none is missing.

        Trees change with the second: until then messages go by the earlier ones, whose links are still there.
        """
        return replace(self, removed=(), trees=()), Change(removed=self.removed, trees=self.trees)

    @property
    def num_links(self) -> int:
        """The former name of :attr:`num_changed`."""
        warn_renamed("Change.num_links", "num_changed")
        return self.num_changed
