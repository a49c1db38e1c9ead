"""Naive: considers all pairs after a leave, and all pairs with the newcomer after a join (SHADOW Alg. 3 and 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from topicweave.churn.candidates import Candidates
from topicweave.churn.difference import without
from topicweave.churn.maintainer import Maintainer
from topicweave.kernels.churn.small_problem import set_bits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from topicweave.churn.difference import Gain, Loss
    from topicweave.churn.repair import Repair


class Naive(Maintainer):
    """Repairs with the best links anywhere; expensive, because a leave considers every pair that shares a broken topic.

    Takes the parameters of :class:`Maintainer`.
    """

    name: ClassVar[str] = "naive"

    def candidates(self, repair: Repair) -> Candidates:
        return Everybody(repair)


class Everybody(Candidates):
    """The candidates of Naive: all subscribers of the lost or gained topics."""

    def for_losses(self, losses: Sequence[Loss]) -> NDArray[np.int32]:
        return self._subscribers(loss.topics for loss in losses)

    def for_gains(self, gains: Sequence[Gain]) -> NDArray[np.int32]:
        return without(self._subscribers(gain.topics for gain in gains), [gain.node for gain in gains])

    def _subscribers(self, topics: Iterable[NDArray[np.int32]]) -> NDArray[np.int32]:
        wanted = np.zeros(self.state.rows.shape[1], dtype=np.uint64)
        for part in topics:
            set_bits(wanted, part)
        return np.flatnonzero((self.state.rows & wanted).any(axis=1)).astype(np.int32)
