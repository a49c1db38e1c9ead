"""Computes the cost of an assignment of users to brokers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.core import DEFAULT_CORE
from topicweave.content.instance import check_instance
from topicweave.content.routing import Routing
from topicweave.errors import InputError
from topicweave.model import Overlay
from topicweave.parameters import check_kind

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from topicweave.content.instance import Instance
    from topicweave.kernels.content.reach import Pricing


@dataclass(frozen=True, eq=False)
class Cost:
    """The cost of an assignment, and the parts that it consists of.

    Attributes
    ----------
    access, core
        The cost of the traffic between users and brokers, and between brokers.
    core_least
        A lower bound on the cost of the core with the best trees of its kind for this assignment. It equals ``core``
        unless some Steiner trees were approximated; ``core`` is then less than twice as much.
    load
        The traffic of each broker's users, in and out, which its capacity limits.
    routing
        The trees that carry the core's traffic.
    """

    access: float
    core: float
    core_least: float
    load: NDArray[np.float64] = field(repr=False)
    routing: Routing = field(repr=False)

    @property
    def total(self) -> float:
        return self.access + self.core

    @cached_property
    def link_traffic(self) -> NDArray[np.float64]:
        """The traffic on each link between brokers (brokers × brokers, symmetric)."""
        return self.routing.link_traffic()


def cost(instance: Instance, broker: ArrayLike, core: str = DEFAULT_CORE, *, tree: ArrayLike | None = None) -> Cost:
    """Compute the cost of an assignment.

    Access is the traffic of every user times its price; core is, for every channel and broker, the rate at which its
    users publish there times the weight of the tree that reaches all brokers with a subscriber of the channel.

    Parameters
    ----------
    instance
        The problem.
    broker
        The broker number of each user. Capacities are not checked here; compare ``load`` with them.
    core
        ``"steiner"``: every (broker, channel) has its own tree, the cheapest possible, which may pass brokers without a
        subscriber. ``"multicast"``: the minimum spanning tree over the brokers concerned; if two of them have no direct
        link, or an expensive one, it uses the cheapest path between them, and pays for a link once for each path that
        uses it. ``"tree"``: all brokers form a single tree; each (broker, channel) uses the smallest part that it
        needs.
    tree
        For ``"tree"``: its links, as pairs of broker numbers; by default the tree is chosen for the traffic.

    Notes
    -----
    Steiner trees are exact with up to twelve brokers in all, and over few brokers with a subscriber otherwise (up to
    3 of 100, 5 of 50, 7 of 20). The other ones cost at most ``2 - 2/k`` times as much as the best tree over the same
    k brokers, and never more than the spanning tree; ``core_least`` sums up the resulting lower bounds.

    Examples
    --------
    >>> from topicweave.content import Instance
    >>> two = Instance([[1], [0]], [[0], [1]], access_price=[[1, 9], [9, 1]], core_price=[[0, 3], [3, 0]], capacity=2)
    >>> found = cost(two, [0, 1])
    >>> found.access, found.core, found.total
    (2.0, 3.0, 5.0)
    """
    routing = Routing(instance, broker, core, tree)
    chosen = routing.broker
    carried, least = routing.core_cost()
    load = np.bincount(chosen, weights=instance.need, minlength=instance.num_brokers).astype(np.float64)
    return Cost(access_cost(instance, chosen), carried, least, load, routing)


def total_cost(instance: Instance, broker: NDArray[np.int64], pricing: Pricing) -> float:
    """Compute only the total cost, from prices prepared in advance, for searches that compare many assignments."""
    from topicweave.kernels.content.reach import core_cost
    from topicweave.kernels.content.trees import gather

    published, subscribers = gather(instance.rate, instance.subscribe, broker, instance.num_brokers)
    carried, _ = core_cost(pricing, np.ascontiguousarray(published.T), np.ascontiguousarray(subscribers.T))
    return access_cost(instance, broker) + float(carried)


def access_cost(instance: Instance, broker: NDArray[np.int64]) -> float:
    """The cost of the traffic between users and their brokers."""
    return float(instance.need @ instance.access_price[np.arange(instance.num_users), broker])


def broker_links(instance: Instance, cost: Cost) -> Overlay:
    """The links between brokers that carry traffic, the busiest first, as an overlay that can be exported."""
    check_instance(instance, "broker_links()")
    check_kind(cost, Cost, "broker_links() needs a Cost", "evaluate the assignment with cost()")
    if len(cost.link_traffic) != instance.num_brokers:
        raise InputError(
            f"The cost is of {len(cost.link_traffic)} brokers, but the instance has {instance.num_brokers}; "
            f"give the instance that was evaluated."
        )
    upper = np.triu(cost.link_traffic, 1)
    ends = np.argwhere(upper > 0)
    order = np.argsort(-upper[ends[:, 0], ends[:, 1]], kind="stable")
    return Overlay(instance.brokers, ends[order].astype(np.int64).reshape(-1, 2))
