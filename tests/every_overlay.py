"""Every overlay of a tiny interest at once: brute force for lemmas and guarantees.

Overlay number S holds pair i exactly if bit i of S is set. With six nodes there are 15 pairs and 32,768 overlays.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class EveryOverlay:
    """What is known of each of the 2^|pairs| overlays.

    Attributes
    ----------
    pairs
        The pairs of nodes, in the order of the bits.
    tcc
        Topic-connected components, TCC(E).
    links, maximum_degree
        Of each overlay.
    """

    pairs: list[tuple[int, int]]
    tcc: NDArray[np.int64]
    links: NDArray[np.int64]
    maximum_degree: NDArray[np.int64]

    @property
    def is_tco(self) -> NDArray[np.bool_]:
        """Whether each overlay connects every topic: no overlay has fewer components than all pairs together."""
        return self.tcc == self.tcc[-1]

    def number(self, edges: list[tuple[int, int]]) -> int:
        """The number of the overlay with these links."""
        return sum(1 << self.pairs.index((min(edge), max(edge))) for edge in edges)

    def gain(self, overlay: int) -> NDArray[np.int64]:
        """For each overlay, how many components disappear when its links join those of the given one."""
        together = np.arange(len(self.tcc)) | overlay
        return self.tcc[overlay] - self.tcc[together]


def every_overlay(topics_of: dict[int, set[int]]) -> EveryOverlay:
    """Work out all overlays of an interest with nodes 0 … n-1."""
    nodes = sorted(topics_of)
    pairs = list(combinations(nodes, 2))
    size = 1 << len(pairs)
    tcc = np.zeros(size, dtype=np.int64)
    for topic in set().union(*topics_of.values()):
        tcc += _components(pairs, [topic in topics_of[node] for node in nodes])
    degree = np.zeros((size, len(nodes)), dtype=np.int64)
    for bit, pair in enumerate(pairs):
        degree[:, pair] += ((np.arange(size) >> bit) & 1)[:, None]
    return EveryOverlay(pairs, tcc, degree.sum(axis=1) // 2, degree.max(axis=1))


def _components(pairs: list[tuple[int, int]], is_member: list[bool]) -> NDArray[np.int64]:
    """For every overlay, the connected components that a topic's subscribers form among themselves.

    The label of a node is the least node of its component. Overlays with bit b as their highest are those without it
    plus one link, which relabels at most one component.
    """
    labels = np.empty((1 << len(pairs), len(is_member)), dtype=np.int64)
    labels[0] = np.arange(len(is_member))
    for bit, (one, other) in enumerate(pairs):
        before = labels[: 1 << bit]
        after = before.copy()
        if is_member[one] and is_member[other]:
            least = np.minimum(before[:, one], before[:, other])[:, None]
            most = np.maximum(before[:, one], before[:, other])[:, None]
            after = np.where(before == most, least, before)
        labels[1 << bit : 2 << bit] = after
    is_least = labels == np.arange(len(is_member))
    return np.asarray((is_least & np.array(is_member)).sum(axis=1))
