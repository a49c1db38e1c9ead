"""A lower bound on the cost of any assignment, computed fast enough for instances of any size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.core import DEFAULT_CORE, check_core
from topicweave.content.instance import check_instance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance


_ROUNDS = 10  # rounds in which users bid for links; in trials, more rounds improved the bound by less than 0.2 %


@dataclass(frozen=True)
class LowerBound:
    """Proven lower bounds: every assignment costs at least ``access`` for access traffic and at least ``total`` in all.

    Attributes
    ----------
    access
        The access cost with every user at its cheapest broker.
    core
        A lower bound on what is added by the core, and by access to more expensive brokers that relieves it.
    """

    access: float
    core: float

    @property
    def total(self) -> float:
        return self.access + self.core


def lower_bound(instance: Instance, core: str = DEFAULT_CORE) -> LowerBound:
    """Compute a lower bound on the cost of every assignment within capacity.

    Access costs at least what it costs with every user at its cheapest broker. What is added to that is bounded channel
    by channel, by the largest of three bounds: the trees that capacity forces, and the trade-off between trees and
    access in two forms, of which the first is better for channels with many users and the second for channels with few.
    All three hold for any tree that reaches the brokers of a channel, with relays or without, so they are the same for
    every ``core``: the spanning trees of ``"multicast"`` and the parts of a single tree consist of the same links, with
    fewer to choose from.
    """
    check_instance(instance, "lower_bound()")
    check_core(core)
    access = float(instance.need @ instance.access_price.min(axis=1))
    share = _shares(instance)
    by_channel = (
        instance.rate.sum(axis=0) * _forced_links(instance),
        instance.rate.sum(axis=0) * _trade_of_facilities(instance, share),
        _trade_of_trees(instance, share),
    )
    return LowerBound(access, float(np.maximum.reduce(by_channel).sum()))


def _shares(instance: Instance) -> NDArray[np.float64]:
    """For each user, how much of the extra price of a broker (compared with the user's cheapest one) counts in the
    bound of a single channel, per unit of the channel's traffic.

    Each channel is bounded by itself, so the extra price that a user pays is divided among the channels that it wants
    and those that it publishes on, in proportion to their rates.
    """
    carried = instance.subscribe @ instance.rate.sum(axis=0) + instance.outflow
    share = np.zeros(instance.num_users)
    np.divide(instance.need, carried, out=share, where=carried > 0)
    return share


def _forced_links(instance: Instance) -> NDArray[np.float64]:
    """For each channel, the weight of the cheapest tree over as many brokers as its subscribers need.

    Its subscribers do not fit into fewer of the largest brokers; a tree over k brokers, possibly with relays, has at
    least k - 1 links, and no k - 1 links without a cycle are cheaper than the k - 1 cheapest of the minimum spanning
    tree over all brokers (Kruskal).
    """
    from topicweave.kernels.content.trees import grow_tree

    count = instance.num_brokers
    weight = np.zeros(count)
    order, up = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    grow_tree(instance.path_price, np.arange(count), count, order, up, weight)
    cheapest = np.concatenate(([0.0], np.cumsum(np.sort(weight[1:]))))
    largest = np.cumsum(np.sort(instance.limit)[::-1])
    demand = instance.need @ instance.subscribe
    return np.asarray(cheapest[np.searchsorted(largest, demand, side="left").clip(max=count - 1)])


def _trade_of_facilities(instance: Instance, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each channel, a lower bound on the cost of a unit of traffic: a tree over fewer brokers costs less, but then
    some users need a more expensive broker.

    Brokers are facilities with opening costs, such that a tree over a set of brokers costs at least the sum of theirs,
    less a constant. There are two such sets of costs, and the larger bound counts: those of :func:`_cluster_shares`;
    and the path to the nearest other broker, less the longest of these, because a tree rooted at the broker furthest
    from its nearest neighbour has a separate link for every other broker.
    """
    from topicweave.kernels.content.bound import channel_bounds

    if instance.num_brokers == 1:
        return np.zeros(instance.num_channels)
    nearest = (instance.path_price + np.diag(np.full(instance.num_brokers, np.inf))).min(axis=1)
    by_price = np.argsort(instance.access_price, axis=1, kind="stable")
    price = np.take_along_axis(instance.access_price, by_price, axis=1)
    least = np.zeros(instance.num_channels)
    for opening, constant in ((nearest, float(nearest.max())), _cluster_shares(instance.path_price)):
        found = channel_bounds(price, by_price, share, instance.subscribe, opening)
        least = np.maximum(least, found - constant)
    return least


def _trade_of_trees(instance: Instance, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """A bound like that of :func:`_trade_of_facilities`, but for the whole traffic of each channel, and with trees that
    include the users themselves.

    The link between a user and a broker costs a share of the difference between this broker's price and the cheapest
    one, so a tree over all users of a message is a Steiner tree of the combined graph, which a dual ascent bounds.
    """
    from topicweave.kernels.content.steiner_bound import joining_bounds

    extra = instance.access_price - instance.access_price.min(axis=1, keepdims=True)
    weighed = np.full_like(extra, np.inf)
    np.multiply(extra, share[:, None], out=weighed, where=np.isfinite(extra))
    found: NDArray[np.float64] = joining_bounds(
        instance.path_price, weighed, instance.rate, instance.subscribe, _ROUNDS
    )
    return found


def _cluster_shares(path_price: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return a price for each broker, and a constant, such that a tree over any set of brokers weighs at least the sum
    of their prices minus the constant.

    Brokers that are joined by links cheaper than t form clusters. A tree over brokers in k clusters, with relays or
    not, has at least k - 1 links of price t or more, so its weight is at least the integral of k - 1 over all t. The
    range of t in which a cluster exists is what the cluster adds to that if the tree has a broker in it, divided
    equally among its brokers. For all brokers, the sum less the constant is exactly the weight of the minimum spanning
    tree.
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    count = len(path_price)
    opening, members, formed = np.zeros(count), [np.array([v]) for v in range(count)], [0.0] * count
    for one, other, price, _ in linkage(squareform(path_price, checks=False), "single"):
        parts = int(one), int(other)
        for part in parts:
            opening[members[part]] += (price - formed[part]) / len(members[part])
        members.append(np.concatenate([members[part] for part in parts]))
        formed.append(float(price))
    return opening, formed[-1]
