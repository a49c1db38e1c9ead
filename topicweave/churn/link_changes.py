"""LinkChanges: adds and removes links, and records the net effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.churn.overlay_state import OverlayState

Pair = tuple[int, int]


class LinkChanges:
    """Adds and removes links of an overlay and records the net effect, in order.

    Attributes
    ----------
    added, removed
        Pairs of slots, the smaller first; a link that was made and dropped again is in neither.
    """

    def __init__(self, state: OverlayState) -> None:
        self.state = state
        self.added: dict[Pair, None] = {}
        self.removed: dict[Pair, None] = {}

    @property
    def num_changed(self) -> int:
        """The number of links by which the overlay differs from that at the start."""
        return len(self.added) + len(self.removed)

    @property
    def new_ends(self) -> set[int]:
        """The nodes at the ends of the new links."""
        return {v for pair in self.added for v in pair}

    def link(self, pairs: NDArray[np.int32]) -> None:
        """Make these links."""
        if len(pairs):
            self.state.link(pairs)
            _note(pairs, self.added, self.removed)

    def unlink(self, pairs: NDArray[np.int32]) -> None:
        """Drop these links; each must be given only once."""
        if len(pairs):
            self.state.unlink(pairs)
            _note(pairs, self.removed, self.added)

    def num_changed_with(self, other: LinkChanges) -> int:
        """The number of links by which the overlay differs from that at the start after these changes and, later,
        the changes ``other``.
        """
        undone = sum(pair in self.added for pair in other.removed) + sum(pair in self.removed for pair in other.added)
        return self.num_changed + other.num_changed - 2 * undone

    def absorb(self, other: LinkChanges) -> None:
        """Add later changes, which were already applied to the overlay, to this record."""
        _note(_array(other.removed), self.removed, self.added)
        _note(_array(other.added), self.added, self.removed)

    def undo(self) -> None:
        """Undo all changes: drop the links that were made, and make those that were dropped again."""
        added, removed = _array(self.added), _array(self.removed)
        self.unlink(added)
        self.link(removed)


def star(v: int, others: NDArray[np.int32]) -> NDArray[np.int32]:
    """The pairs of node v with each of the others."""
    return np.stack((np.full(len(others), v, dtype=np.int32), others), axis=1)


def _note(pairs: NDArray[np.int32], done: dict[Pair, None], undone: dict[Pair, None]) -> None:
    for u, v in pairs.tolist():
        pair = (u, v) if u < v else (v, u)
        if pair in undone:
            del undone[pair]
        else:
            done[pair] = None


def _array(pairs: dict[Pair, None]) -> NDArray[np.int32]:
    return np.array(list(pairs), dtype=np.int32).reshape(-1, 2)
