"""Backups: for each node, a few other nodes that together have all its topics, each topic several times (SHADOW
§IV).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.kernels.churn.backups import (
    GREEDY,
    PRIMAL_DUAL,
    build_backups,
    forget_backup,
    forget_backups,
    list_lacking,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from topicweave.churn.overlay_state import OverlayState

RULES = {"primal_dual": PRIMAL_DUAL, "greedy": GREEDY}


class Backups:
    """Chooses backups for nodes, and stores them in the overlay's state.

    Parameters
    ----------
    state
        The overlay.
    coverage, rule
        See :class:`topicweave.churn.Shadow`.
    random
        The state of the random number generator: an array of one uint64, which must not be 0.

    Attributes
    ----------
    due
        The nodes whose backups still have to be chosen again.
    """

    def __init__(self, state: OverlayState, coverage: int, rule: str, random: NDArray[np.uint64]) -> None:
        self.state = state
        self.coverage = coverage
        self.rule = RULES[rule]
        self.random = random
        self.due: list[int] = []

    def of(self, node: int) -> NDArray[np.int32]:
        """The backups of this node."""
        return self.state.content("backups", node)

    def primaries(self, node: int) -> NDArray[np.int32]:
        """The nodes that have this node as a backup."""
        return self.state.content("primaries", node)

    def build(self, nodes: Iterable[int]) -> None:
        """Choose backups again for these nodes, in the given order (Alg. 6)."""
        state = self.state
        listed = np.fromiter(nodes, dtype=np.int32)
        done = 0
        while True:
            done = build_backups(
                listed, done, state.rows, len(state.nodes.label), state.subscribers, state.neighbours, state.backups,
                state.primaries, self.coverage, self.rule, state.choice, self.random,
            )  # fmt: skip
            if done == len(listed):
                return
            state.enlarge("backups")
            state.enlarge("primaries")

    def catch_up(self) -> None:
        """Choose backups for all nodes marked as due."""
        if self.due:
            self.build(self.due)
            self.due = []

    def forget(self, node: int) -> None:
        """Remove all trace of a node that leaves: its backups, and its entries as a backup of other nodes."""
        forget_backups(node, self.state.backups, self.state.primaries)
        forget_backup(node, self.state.backups, self.state.primaries)

    def lacking(self, nodes: Iterable[int]) -> list[int]:
        """Which of these nodes have fewer backups for a topic than required, although the topic has other
        subscribers.
        """
        state = self.state
        listed = np.array(sorted(nodes), dtype=np.int32)
        found: list[int] = list_lacking(
            listed, state.rows, state.subscribers, state.backups, self.coverage, state.choice
        ).tolist()
        return found
