"""The optimum of small instances, by a mixed-integer programme and HiGHS.

Variables: ``x[i, j]``, user i sits at broker j; ``w[c, R]``, the brokers with a subscriber of channel c are exactly
the set R; ``u[i, c, j, R]``, their product for a publisher i of c. With the sums of u over R and over j
equal to x and w, the cost of a publisher's tree, which depends on (j, R), is linear. Channels with the same
subscribers have the same R and are one.
"""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.content.assignment import MethodResult
from topicweave.content.cost import cost
from topicweave.content.greedy_packing import greedy_packing
from topicweave.content.migration import improve
from topicweave.errors import InfeasibleError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from topicweave.content.instance import Instance

MOST_VARIABLES = 400_000
SOLVER = "topicweave: HiGHS"  # the name of the solver's thread


def exact(instance: Instance, *, time_limit: float, seed: int) -> MethodResult:
    """Prove the optimum, or stop at the time limit with the best found, a bound and a gap.

    Parameters
    ----------
    instance
        The problem; brokers enter as 2 to their number.
    time_limit
        Seconds.
    seed
        Not used: the solver is deterministic.
    """
    model = _Model(instance)
    found = _interruptible(lambda: model.solve(time_limit))
    if found.status == 2:
        raise InfeasibleError(
            f"No assignment of the {instance.num_users} users keeps every broker within its capacity, although all "
            f"together have room for {instance.capacity.sum() - instance.need.sum():g} more; add capacity."
        )
    bound = float(found.mip_dual_bound) if found.mip_dual_bound is not None else 0.0
    if found.x is not None:
        size = instance.num_users * instance.num_brokers
        broker = found.x[:size].reshape(instance.num_users, instance.num_brokers).argmax(axis=1).astype(np.int64)
        if found.status == 0:
            return MethodResult(broker, bound=min(cost(instance, broker).total, bound), notes=("The optimum, proved.",))
    # What the solver has by then may be worse than what takes no time.
    packed, _, _ = improve(instance, greedy_packing(instance, seed=seed).broker)
    if found.x is None or cost(instance, packed).total <= cost(instance, broker).total:
        note = f"Nothing better found in {time_limit:g} s; this is packing, improved."
        return MethodResult(packed, bound=max(bound, 0.0), notes=(note,))
    return MethodResult(broker, bound=bound, notes=(f"The time limit of {time_limit:g} s was reached.",))


def _interruptible(solve: Callable[[], Any]) -> Any:
    """Solve in another thread: the solver does not hear Ctrl-C, but whoever waits for it does.

    An abandoned solver goes on to its time limit, unless the process ends.
    """
    answers: Queue[tuple[Any, BaseException | None]] = Queue()

    def work() -> None:
        try:
            answers.put((solve(), None))
        except BaseException as error:
            answers.put((None, error))

    Thread(target=work, name=SOLVER, daemon=True).start()
    while True:
        with suppress(Empty):  # waiting without end, a signal that came to another thread would not be noticed
            found, error = answers.get(timeout=0.1)
            break
    if error is not None:
        raise error
    return found


class _Model:
    """The programme's arrays."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        users, brokers = instance.num_users, instance.num_brokers
        columns, group = np.unique(instance.subscribe, axis=1, return_inverse=True)
        self.wanted = columns  # users × groups of channels with the same subscribers
        rate = np.zeros((users, columns.shape[1]))
        np.add.at(rate.T, group.ravel(), instance.rate.T)
        self.publishers = np.argwhere(rate > 0)
        num_sets = int(2 ** min(brokers, 40))
        self.num_w: int = int(columns.shape[1]) * num_sets
        self.num_u = len(self.publishers) * brokers * num_sets
        size = users * brokers + self.num_w + self.num_u
        if size > MOST_VARIABLES:
            raise TooLargeError(
                f"The exact programme for {users} users, {brokers} brokers and {columns.shape[1]} kinds of channel "
                f"would have {size:,} variables, and {MOST_VARIABLES:,} is the most; use 'best' instead."
            )
        self.num_sets = num_sets
        weights = _tree_weights(instance)
        self.objective = np.concatenate(
            [
                (instance.need[:, None] * instance.access_price).ravel(),
                np.zeros(self.num_w),
                *(rate[i, c] * weights.ravel() for i, c in self.publishers),
            ]
        )
        self.integrality = np.repeat(np.array([1, 0]), (users * brokers + self.num_w, self.num_u))
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        self._add_rows()

    def solve(self, time_limit: float) -> Any:
        """What HiGHS finds."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        return milp(
            self.objective,
            constraints=LinearConstraint(self.matrix(), self.low, self.high),
            integrality=self.integrality,
            bounds=Bounds(0, 1),
            options={"time_limit": time_limit, "mip_rel_gap": 1e-9},
        )

    def matrix(self) -> Any:
        """The constraints as a sparse matrix."""
        from scipy import sparse

        return sparse.csr_array((self.values, (self.rows, self.columns)), shape=(len(self.low), len(self.objective)))

    def _row(self, entries: list[tuple[int, float]], low: float, high: float) -> None:
        for column, value in entries:
            self.rows.append(len(self.low))
            self.columns.append(column)
            self.values.append(value)
        self.low.append(low)
        self.high.append(high)

    def _x(self, i: int, j: int) -> int:
        return i * self.instance.num_brokers + j

    def _w(self, c: int, chosen: int) -> int:
        return self.instance.num_users * self.instance.num_brokers + c * self.num_sets + chosen

    def _u(self, position: int, j: int, chosen: int) -> int:
        first = self.instance.num_users * self.instance.num_brokers + self.num_w
        return first + (position * self.instance.num_brokers + j) * self.num_sets + chosen

    def _add_rows(self) -> None:
        instance = self.instance
        users, brokers, sets = range(instance.num_users), range(instance.num_brokers), range(self.num_sets)
        for i in users:
            self._row([(self._x(i, j), 1.0) for j in brokers], 1, 1)
        for j in brokers:
            self._row([(self._x(i, j), float(instance.need[i])) for i in users], 0, float(instance.limit[j]))
        for c in range(self.wanted.shape[1]):
            self._row([(self._w(c, chosen), 1.0) for chosen in sets], 1, 1)
            subscribers = np.flatnonzero(self.wanted[:, c])
            for j in brokers:
                with_j = [(self._w(c, chosen), 1.0) for chosen in sets if chosen >> j & 1]
                for i in subscribers.tolist():
                    self._row([*with_j, (self._x(int(i), j), -1.0)], 0, 1)
                # a broker without subscribers must stay out, even where it would make the tree cheaper
                self._row([*with_j, *((self._x(int(i), j), -1.0) for i in subscribers)], -len(subscribers), 0)
        for position, (i, c) in enumerate(self.publishers.tolist()):
            for j in brokers:
                self._row([*((self._u(position, j, r), 1.0) for r in sets), (self._x(int(i), j), -1.0)], 0, 0)
            for r in sets:
                self._row([*((self._u(position, j, r), 1.0) for j in brokers), (self._w(int(c), r), -1.0)], 0, 0)


def _tree_weights(instance: Instance) -> NDArray[np.float64]:
    """Brokers × sets of brokers: the weight of the tree over the set and the broker."""
    from topicweave.kernels.content.trees import grow_tree

    count = instance.num_brokers
    weights = np.zeros((count, 2**count))
    order, up, weight = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64), np.empty(count)
    for j in range(count):
        for chosen in range(1, 2**count):
            members = np.array([k for k in range(count) if (chosen | 1 << j) >> k & 1])
            weights[j, chosen] = grow_tree(instance.core_price, members, len(members), order, up, weight)
    return weights
