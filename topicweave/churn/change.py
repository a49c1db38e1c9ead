"""Change: what an event did to the overlay."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from topicweave.deprecation import warn_renamed

if TYPE_CHECKING:
    from topicweave.metrics.violations import Violation
    from topicweave.trees.difference import TreeChange

Link = tuple[str, str]


@dataclass(frozen=True)
class Change:
    """Links added and removed by an event or a batch; a link that was dropped and then made again is not listed.

    Attributes
    ----------
    added, removed
        Label pairs, the smaller label first; the links of a node that left are among the removed.
    seconds
        Duration of everything together.
    repair_seconds
        Time until the overlay was topic-connected again (Step II of SHADOW, without choosing backups).
    visited_links
        How many links the repair had to look at to find out which topics the event had disconnected.
    shadow_size
        Number of nodes among which the repair chose its links.
    trees
        Which topics start and stop being carried over which links, and in which direction; removals first. Empty unless
        the maintainer follows trees, see :meth:`topicweave.churn.Maintainer.follow_trees`.
    violations
        What violates the requirements after the event, if the maintainer keeps requirements.
    proof
        Why no overlay meets them after the event; empty if there is no proof of that.
    """

    added: tuple[Link, ...] = ()
    removed: tuple[Link, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    repair_seconds: float = field(default=0.0, compare=False)
    visited_links: int = field(default=0, compare=False)
    shadow_size: int = field(default=0, compare=False)
    trees: tuple[TreeChange, ...] = ()
    violations: tuple[Violation, ...] = ()
    proof: str = ""

    @property
    def num_changed(self) -> int:
        """The number of links added or removed: the "repair edge number" of SHADOW §VI."""
        return len(self.added) + len(self.removed)

    def in_two_steps(self) -> tuple[Change, Change]:
        """The same change in two steps: first add all new links, then remove all old ones.

        Trees change in the second step: until then messages use the earlier trees, whose links still exist.
        """
        first = replace(self, removed=(), trees=(), violations=(), proof="")
        return first, Change(removed=self.removed, trees=self.trees, violations=self.violations, proof=self.proof)

    @property
    def num_links(self) -> int:
        """The former name of :attr:`num_changed`."""
        warn_renamed("Change.num_links", "num_changed")
        return self.num_changed
