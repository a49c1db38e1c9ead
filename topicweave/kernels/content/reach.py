"""The cost of carrying a message from any broker to all brokers with subscribers, for each kind of tree.

The brokers with a subscriber are called *inside*. The *reach* of broker v is the weight of the tree over v and the
inside brokers; if v is inside, it is the weight of the tree over the inside brokers alone. A :class:`Pricing` says
which kind of tree is meant. :func:`span` builds the tree over the inside brokers, from which :func:`reach_of` computes
the reach of other brokers.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.content.relays import add_relays, is_exact, steiner_table
from topicweave.kernels.content.shared_tree import tree_reach
from topicweave.kernels.content.trees import grow_tree, insertion_weights, split
from topicweave.kernels.jit import njit

STEINER, MULTICAST, TREE = 0, 1, 2


class Pricing(NamedTuple):
    """The prices between brokers, and which kind of tree carries the traffic.

    ``price`` are the prices of cheapest paths between brokers. ``table`` are the exact Steiner trees over all sets of
    brokers (rows are sets, as bits), if there are few brokers. ``order``, ``up`` and ``weight`` are the single tree of
    ``TREE``.
    """

    code: int
    price: np.ndarray
    table: np.ndarray
    order: np.ndarray
    up: np.ndarray
    weight: np.ndarray


class Span(NamedTuple):
    """The tree over a set of brokers, stored so that the cost of reaching one more broker can be computed quickly.

    ``count`` holds the number of brokers in each of two trees, without and with relays. 0 for the first means that
    ``row`` has the cost for every broker instead; 0 for the second means that there are no relays. ``total`` holds the
    weight of the tree over the set, and a lower bound on all trees over it.
    """

    count: np.ndarray
    total: np.ndarray
    row: np.ndarray
    order: np.ndarray
    up: np.ndarray
    weight: np.ndarray
    wide_order: np.ndarray
    wide_up: np.ndarray
    wide_weight: np.ndarray
    scratch: np.ndarray


@njit
def new_span(num_brokers):
    """Allocate scratch arrays for a set of brokers."""
    return Span(
        np.zeros(2, dtype=np.int64),
        np.zeros(2),
        np.empty(num_brokers),
        np.empty(num_brokers, dtype=np.int64),
        np.empty(num_brokers, dtype=np.int64),
        np.empty(num_brokers),
        np.empty(num_brokers, dtype=np.int64),
        np.empty(num_brokers, dtype=np.int64),
        np.empty(num_brokers),
        np.empty((num_brokers, num_brokers)),
    )


@njit
def span(pricing, inside, found):
    """Build the tree over the brokers marked in ``inside`` (at least one) and store it in ``found`` for
    :func:`reach_of`; returns its weight.
    """
    num_brokers = len(inside)
    found.count[0], found.count[1] = 0, 0
    if pricing.code == TREE:
        found.total[:] = tree_reach(pricing.order, pricing.up, pricing.weight, inside, found.row)
        return found.total[0]
    if pricing.code == STEINER and len(pricing.table) > 0:
        chosen, last = 0, 0
        for v in range(num_brokers):
            if inside[v]:
                chosen |= 1 << v
                last = v
        found.row[:] = pricing.table[chosen]
        found.total[:] = found.row[last]
        return found.total[0]
    members = np.empty(num_brokers, dtype=np.int64)
    others = np.empty(num_brokers, dtype=np.int64)
    count, num_others = split(inside, members, others)
    if pricing.code == STEINER and is_exact(count, num_brokers):
        found.row[:] = steiner_table(pricing.price, members, count)[(1 << count) - 1]
        found.total[:] = found.row[members[0]]
        return found.total[0]
    found.count[0] = count
    found.total[:] = grow_tree(pricing.price, members, count, found.order, found.up, found.weight)
    if pricing.code == STEINER and num_others > 0:
        found.wide_order[:count] = found.order[:count]
        found.wide_up[:count] = found.up[:count]
        found.wide_weight[:count] = found.weight[:count]
        wide, total = add_relays(
            pricing.price, found.wide_order, found.wide_up, found.wide_weight, count, others, num_others, found.scratch
        )
        found.total[1] = found.total[0] / (2 - 2 / count)
        if wide > count:
            found.count[1] = wide
            found.total[0] = total
    return found.total[0]


@njit
def reach_of(pricing, found, others, num_others, reach, least):
    """For each of ``others[:num_others]``, none of which is in the tree ``found``, write to ``reach`` the weight of the
    tree that reaches it too, and to ``least`` a lower bound on that weight.
    """
    if found.count[0] == 0:
        for t in range(num_others):
            reach[t] = found.row[others[t]]
            least[t] = reach[t]
        return
    count = found.count[0]
    insertion_weights(
        pricing.price, found.order, found.up, found.weight, count, others, num_others, found.scratch, reach
    )
    share = 2 - 2 / (count + 1) if pricing.code == STEINER else 1.0
    for t in range(num_others):
        least[t] = reach[t] / share
    if found.count[1] > 0:
        wide = np.empty(num_others)
        insertion_weights(
            pricing.price, found.wide_order, found.wide_up, found.wide_weight, found.count[1], others, num_others,
            found.scratch, wide,
        )  # fmt: skip
        for t in range(num_others):
            reach[t] = min(reach[t], wide[t])


@njit
def channel_cost(pricing, published, subscribers, found, is_same):
    """Return what the traffic of one channel costs between brokers, and a lower bound on that for the best possible
    trees; arrays are by broker.

    If ``is_same``, ``found`` already holds the tree over the brokers with a subscriber.
    """
    num_brokers = len(published)
    common, num_others, num_inside = 0.0, 0, 0
    for v in range(num_brokers):
        if subscribers[v] > 0:
            common += published[v]
            num_inside += 1
        elif published[v] > 0:
            num_others += 1
    if num_inside == 0:
        return 0.0, 0.0
    if not is_same:
        span(pricing, subscribers > 0, found)
    cost, bound = common * found.total[0], common * found.total[1]
    if num_others > 0:  # arrays are allocated only here, because most calls are for channels without such brokers
        others, reach, least = np.empty(num_others, dtype=np.int64), np.empty(num_others), np.empty(num_others)
        t = 0
        for v in range(num_brokers):
            if subscribers[v] <= 0 and published[v] > 0:
                others[t] = v
                t += 1
        reach_of(pricing, found, others, num_others, reach, least)
        for t in range(num_others):
            cost += published[others[t]] * reach[t]
            bound += published[others[t]] * least[t]
    return cost, bound


@njit
def core_cost(pricing, published, subscribers):
    """The total cost between brokers, and a lower bound on it for the best possible trees; arrays are channels ×
    brokers.
    """
    num_channels, num_brokers = published.shape
    found = new_span(num_brokers)
    last = np.full(num_brokers, -1, dtype=np.int64)
    cost, bound = 0.0, 0.0
    for c in range(num_channels):
        is_same, has_others = True, False
        common = 0.0
        for v in range(num_brokers):
            wanted = 1 if subscribers[c, v] > 0 else 0
            if wanted != last[v]:
                is_same = False
                last[v] = wanted
            if wanted:
                common += published[c, v]
            elif published[c, v] > 0:
                has_others = True
        if is_same and not has_others:  # what channel_cost would return, without the time that calling it takes
            if common > 0.0:
                cost += common * found.total[0]
                bound += common * found.total[1]
            continue
        one, other = channel_cost(pricing, published[c], subscribers[c], found, is_same)
        cost += one
        bound += other
    return cost, bound
