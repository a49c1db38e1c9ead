"""A lower bound on the cost of any assignment, cheap enough for every size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.core import DEFAULT_CORE, check_core
from topicweave.content.instance import check_instance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance


_ROUNDS = 10  # steps in which users bid for links: more would gain less than 0.2 % where it was tried


@dataclass(frozen=True)
class LowerBound:
    """No assignment has less access cost than ``access``, or costs less than ``total``.

    Attributes
    ----------
    access
        The access cost with every user at its cheapest broker.
    core
        The least that the core, and access by more expensive brokers to relieve it, add to that.
    """

    access: float
    core: float

    @property
    def total(self) -> float:
        return self.access + self.core


def lower_bound(instance: Instance, core: str = DEFAULT_CORE) -> LowerBound:
    """Bound the cost of every assignment within capacity from below.

    Every user at its cheapest broker bounds access. What comes on top is bounded channel by channel, by the largest of
    three: the trees that capacity forces, and the trade between trees and access in two forms, of which the first sees
    more where a channel has many users, and the second where it has few. All hold for any tree that reaches the brokers
    of a channel, by relays or not: they are bounds for every ``core``, and the same for all of them. The spanning trees
    of ``"multicast"`` and the parts of one tree are trees of the same links, only fewer to choose from.
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
    """What a unit of traffic on a channel may count, by user, of what the user pays for a more expensive broker.

    Each channel is bounded by itself, so what the user pays is shared out among those that it wants and those that it
    publishes on, in proportion to their rates.
    """
    carried = instance.subscribe @ instance.rate.sum(axis=0) + instance.outflow
    share = np.zeros(instance.num_users)
    np.divide(instance.need, carried, out=share, where=carried > 0)
    return share


def _forced_links(instance: Instance) -> NDArray[np.float64]:
    """By channel: the least weight of a tree over as many brokers as its subscribers fill.

    They do not fit into fewer of the largest brokers; a tree over k brokers and perhaps relays has at least k - 1
    links, and no k - 1 links without a cycle are cheaper than the k - 1 cheapest of the minimum spanning tree over all
    brokers (Kruskal).
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
    """By channel and unit of its rate: the least that trees and access by more expensive brokers can cost together.

    Brokers are facilities with opening costs, and a tree over a set of brokers costs at least the sum of theirs, less a
    constant. There are two such costs, and the larger result counts: those of :func:`_cluster_shares`; and the path to
    the nearest other broker, less the longest of these, because a tree rooted at the broker furthest from its nearest
    has a link of its own for every other one.
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
    """By channel: the same, for the whole of its rate, of trees that end at users instead of brokers.

    The link between a user and a broker costs its share of what this broker costs more than the cheapest, so a tree
    over all users of a message is a Steiner tree of the whole, which a dual ascent bounds.
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
    """Opening costs of brokers, and the constant by which their sum may be above the weight of a tree over them.

    Brokers that are joined by links cheaper than t form clusters. A tree over brokers in k of them, relays or not, has
    at least k - 1 links of price t or more, so its weight is at least k - 1 summed up over all t. The range of t in
    which a cluster exists is what it adds to that if the tree visits it; each of its brokers gets the same share. Over
    all brokers, the sum less the constant is exactly the weight of the minimum spanning tree.
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
