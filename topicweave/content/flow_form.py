"""The exact programme in terms of flows: the linear form of CONTENT §II-B, with one flow per broker and channel.

Rates are shares of everything published on a channel, g[i, c]. Besides ``x[i, j]`` (user i is at broker j) there are:

- ``y[c, b]``: broker b has a subscriber of channel c; y[c, b] ≥ x[k, b] for each of them, and ≤ their sum;
- ``z[j, c, a → b]``: the tree of broker j and channel c has this link, in this direction;
- ``F[j, c, a → b]``: the rate of broker j's users that the link carries, which is all of it or nothing:
  F ≤ z and F ≥ Σ_i g[i, c] x[i, j] - (1 - z). Its cost is F times the price times everything published on c;
- ``f[j, c, d, a → b]`` ≤ F: the flow from j to broker d. Out of j, and into d, goes H ≥ Σ_i g[i, c] x[i, j] - (1 - y);
  at every other broker, inflow equals outflow ("content conservation").

The links are real ones and may lead to any broker (``steiner``). For ``multicast`` they are the cheapest paths between
any two brokers, and may lead only to brokers with a subscriber: z[j, c, a → b] ≤ y[c, b]. For ``tree`` there is also
``t[a, b]``, the links of the single tree: one fewer than there are brokers, connecting all of them (a flow of 1 from
the first broker to each other one, on links with t = 1 only), and z ≤ t.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.programme import Programme

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance


class FlowForm(Programme):
    """The programme in terms of flows, for every way to price the traffic between brokers."""

    def __init__(self, instance: Instance, core: str) -> None:
        super().__init__(instance)
        self.core = core
        price = instance.path_price if core == "multicast" else instance.core_price
        brokers = range(instance.num_brokers)
        self.links = [(a, b) for a, b in combinations(brokers, 2) if np.isfinite(price[a, b])]
        self.arcs = [*self.links, *((b, a) for a, b in self.links)]
        self.price = np.array([price[a, b] for a, b in self.arcs])
        self._first_t = self._add_tree() if core == "tree" else None
        for c in range(self.wanted.shape[1]):
            total = float(self.rate[:, c].sum())
            if total > 0:
                first_y = self._add_subscribers(c)
                for j in brokers:
                    self._add_flow(j, c, total, first_y)

    def tree(self, x: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """The links of the tree in a solution, if all brokers share one tree."""
        if self._first_t is None:
            return None
        chosen = x[self._first_t : self._first_t + len(self.links)] > 0.5
        return np.array(self.links, dtype=np.int64).reshape(-1, 2)[chosen]

    def _add_subscribers(self, c: int) -> int:
        """Add the variables y, which say which brokers have a subscriber of channel c."""
        first = self.variables(self.instance.num_brokers)
        subscribers = np.flatnonzero(self.wanted[:, c]).tolist()
        for b in range(self.instance.num_brokers):
            for k in subscribers:
                self.row([(first + b, 1.0), (self.x(k, b), -1.0)], 0, 1)
            self.row([(first + b, 1.0), *((self.x(k, b), -1.0) for k in subscribers)], -len(subscribers), 0)
        return first

    def _add_flow(self, j: int, c: int, total: float, first_y: int) -> None:
        """Add the variables z, F and f for a broker and a channel; the flow never returns to its broker."""
        used = [number for number, (_, b) in enumerate(self.arcs) if b != j]
        first_z = self.variables(len(used))
        first_F = self.variables(len(used), self.price[used] * total, is_integer=False, is_choice=False)
        published = [(self.x(i, j), float(self.rate[i, c] / total)) for i in np.flatnonzero(self.rate[:, c]).tolist()]
        for place, number in enumerate(used):
            z, carried = first_z + place, first_F + place
            self.row([(carried, 1.0), (z, -1.0)], -1, 0)
            self.row([(carried, 1.0), (z, -1.0), *((x, -share) for x, share in published)], -1, np.inf)
            if self.core == "multicast":
                self.row([(z, 1.0), (first_y + self.arcs[number][1], -1.0)], -1, 0)
            if self._first_t is not None:
                self.row([(z, 1.0), (self._first_t + number % len(self.links), -1.0)], -1, 0)
        for d in range(self.instance.num_brokers):
            if d == j:
                continue
            first_f = self.variables(len(used), is_integer=False, is_choice=False)
            value = self.variables(1, is_integer=False, is_choice=False)  # H
            y = first_y + d
            self.row([(value, 1.0), (y, -1.0), *((x, -share) for x, share in published)], -1, np.inf)
            self._conserve([(first_f + place, self.arcs[number]) for place, number in enumerate(used)], j, d, value)
            for place in range(len(used)):
                self.row([(first_f + place, 1.0), (first_F + place, -1.0)], -1, 0)

    def _conserve(self, flow: list[tuple[int, tuple[int, int]]], source: int, target: int, value: int | None) -> None:
        """Require that ``value`` (1 if no variable is given) flows from source to target, and that nothing is lost on
        the way.
        """
        for v in range(self.instance.num_brokers):
            ends = [(column, 1.0) for column, (a, _) in flow if a == v]
            ends += [(column, -1.0) for column, (_, b) in flow if b == v]
            sign = float((v == source) - int(v == target))
            if value is None:
                self.row(ends, sign, sign)
            else:
                self.row([*ends, (value, -sign)] if sign else ends, 0, 0)

    def _add_tree(self) -> int:
        """Add the variables t, which say which links form the tree that all brokers share."""
        count = self.instance.num_brokers
        first = self.variables(len(self.links))
        self.row([(first + number, 1.0) for number in range(len(self.links))], count - 1, count - 1)
        for d in range(1, count):
            first_f = self.variables(len(self.arcs), is_integer=False)
            self._conserve([(first_f + number, arc) for number, arc in enumerate(self.arcs)], 0, d, None)
            for number in range(len(self.arcs)):
                self.row([(first_f + number, 1.0), (first + number % len(self.links), -1.0)], -1, 0)
        return first
