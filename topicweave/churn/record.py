"""Record: which links an event has made and dropped so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.churn.overlay_state import Network

Pair = tuple[int, int]


class Record:
    """Makes and drops links of a network and remembers the net effect, in order."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.added: dict[Pair, None] = {}
        self.removed: dict[Pair, None] = {}
        self.repair_seconds = 0.0
        self.shadow_size = 0

    def link(self, pairs: NDArray[np.int32]) -> None:
        """Make these links."""
        if len(pairs):
            self.network.link(pairs)
            self._note(pairs, self.added, self.removed)

    def unlink(self, pairs: NDArray[np.int32]) -> None:
        """Drop these links, each given once."""
        if len(pairs):
            self.network.unlink(pairs)
            self._note(pairs, self.removed, self.added)

    @property
    def num_links(self) -> int:
        return len(self.added) + len(self.removed)

    def touched(self) -> set[int]:
        """The ends of the links that were made."""
        return {v for pair in self.added for v in pair}

    @staticmethod
    def _note(pairs: NDArray[np.int32], done: dict[Pair, None], undone: dict[Pair, None]) -> None:
        for u, v in pairs.tolist():
            pair = (u, v) if u < v else (v, u)
            if pair in undone:
                del undone[pair]
            else:
                done[pair] = None


def star(v: int, others: NDArray[np.int32]) -> NDArray[np.int32]:
    """The links from v to others."""
    return np.stack((np.full(len(others), v, dtype=np.int32), others), axis=1)
