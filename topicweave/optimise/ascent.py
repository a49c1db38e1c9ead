"""The ascent: changes prices step by step so that the cheapest trees of all topics cost more, which raises the bound.

Plain subgradient ascent with Polyak's step, θ·(links known − cost) / |direction|², where θ falls whenever the cost has
not risen for a while. All quantities that affect a decision are whole numbers or one rounded division of such, so the
same steps give the same prices on every machine and with any number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.kernels.jit import on_threads
from topicweave.kernels.optimise.ascent import FRACTION, NORM_BITS, ascend, retarget, tree_degrees
from topicweave.kernels.optimise.dive import unfinished_topics
from topicweave.kernels.optimise.prices import MOST, UNIT, cheapest_trees
from topicweave.optimise.tables import build_tables, certificate_of, num_threads_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest
    from topicweave.optimise.certificate import Certificate

PATIENCE, DECAY = 10, 0.8
LEAST_THETA = 1e-3  # if the step length factor θ is below this, prices no longer move
STEPS_PER_CAP = 20  # number of steps between two changes of the extra price for degrees
# with at most this many prices, the prices are copied after every improvement; with more, only after notable ones
SMALL_TABLE = 1 << 22
NOTABLE = 5e-4


class Ascent:
    """Prices that change step by step, and the best lower bound they have proved so far.

    Parameters
    ----------
    interest
        The interest to connect.
    upper
        Number of links of an overlay that connects it; for the maximum degree, half the nodes times a degree that can
        be reached.
    cap
        The most links of each node; None for no limit.
    is_for_degree
        Whether the bound is on the maximum degree rather than on the number of links.

    Attributes
    ----------
    prices, parent, used
        As in the kernels.
    best
        The best bound so far.
    num_steps
        Number of steps made.
    """

    def __init__(
        self, interest: Interest, upper: float, *, cap: NDArray[np.int64] | None = None, is_for_degree: bool = False
    ) -> None:
        self.interest, self.upper, self.cap, self.is_for_degree = interest, upper, cap, is_for_degree
        self.prices = build_tables(interest)
        self.order = self._all_topics = np.argsort(-interest.topic_sizes, kind="stable")
        self.parent = np.empty(interest.num_subscriptions, dtype=np.uint16)
        self.used = np.full(interest.num_subscriptions, -1, dtype=np.int64)
        self._cost = np.zeros(interest.num_topics, dtype=np.int64)
        self._norm = np.zeros(interest.num_topics, dtype=np.int64)
        base = 0 if is_for_degree else UNIT // 2
        self._base = np.full(interest.num_nodes, base, dtype=np.int64)
        self.extra = np.full(interest.num_nodes, UNIT // 2 - base, dtype=np.int64)
        self._num_threads = num_threads_for(len(self.prices.price))
        self.best, self.num_steps, self.theta = -1.0, 0, 1.0
        self._kept: tuple[float, NDArray[np.uint16], NDArray[np.int64]] | None = None
        self._being_kept: float | None = None
        self._stale, self._length = 0, 0.0

    @property
    def is_done(self) -> bool:
        """Whether more steps cannot improve the bound."""
        return self.theta < LEAST_THETA or self.best > self.upper - 1 + 1e-6

    def step(self) -> float:
        """Find the cheapest trees, record the bound that they prove, and change the prices; return the bound."""
        self.find_trees()
        value = self._value()
        self._note(value)
        self.move(self.theta * max(self.upper - value, 0.0) * self._scale())
        self.num_steps += 1
        if (self.cap is not None or self.is_for_degree) and self.num_steps % STEPS_PER_CAP == 0:
            self._move_extra()
        return value

    def find_trees(self) -> int:
        """Find the cheapest trees under the current prices; return their total cost, in units of price."""
        on_threads(self._num_threads, cheapest_trees, self.prices, self.order, self.parent, self._cost)
        return int(self._cost.sum())

    def move(self, distance: float) -> None:
        """Change the prices along the current direction; ``distance`` (in links) is divided by the direction's squared
        length.
        """
        if self._length == 0:
            self._ascend(0)
        self._ascend(int(distance / max(self._length, 1.0) * UNIT * (1 << FRACTION)))

    def leave_out_fixed_trees(self) -> None:
        """Stop spending time on topics whose trees consist of fixed links (which cost nothing), until
        ``restore_best``.
        """
        left = unfinished_topics(self.prices, self.parent, self.order)
        for t in np.setdiff1d(self.order, left):
            self._cost[t] = self._norm[t] = 0
            self.used[self.prices.topic_indptr[t] : self.prices.topic_indptr[t + 1]] = -1
        self.order = left

    def certificate(self) -> tuple[float, Certificate]:
        """The best bound so far, with the prices that prove it."""
        if self._kept is None:
            self.find_trees()
            self._note(self._value())
        assert self._kept is not None
        value, price, extra = self._kept
        # the last copy was interrupted, but the prices that were being copied are still there
        if self._being_kept is not None:
            value, price, extra = self._being_kept, self.prices.price, self.extra
        return value, certificate_of(self.interest, self.prices, price, extra, self.cap, self.is_for_degree)

    def restore_best(self) -> None:
        """Return to the prices of the best bound, in all topics."""
        self.order = self._all_topics
        if self._kept is not None:
            self.prices.price[:] = self._kept[1]
            self.extra[:] = self._kept[2]
            self._length = 0.0

    def _ascend(self, step: int) -> None:
        target = self._base + self.extra
        on_threads(self._num_threads, ascend, self.prices, self.order, self.parent, target, step, self.used, self._norm)
        self._length = int(self._norm.sum()) / (1 << NORM_BITS)

    def _scale(self) -> float:
        """How many links a unit of the bound stands for."""
        return int(self.extra.sum()) / UNIT if self.is_for_degree else 1.0

    def _value(self) -> float:
        cost = int(self._cost.sum())
        if self.is_for_degree:
            total = int(self.extra.sum())
            return cost / total if total else 0.0
        if self.cap is not None:
            cost -= int((self.extra * self.cap).sum())
        return cost / UNIT

    def _note(self, value: float) -> None:
        if value > self.best * (1 + 1e-5):
            self._stale = 0
        else:
            self._stale += 1
            if self._stale >= PATIENCE:
                self._stale = 0
                self.theta *= DECAY
        self.best = max(self.best, value)
        notable = 0.0 if len(self.prices.price) <= SMALL_TABLE else NOTABLE
        if self._kept is None:
            self._kept = value, self.prices.price.copy(), self.extra.copy()
        elif value > self._kept[0] * (1 + notable) and value > self._kept[0]:
            self._being_kept = value
            self._kept[1][:], self._kept[2][:] = self.prices.price, self.extra
            self._kept = value, self._kept[1], self._kept[2]
            self._being_kept = None

    def _move_extra(self) -> None:
        """Raise the extra price of links at nodes that have more tree links than the limit allows, and lower it at the
        others.
        """
        degree = tree_degrees(self.prices, self.order, self.parent).astype(np.float64) / (1 << NORM_BITS)
        cap = np.full(len(degree), max(self.best, 0.0)) if self.cap is None else self.cap.astype(np.float64)
        excess = degree - cap
        direction = np.where((excess < 0) & (self.extra == 0), 0.0, excess)
        length = float(direction @ direction)
        if length == 0:
            return
        gap = max(self.upper - self.best, 0.0) * self._scale()
        moved = self.extra + np.floor(self.theta * gap / length * UNIT * direction).astype(np.int64)
        highest = (MOST - 1) // 2 - int(self._base[0])
        self.extra = np.clip(moved, 0, highest)
        if self.is_for_degree and not self.extra.any():
            self.extra[:] = UNIT // 2
        on_threads(self._num_threads, retarget, self.prices, self._base + self.extra)
        self._length = 0.0
