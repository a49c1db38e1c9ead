"""Naive: after a leave all pairs are looked at, after a join all pairs with the newcomer (SHADOW Alg. 3 and 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from topicweave.churn.maintainer import Gain, Loss, Maintainer, without
from topicweave.churn.reoptimise import reoptimise
from topicweave.kernels.churn.small_problem import set_bits

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from topicweave.churn.change import Change


class Naive(Maintainer):
    """Repairs with the best links anywhere; dear, for a leave looks at every pair that shares a broken topic.

    Takes the parameters of :class:`Maintainer`.
    """

    name: ClassVar[str] = "naive"

    def reoptimise(self, budget: int) -> Change:
        return reoptimise(self, budget)

    def _nodes_to_mend_among(self, losses: list[Loss]) -> NDArray[np.int32]:
        return self._subscribers(loss.topics for loss in losses)

    def _nodes_to_join_to(self, gains: list[Gain]) -> NDArray[np.int32]:
        return without(self._subscribers(gain.topics for gain in gains), [gain.node for gain in gains])

    def _subscribers(self, topics: Iterable[NDArray[np.int32]]) -> NDArray[np.int32]:
        wanted = np.zeros(self.network.rows.shape[1], dtype=np.uint64)
        for part in topics:
            set_bits(wanted, part)
        return np.flatnonzero((self.network.rows & wanted).any(axis=1)).astype(np.int32)
