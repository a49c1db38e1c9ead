"""The exact programme in terms of sets of brokers: fast for few brokers, but it needs a variable for each of their
sets.

Besides ``x[i, j]`` there are: ``w[c, R]``, the brokers with a subscriber of channel c are exactly the set R; and ``u[i,
c, j, R]``, the product of x and w for a publisher i of c. With the sums of u over R and over j equal to x and w, the
cost of a publisher's tree, which depends on (j, R), is linear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.programme import Programme

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance


class SetForm(Programme):
    """The programme in terms of sets of brokers, for the case that each broker and channel has its own tree."""

    def __init__(self, instance: Instance, core: str) -> None:
        super().__init__(instance)
        brokers = instance.num_brokers
        publishers = np.argwhere(self.rate > 0).tolist()
        self.num_sets = int(2 ** min(brokers, 40))
        self._first_w = self.variables(self.wanted.shape[1] * self.num_sets)
        num_products = len(publishers) * brokers * self.num_sets
        self.check_room(num_products)
        weights = tree_weights(instance, core).ravel()
        prices = np.concatenate([np.empty(0), *(self.rate[i, c] * weights for i, c in publishers)])
        self._first_u = self.variables(num_products, prices, is_integer=False)
        sets = range(self.num_sets)
        for c in range(self.wanted.shape[1]):
            self._add_channel(c)
        for position, (i, c) in enumerate(publishers):
            for j in range(brokers):
                self.row([*((self._u(position, j, r), 1.0) for r in sets), (self.x(i, j), -1.0)], 0, 0)
            for r in sets:
                self.row([*((self._u(position, j, r), 1.0) for j in range(brokers)), (self._w(c, r), -1.0)], 0, 0)

    def _w(self, c: int, chosen: int) -> int:
        return self._first_w + c * self.num_sets + chosen

    def _u(self, position: int, j: int, chosen: int) -> int:
        return self._first_u + (position * self.instance.num_brokers + j) * self.num_sets + chosen

    def _add_channel(self, c: int) -> None:
        """Require that exactly one set is chosen for the channel, namely the brokers that have subscribers of it."""
        sets = range(self.num_sets)
        self.row([(self._w(c, chosen), 1.0) for chosen in sets], 1, 1)
        subscribers = np.flatnonzero(self.wanted[:, c]).tolist()
        for j in range(self.instance.num_brokers):
            with_j = [(self._w(c, chosen), 1.0) for chosen in sets if chosen >> j & 1]
            for i in subscribers:
                self.row([*with_j, (self.x(i, j), -1.0)], 0, 1)
            # A broker without subscribers must not be counted as one with subscribers, even if that would make a
            # spanning tree cheaper.
            self.row([*with_j, *((self.x(i, j), -1.0) for i in subscribers)], -len(subscribers), 0)


def tree_weights(instance: Instance, core: str) -> NDArray[np.float64]:
    """The weight of the tree that joins a broker and a set of brokers, for all brokers and all sets."""
    from topicweave.kernels.content.relays import steiner_table
    from topicweave.kernels.content.trees import grow_tree

    count = instance.num_brokers
    if core == "steiner":
        return np.ascontiguousarray(steiner_table(instance.path_price, np.arange(count), count).T)
    weights = np.zeros((count, 2**count))
    order, up, weight = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64), np.empty(count)
    for j in range(count):
        for chosen in range(1, 2**count):
            members = np.array([k for k in range(count) if (chosen | 1 << j) >> k & 1])
            weights[j, chosen] = grow_tree(instance.path_price, members, len(members), order, up, weight)
    return weights
