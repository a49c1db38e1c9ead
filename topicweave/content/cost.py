"""The one evaluator: what an assignment of users to brokers costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.instance import check_instance
from topicweave.errors import InputError
from topicweave.parameters import check_choice

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from topicweave.content.instance import Instance

CORES = ("multicast", "tree")


@dataclass(frozen=True, eq=False)
class Cost:
    """What an assignment costs, and where.

    Attributes
    ----------
    access, core
        The cost of the traffic between users and brokers, and between brokers.
    load
        The traffic of each broker's users, in and out: what its capacity limits.
    link_traffic
        Brokers × brokers, symmetric: the traffic on each broker link.
    """

    access: float
    core: float
    load: NDArray[np.float64] = field(repr=False)
    link_traffic: NDArray[np.float64] = field(repr=False)

    @property
    def total(self) -> float:
        return self.access + self.core


def cost(instance: Instance, broker: ArrayLike, core: str = "multicast") -> Cost:
    """Evaluate an assignment.

    Access is the traffic of every user times its price; core, for every channel and broker, the rate its users publish
    there times the weight of the tree that reaches all brokers with a subscriber of the channel.

    Parameters
    ----------
    instance
        The problem.
    broker
        The broker number of each user. Capacities are not checked here; ``load`` shows them.
    core
        ``"multicast"``: every (broker, channel) has its own minimum spanning tree. ``"tree"``: all brokers form one
        minimum spanning tree, of which each uses the smallest part it needs.

    Examples
    --------
    >>> from topicweave.content import Instance
    >>> two = Instance([[1], [0]], [[0], [1]], access_price=[[1, 9], [9, 1]], core_price=[[0, 3], [3, 0]], capacity=2)
    >>> found = cost(two, [0, 1])
    >>> found.access, found.core, found.total
    (2.0, 3.0, 5.0)
    """
    from topicweave.kernels.content.trees import gather, multicast_traffic, shared_tree_traffic

    check_choice("core", core, CORES)
    chosen = as_assignment(instance, broker)
    users = np.arange(instance.num_users)
    access = float(instance.need @ instance.access_price[users, chosen])
    published, subscribers = gather(instance.rate, instance.subscribe, chosen, instance.num_brokers)
    carry = multicast_traffic if core == "multicast" else shared_tree_traffic
    traffic = carry(instance.core_price, published, subscribers)
    load = np.bincount(chosen, weights=instance.need, minlength=instance.num_brokers).astype(np.float64)
    # every link stands in both halves of the matrix
    return Cost(access, float(np.vdot(traffic, instance.core_price)) / 2, load, traffic)


def as_assignment(instance: Instance, broker: ArrayLike) -> NDArray[np.int64]:
    """The broker of each user as numbers, or one sentence on what is wrong."""
    check_instance(instance, "An assignment")
    try:
        chosen = np.asarray(broker)
    except ValueError:
        raise InputError(
            "An assignment has one broker for each user, but for some several were given; give one number each."
        ) from None
    if chosen.shape != (instance.num_users,):
        raise InputError(
            f"An assignment has one broker for each of the {instance.num_users} users, but its shape is {chosen.shape}."
        )
    if chosen.dtype.kind not in "iu":
        raise InputError(f"An assignment consists of broker numbers, but it is of kind {chosen.dtype}; give integers.")
    bad = np.flatnonzero((chosen < 0) | (chosen >= instance.num_brokers))
    if len(bad):
        raise InputError(
            f"User {instance.users[bad[0]]!r} is assigned to broker number {chosen[bad[0]]}; "
            f"there are brokers 0..{instance.num_brokers - 1}."
        )
    return np.ascontiguousarray(chosen, dtype=np.int64)
