"""Broker links as an overlay, and the tree that carries what a broker's users publish on a channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.cost import CORES, Cost, as_assignment
from topicweave.content.instance import check_instance
from topicweave.errors import InputError
from topicweave.model import Overlay
from topicweave.parameters import check_choice, check_kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from topicweave.content.instance import Instance


def broker_links(instance: Instance, cost: Cost) -> Overlay:
    """The broker links that carry traffic, the busiest first; an overlay that can be exported like any other."""
    check_instance(instance, "broker_links()")
    check_kind(cost, Cost, "broker_links() needs a Cost", "evaluate the assignment with cost()")
    upper = np.triu(cost.link_traffic, 1)
    ends = np.argwhere(upper > 0)
    order = np.argsort(-upper[ends[:, 0], ends[:, 1]], kind="stable")
    return Overlay(instance.brokers, ends[order].astype(np.int64).reshape(-1, 2))


class Routing:
    """Which links a publication takes, by the broker it comes from and its channel.

    Parameters
    ----------
    instance, broker
        The problem, and the broker number of each user.
    core
        As in :func:`topicweave.content.cost`.
    """

    def __init__(self, instance: Instance, broker: ArrayLike, core: str = "multicast") -> None:
        from topicweave.kernels.content.trees import gather

        check_choice("core", core, CORES)
        self.instance = instance
        self.core = core
        chosen = as_assignment(instance, broker)
        self.published, self._subscribers = gather(instance.rate, instance.subscribe, chosen, instance.num_brokers)

    def tree(self, broker: int, channel: int) -> NDArray[np.int64]:
        """The links (pairs of broker numbers) of one (broker, channel); empty if nobody elsewhere wants it."""
        from topicweave.kernels.content.trees import route

        self._check(broker, self.instance.num_brokers, "broker")
        self._check(channel, self.instance.num_channels, "channel")
        members = np.flatnonzero(self._subscribers[:, channel])
        if self.core == "tree":
            return self._part_of_shared_tree(broker, members)
        one = np.empty(self.instance.num_brokers, dtype=np.int64)
        other = np.empty_like(one)
        count = route(self.instance.core_price, members, len(members), broker, one, other)
        links = np.stack((one[: max(count, 0)], other[: max(count, 0)]), axis=1)
        return np.asarray(np.sort(links, axis=1))

    def trees(self) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
        """All (broker, channel) that have something to send, with their links, as labels."""
        names = self.instance.brokers
        for j, c in np.argwhere(self.published > 0):
            links = [(names[u], names[v]) for u, v in self.tree(int(j), int(c)).tolist()]
            yield names[j], self.instance.channels[c], links

    def _part_of_shared_tree(self, broker: int, members: NDArray[np.int64]) -> NDArray[np.int64]:
        from topicweave.kernels.content.trees import grow_tree

        count = self.instance.num_brokers
        order, up = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        grow_tree(self.instance.core_price, np.arange(count), count, order, up, np.empty(count))
        wanted = np.zeros(count, dtype=np.int64)
        wanted[members] = 1
        wanted[broker] = 1
        below = wanted[order]
        for v in range(count - 1, 0, -1):
            below[up[v]] += below[v]
        used = [v for v in range(1, count) if 0 < below[v] < wanted.sum()]
        return np.sort(np.array([(order[v], order[up[v]]) for v in used], dtype=np.int64).reshape(-1, 2), axis=1)

    @staticmethod
    def _check(number: int, count: int, what: str) -> None:
        if not isinstance(number, int | np.integer) or not 0 <= number < count:
            raise InputError(f"There is no {what} number {number!r}; there are 0..{count - 1}.")
