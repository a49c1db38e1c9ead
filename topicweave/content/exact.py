"""The optimum of small instances, by a mixed-integer programme and HiGHS.

Variables: ``x[i, j]``, user i sits at broker j; ``w[c, R]``, the brokers with a subscriber of channel c are exactly
the set R; ``u[i, c, j, R]``, their product for a publisher i of c. With the sums of u over R and over j
equal to x and w, the cost of a publisher's tree, which depends on (j, R), is linear. Channels with the same
subscribers have the same R and are one.
"""

from __future__ import annotations

import time
from contextlib import suppress
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.content.assignment import MethodResult
from topicweave.content.cost import cost
from topicweave.content.greedy_packing import greedy_packing
from topicweave.content.migration import improve
from topicweave.errors import InfeasibleError, InputError, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from topicweave.content.instance import Instance

MOST_VARIABLES = 400_000
SOLVER = "topicweave: HiGHS"  # the name of the solver's thread
HIGHS_COST = 1e3  # what the cost known at the start is to the solver
SAME = 1e-6  # costs that differ by a smaller share are taken for the same
PROVED = "The optimum, proved."


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
    packed = _packed(instance, seed)
    known = np.inf if packed is None else cost(instance, packed).total
    if packed is not None and known == 0:
        return MethodResult(packed, bound=0.0, notes=(PROVED,))
    found = _interruptible(lambda: model.solve(time_limit, known))
    if found.status == 2 and packed is None:
        raise InfeasibleError(
            f"No assignment of the {instance.num_users} users keeps every broker within its capacity, although all "
            f"together have room for {instance.capacity.sum() - instance.need.sum():g} more; add capacity."
        )
    bound = max(float(found.mip_dual_bound), 0.0) if found.mip_dual_bound is not None else 0.0
    # The solver's word is not enough: the evaluator must find the same cost, within every capacity, and packing, which
    # the solver knows nothing of, must not be cheaper.
    total, broker = np.inf, model.brokers(found.x) if found.x is not None else packed
    if broker is not None and not model.overloaded(broker):
        total = cost(instance, broker).total
        if found.status == 0 and abs(total - bound) <= SAME * total and total <= known * (1 + SAME):
            return MethodResult(broker, bound=min(total, bound), notes=(PROVED,))
    bound = min(bound, total, known) if bound <= min(total, known) * (1 + SAME) else 0.0
    # What the solver has by then may be worse than what takes no time.
    if packed is not None and known <= total:
        note = f"Nothing better found in {time_limit:g} s; this is packing, improved."
        return MethodResult(packed, bound=bound, notes=(note,))
    if broker is None or np.isinf(total):
        raise InfeasibleError(
            f"No assignment within every capacity was found in {time_limit:g} s; allow more time or add capacity."
        )
    why = f"The time limit of {time_limit:g} s was reached." if found.status == 1 else "The solver proved no optimum."
    return MethodResult(broker, bound=bound, notes=(why,))


def _packed(instance: Instance, seed: int) -> NDArray[np.int64] | None:
    """What packing and migration find in no time; ``None`` if packing found no room."""
    try:
        return improve(instance, greedy_packing(instance, seed=seed).broker)[0]
    except InfeasibleError:
        return None


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
        if not np.isfinite(self.objective).all():
            raise InputError("Rates times prices are too large for floating-point numbers; use other units.")
        self.may_be = np.ones(len(self.objective))  # the upper bounds of the variables
        self.integrality = np.repeat(np.array([1, 0]), (users * brokers + self.num_w, self.num_u))
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        self._add_rows()

    def solve(self, time_limit: float, known: float) -> Any:
        """What HiGHS finds, at the instance's own scale; nothing above the ``known`` cost is looked for.

        HiGHS compares with absolute tolerances of about 1e-6. The cost is therefore scaled so that the tolerance is a
        share of 1e-9, and loads are shares of the capacity; a broker overloaded within the tolerance is answered by a
        row that forbids its users to sit there together.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        ceiling = known if np.isfinite(known) else float(self.objective.max()) * self.instance.num_users
        is_wanted = self.objective <= known * (
            1 + SAME
        )  # costs are not negative: no optimum has a part that costs more
        scale = HIGHS_COST / ceiling if ceiling else 1.0
        ends = time.monotonic() + time_limit
        while True:
            found: Any = milp(
                np.where(is_wanted, self.objective * scale, 0.0),
                constraints=LinearConstraint(self.matrix(), self.low, self.high),
                integrality=self.integrality,
                bounds=Bounds(0, np.where(is_wanted, self.may_be, 0.0)),
                options={"time_limit": max(ends - time.monotonic(), 0.0), "mip_rel_gap": 1e-9},
            )
            if found.mip_dual_bound is not None:
                found.mip_dual_bound /= scale
            over = [] if found.x is None else self.overloaded(self.brokers(found.x))
            if not over or time.monotonic() >= ends:
                return found
            for j, users in over:
                self._row([(self._x(i, j), 1.0) for i in users], 0, len(users) - 1)

    def brokers(self, x: NDArray[np.float64]) -> NDArray[np.int64]:
        """The broker of each user in an answer."""
        users, brokers = self.instance.num_users, self.instance.num_brokers
        return np.asarray(x[: users * brokers].reshape(users, brokers).argmax(axis=1), dtype=np.int64)

    def overloaded(self, broker: NDArray[np.int64]) -> list[tuple[int, list[int]]]:
        """The brokers above their capacity, with their users."""
        instance = self.instance
        load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
        return [(int(j), np.flatnonzero(broker == j).tolist()) for j in np.flatnonzero(load > instance.limit)]

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
            limit = float(instance.limit[j])
            for i in np.flatnonzero(instance.need > limit).tolist():
                self.may_be[self._x(i, j)] = 0.0
            if 0 < limit < np.inf:
                fitting = np.flatnonzero(instance.need <= limit).tolist()
                self._row([(self._x(i, j), float(instance.need[i] / limit)) for i in fitting], 0, 1)
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
