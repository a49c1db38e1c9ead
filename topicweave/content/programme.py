"""A mixed-integer programme that assigns users to brokers: its arrays, what its two forms share, and the call of the
solver HiGHS.

The variables ``x[i, j]`` (user i is at broker j) come first; a form adds the variables and rows that price the core.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError, TooLargeError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from topicweave.content.instance import Instance

MOST_VARIABLES = 400_000
HIGHS_COST = 1e3  # costs are scaled for the solver so that the best known cost becomes this value
SAME = 1e-6  # costs count as equal if they differ by a smaller share than this


class Programme:
    """The common part of both forms: each user is at one broker that it can reach, and no broker exceeds its capacity.

    Channels with the same subscribers are merged: ``wanted`` (users × kinds of channel) says which users want them, and
    ``rate`` what each user publishes on them.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        users, brokers = instance.num_users, instance.num_brokers
        self.wanted, group = np.unique(instance.subscribe, axis=1, return_inverse=True)
        self.rate = np.zeros((users, self.wanted.shape[1]))
        np.add.at(self.rate.T, group.ravel(), instance.rate.T)
        self._objective: list[NDArray[np.float64]] = []
        self._most: list[NDArray[np.float64]] = []
        self._integrality: list[NDArray[np.int64]] = []
        self._is_choice: list[NDArray[np.bool_]] = []
        self.num_variables = 0
        self.rows: list[int] = []
        self.columns: list[int] = []
        self.values: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        is_near = np.isfinite(instance.access_price)
        fits = is_near & (instance.need[:, None] <= instance.limit)
        price = instance.need[:, None] * np.where(is_near, instance.access_price, 0.0)
        self.variables(users * brokers, price.ravel(), most=fits.ravel())
        for i in range(users):
            self.row([(self.x(i, j), 1.0) for j in range(brokers)], 1, 1)
        for j in range(brokers):
            limit = float(instance.limit[j])
            if 0 < limit < np.inf:
                fitting = np.flatnonzero(fits[:, j]).tolist()
                self.row([(self.x(i, j), float(instance.need[i] / limit)) for i in fitting], 0, 1)

    def x(self, i: int, j: int) -> int:
        """The index of the variable that says whether user i is at broker j."""
        return i * self.instance.num_brokers + j

    def variables(
        self,
        count: int,
        objective: ArrayLike = 0.0,
        *,
        is_integer: bool = True,
        is_choice: bool = True,
        most: ArrayLike = 1.0,
    ) -> int:
        """Add variables with values from 0 to 1; return the index of the first.

        A *choice* is 0 or 1 in every solution, whether or not the solver is told so.
        """
        self.check_room(count)
        first = self.num_variables
        self.num_variables += count
        self._objective.append(np.broadcast_to(np.asarray(objective, dtype=np.float64), count))
        self._most.append(np.broadcast_to(np.asarray(most, dtype=np.float64), count))
        self._integrality.append(np.full(count, int(is_integer)))
        self._is_choice.append(np.full(count, is_choice))
        return first

    def check_room(self, count: int) -> None:
        """Raise an error if this many more variables would make the programme too large."""
        size = self.num_variables + count
        if size > MOST_VARIABLES:
            raise TooLargeError(
                f"The exact programme for {self.instance.num_users} users, {self.instance.num_brokers} brokers and "
                f"{self.wanted.shape[1]} kinds of channel would have {size:,} variables or more, and "
                f"{MOST_VARIABLES:,} is the most; use 'best' instead."
            )

    def row(self, entries: list[tuple[int, float]], low: float, high: float) -> None:
        """Add a constraint: a weighted sum of variables must lie between two limits."""
        for column, value in entries:
            self.rows.append(len(self.low))
            self.columns.append(column)
            self.values.append(value)
        self.low.append(low)
        self.high.append(high)

    def solve(self, time_limit: float, known: float) -> Any:
        """Solve with HiGHS, after scaling all costs; solutions that cost more than the best one already known are not
        considered.

        HiGHS compares with absolute tolerances of about 1e-6. The cost is therefore scaled so that the tolerance is a
        share of 1e-9, and loads are shares of the capacity; if a broker is overloaded within the tolerance, a row is
        added that forbids its users to be there together.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        objective, most = np.concatenate(self._objective), np.concatenate(self._most)
        if not np.isfinite(objective).all():
            raise InputError("Rates times prices are too large for floating-point numbers; use other units.")
        ceiling = known if np.isfinite(known) else float(objective.max()) * self.instance.num_users
        # No cost is negative, so an optimal solution cannot contain a choice that alone costs more than the best known
        # solution.
        is_wanted = (objective <= known * (1 + SAME)) | ~np.concatenate(self._is_choice)
        scale = HIGHS_COST / ceiling if ceiling else 1.0
        ends = time.monotonic() + time_limit
        while True:
            found: Any = milp(
                np.where(is_wanted, objective * scale, 0.0),
                constraints=LinearConstraint(self.matrix(), self.low, self.high),
                integrality=np.concatenate(self._integrality),
                bounds=Bounds(0, np.where(is_wanted, most, 0.0)),
                options={"time_limit": max(ends - time.monotonic(), 0.0), "mip_rel_gap": 1e-9},
            )
            if found.mip_dual_bound is not None:
                found.mip_dual_bound /= scale
            over = [] if found.x is None else self.overloaded(self.brokers(found.x))
            if not over or time.monotonic() >= ends:
                return found
            for j, users in over:
                self.row([(self.x(i, j), 1.0) for i in users], 0, len(users) - 1)

    def brokers(self, x: NDArray[np.float64]) -> NDArray[np.int64]:
        """The broker of each user in a solution."""
        users, brokers = self.instance.num_users, self.instance.num_brokers
        return np.asarray(x[: users * brokers].reshape(users, brokers).argmax(axis=1), dtype=np.int64)

    def tree(self, x: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """The links of the tree in a solution, if all brokers share one tree."""
        return None

    def overloaded(self, broker: NDArray[np.int64]) -> list[tuple[int, list[int]]]:
        """The brokers whose load exceeds their capacity, each with its users."""
        instance = self.instance
        load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
        return [(int(j), np.flatnonzero(broker == j).tolist()) for j in np.flatnonzero(load > instance.limit)]

    def matrix(self) -> Any:
        """The constraints as a sparse matrix."""
        from scipy import sparse

        return sparse.csr_array((self.values, (self.rows, self.columns)), shape=(len(self.low), self.num_variables))
