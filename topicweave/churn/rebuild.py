"""Rebuild: makes a new design from scratch after every event; the baseline for the other maintainers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from topicweave.churn.candidates import Candidates
from topicweave.churn.change import Change
from topicweave.churn.maintainer import Maintainer, static_overlay
from topicweave.churn.reoptimise import check_budget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from topicweave.churn.difference import Gain, Loss
    from topicweave.churn.repair import Repair


class Rebuild(Maintainer):
    """Makes a new design after every event: lowest degrees, but most time and most links changed.

    Takes the parameters of :class:`Maintainer`.
    """

    name: ClassVar[str] = "rebuild"

    def candidates(self, repair: Repair) -> Candidates:
        return Nobody(repair)

    def reoptimise(self, budget: int) -> Change:
        """Does nothing: every event leads to a new design, so there is nothing to improve."""
        check_budget(budget)
        return Change()


class Nobody(Candidates):
    """The candidates of Rebuild: none, because a new design connects everything in the end."""

    def for_losses(self, losses: Sequence[Loss]) -> NDArray[np.int32] | None:
        return None

    def for_gains(self, gains: Sequence[Gain]) -> NDArray[np.int32] | None:
        return None

    def finish(self) -> None:
        begun = time.perf_counter()
        state, repair = self.state, self.repair
        interest = state.interest()
        wanted = static_overlay(interest, repair.parameters)
        slot = np.array([state.nodes.number[label] for label in interest.nodes], dtype=np.int32)
        new = _codes(slot[wanted.edges].reshape(-1, 2))
        old = _codes(state.links())
        repair.links.unlink(_pairs(np.setdiff1d(old, new)))
        repair.links.link(_pairs(np.setdiff1d(new, old)))
        repair.repair_seconds += time.perf_counter() - begun
        repair.shadow_size = interest.num_nodes


def _codes(pairs: NDArray[np.int32]) -> NDArray[np.int64]:
    ends = np.sort(pairs, axis=1).astype(np.int64)
    return (ends[:, 0] << 32) | ends[:, 1]


def _pairs(codes: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.stack((codes >> 32, codes & 0xFFFFFFFF), axis=1).astype(np.int32)
