"""Which links between brokers carry the publications of a broker's users on a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.core import DEFAULT_CORE, as_tree, check_core, choose_tree, core_pricing
from topicweave.content.placement import as_assignment
from topicweave.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from topicweave.content.instance import Instance


class Routing:
    """For each broker and channel, the tree of links along which publications travel.

    All of these links exist: if two brokers exchange traffic by a detour, the links of the detour are listed. A message
    crosses each link of its tree once; ``core="multicast"`` prices such paths separately, so that the cost may count a
    link twice that two of them share.

    Parameters
    ----------
    instance, broker
        The problem, and the broker number of each user.
    core
        As in :func:`topicweave.content.cost`.
    tree
        For ``core="tree"``: the links of the tree, which is chosen for the traffic if not given.
    """

    def __init__(
        self, instance: Instance, broker: ArrayLike, core: str = DEFAULT_CORE, tree: ArrayLike | None = None
    ) -> None:
        from topicweave.kernels.content.trees import gather

        self.instance = instance
        self.core = check_core(core)
        self.broker = as_assignment(instance, broker)
        self.published, self.subscribers = gather(instance.rate, instance.subscribe, self.broker, instance.num_brokers)
        if core == "tree" and tree is None:
            tree = choose_tree(instance, self.published, self.subscribers)
        self.links = None if tree is None else as_tree(instance, tree)
        self.pricing = core_pricing(instance, core, tree)

    def core_cost(self) -> tuple[float, float]:
        """The cost of the traffic between brokers, and a lower bound on it for the best trees of this kind."""
        from topicweave.kernels.content.reach import core_cost

        published, subscribers = np.ascontiguousarray(self.published.T), np.ascontiguousarray(self.subscribers.T)
        found: tuple[float, float] = core_cost(self.pricing, published, subscribers)
        return found

    def tree(self, broker: int, channel: int) -> NDArray[np.int64]:
        """The tree of one broker and channel, as rows of (parent, child) with parents before children; the broker is
        its root.

        Empty if no user elsewhere wants what is published there.
        """
        from topicweave.kernels.content.links import real_links

        self._check(broker, self.instance.num_brokers, "broker")
        self._check(channel, self.instance.num_channels, "channel")
        one = np.empty(self.instance.num_brokers, dtype=np.int64)
        other = np.empty_like(one)
        inside = self.subscribers[:, channel] > 0
        if not inside.any():
            return np.empty((0, 2), dtype=np.int64)
        count = real_links(
            self.pricing, self.instance.core_price, self.instance.path_before, inside, broker, one, other
        )
        return np.stack((one[:count], other[:count]), axis=1)

    def trees(self) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
        """The trees of all (broker, channel) pairs that have something to send, as links between labels."""
        names = self.instance.brokers
        for j, c in np.argwhere(self.published > 0):
            links = [(names[u], names[v]) for u, v in self.tree(int(j), int(c)).tolist()]
            yield names[j], self.instance.channels[c], links

    def link_traffic(self) -> NDArray[np.float64]:
        """The traffic on each link between brokers (brokers × brokers, symmetric)."""
        from topicweave.kernels.content.links import link_traffic

        published, subscribers = np.ascontiguousarray(self.published.T), np.ascontiguousarray(self.subscribers.T)
        found: NDArray[np.float64] = link_traffic(
            self.pricing, self.instance.core_price, self.instance.path_before, published, subscribers
        )
        return found

    @staticmethod
    def _check(number: int, count: int, what: str) -> None:
        if not isinstance(number, int | np.integer) or not 0 <= number < count:
            raise InputError(f"There is no {what} number {number!r}; there are 0..{count - 1}.")
