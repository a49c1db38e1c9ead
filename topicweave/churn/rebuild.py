"""Rebuild: the static design anew after every event; the comparator that the others are measured against."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from topicweave.churn.change import Change
from topicweave.churn.maintainer import Gain, Loss, Maintainer, designed
from topicweave.churn.reoptimise import checked_budget

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.churn.record import Record


class Rebuild(Maintainer):
    """Designs from scratch after every event: least degrees, most time, most links changed.

    Takes the parameters of :class:`Maintainer`.
    """

    name: ClassVar[str] = "rebuild"

    def reoptimise(self, budget: int) -> Change:
        """There is nothing to win back: every event designs anew."""
        checked_budget(budget)
        return Change()

    def _nodes_to_mend_among(self, losses: list[Loss]) -> NDArray[np.int32]:
        return np.empty(0, dtype=np.int32)

    def _nodes_to_join_to(self, gains: list[Gain]) -> NDArray[np.int32]:
        return np.empty(0, dtype=np.int32)

    def _mend(
        self, losses: list[Loss], members: NDArray[np.int32], record: Record, num_newcomers: int | None = None
    ) -> None:
        """Nothing is mended: the new design connects everything."""

    def _connect(
        self, members: NDArray[np.int32], pieces: NDArray[np.int32], num_newcomers: int | None
    ) -> NDArray[np.int32]:
        return np.empty((0, 2), dtype=np.int32)

    def _after_event(self, losses: list[Loss], gains: list[Gain], record: Record) -> None:
        begun = time.perf_counter()
        network = self.network
        interest = network.interest()
        wanted = designed(interest, self.parameters)
        slot = np.array([network.nodes.number[label] for label in interest.nodes], dtype=np.int32)
        new = _codes(slot[wanted.edges].reshape(-1, 2))
        old = _codes(network.links())
        record.unlink(_pairs(np.setdiff1d(old, new)))
        record.link(_pairs(np.setdiff1d(new, old)))
        record.repair_seconds += time.perf_counter() - begun
        record.shadow_size = interest.num_nodes


def _codes(pairs: NDArray[np.int32]) -> NDArray[np.int64]:
    ends = np.sort(pairs, axis=1).astype(np.int64)
    return (ends[:, 0] << 32) | ends[:, 1]


def _pairs(codes: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.stack((codes >> 32, codes & 0xFFFFFFFF), axis=1).astype(np.int32)
