"""One tree shared by all brokers: its traffic, the distance of each broker from a part of it, and improvement by
exchanging links.

What a link of the tree carries depends on which brokers are on which side of it: everything published on one side and
wanted on the other. If a link is added and another link of the cycle that it closes is dropped, only the links of that
cycle change sides. Removing links p and q from a cycle splits its brokers, each with the subtree attached to it, into
two arcs; the traffic between the arcs is what q carries if p is dropped, and vice versa.
"""

import numpy as np

from topicweave.kernels.content.trees import order_tree
from topicweave.kernels.jit import njit

# the share of the cost that must be saved by exchanging one link for another; smaller savings may be rounding errors
LEAST_GAIN = 1e-9


@njit
def tree_reach(order, up, weight, inside, reach):
    """``reach[v]`` becomes the weight of the part of the tree that connects v and all brokers of the set.

    Returns the weight of the part that connects the set alone.
    """
    count = len(order)
    below = np.zeros(count, dtype=np.int64)
    distance = np.empty(count)
    for v in range(count - 1, -1, -1):
        if inside[order[v]]:
            below[v] += 1
        if v > 0:
            below[up[v]] += below[v]
    total = 0.0
    top = 0  # position of the lowest broker whose subtree contains the whole set
    for v in range(1, count):
        if below[v] == below[0]:
            top = v
        elif below[v] > 0:
            total += weight[v]
    # next, the distances of the brokers that are above the whole set in the tree
    for v in range(count - 1, -1, -1):
        if below[v] == below[0]:
            distance[v] = 0.0
    here = top
    while here > 0:
        distance[up[here]] = distance[here] + weight[here]
        here = up[here]
    for v in range(1, count):
        if below[v] == 0:
            distance[v] = distance[up[v]] + weight[v]
        elif below[v] < below[0]:
            distance[v] = 0.0
    for v in range(count):
        reach[order[v]] = total + distance[v]
    return total


@njit
def tree_traffic(order, up, published, subscribers):
    """The traffic on each broker's link to its parent; brokers are in the order ``order``."""
    num_brokers, num_channels = published.shape
    carried = np.zeros(num_brokers)
    below = np.empty(num_brokers)
    wanting = np.empty(num_brokers, dtype=np.int64)
    for c in range(num_channels):
        all_published = 0.0
        all_wanting = 0
        for v in range(num_brokers):
            below[v] = published[order[v], c]
            wanting[v] = 1 if subscribers[order[v], c] > 0 else 0
            all_published += below[v]
            all_wanting += wanting[v]
        for v in range(num_brokers - 1, 0, -1):
            if wanting[v] > 0:
                carried[v] += all_published - below[v]
            if wanting[v] < all_wanting:
                carried[v] += below[v]
            below[up[v]] += below[v]
            wanting[up[v]] += wanting[v]
    return carried


@njit
def _gather_below(order, up, published, wanting, below, below_wanting):
    """Write the sums over the subtree of each broker: of the published traffic to ``below``, and of the brokers that
    want it to ``below_wanting``.

    Channels are columns.
    """
    for v in range(len(order)):
        below[v] = published[order[v]]
        below_wanting[v] = wanting[order[v]]
    for v in range(len(order) - 1, 0, -1):
        below[up[v]] += below[v]
        below_wanting[up[v]] += below_wanting[v]


@njit
def _cycle(up, a, b, ring):
    """Write the path from a to b in the tree, as positions, to ``ring``.

    Returns their number and the index of the highest one.
    """
    length = 0
    here, there = a, b
    # positions are ordered with parents before children, so the later of two positions is never above the other
    while here != there:
        if here > there:
            ring[length] = here
            length += 1
            here = up[here]
        else:
            there = up[there]
    ring[length] = here
    top = length
    length += 1
    there = b
    start = length
    while there != here:
        ring[length] = there
        length += 1
        there = up[there]
    ring[start:length] = ring[start:length][::-1].copy()
    return length, top


@njit
def _worst_link(ring, length, top, price, weight, below, below_wanting, paid):
    """Return which link of the cycle that a new link closes should be dropped, and what the others then cost; the last
    link of the cycle is the new one.

    Link t of the cycle joins ``ring[t]`` and the next position, cyclically. ``paid`` is scratch space.
    """
    num_channels = below.shape[1]
    for t in range(length):
        paid[t] = 0.0
    amount, wants = np.empty(num_channels), np.empty(num_channels, dtype=np.int64)
    for p in range(length):  # one of the two arcs begins at ring[p] and grows broker by broker
        amount[:] = 0.0
        wants[:] = 0
        for q in range(p, length - 1):
            # brokers that are above the cycle in the tree are attached to its highest broker
            v = ring[q] if q != top else 0
            # leave out brokers below v that are reached by way of another broker of the cycle
            first, second = -1, -1
            if q < top:
                first = ring[q - 1] if q > 0 else -1
            elif q > top:
                first = ring[q + 1] if q < length - 1 else -1
            else:
                first = ring[q - 1] if q > 0 else -1
                second = ring[q + 1] if q < length - 1 else -1
            carried = 0.0
            for c in range(num_channels):
                amount[c] += below[v, c]
                wants[c] += below_wanting[v, c]
                if first >= 0:
                    amount[c] -= below[first, c]
                    wants[c] -= below_wanting[first, c]
                if second >= 0:
                    amount[c] -= below[second, c]
                    wants[c] -= below_wanting[second, c]
                if wants[c] > 0:
                    carried += below[0, c] - amount[c]
                if wants[c] < below_wanting[0, c]:
                    carried += amount[c]
            before = length - 1 if p == 0 else p - 1  # the link of the cycle that leads to ring[p]
            paid[before] += carried * _price_of(ring, q, length, top, price, weight)
            paid[q] += carried * _price_of(ring, before, length, top, price, weight)
    best = 0
    for t in range(1, length):
        if paid[t] < paid[best]:
            best = t
    return best, paid[best]


@njit
def _price_of(ring, t, length, top, price, weight):
    """The price of the t-th link of the cycle."""
    if t == length - 1:
        return price
    return weight[ring[t]] if t < top else weight[ring[t + 1]]


@njit
def exchange_links(link_price, published, subscribers, order, up, weight):
    """Replace links of the tree by others as long as that lowers the cost; returns the cost.

    ``link_price`` is infinite if there is no link. The tree is updated.
    """
    num_brokers, num_channels = published.shape
    wanting = (subscribers > 0).astype(np.int64)
    below, below_wanting = np.empty((num_brokers, num_channels)), np.empty((num_brokers, num_channels), dtype=np.int64)
    where = np.empty(num_brokers, dtype=np.int64)
    ring, place = np.empty(num_brokers, dtype=np.int64), np.empty(num_brokers, dtype=np.int64)
    one, other = np.empty(num_brokers, dtype=np.int64), np.empty(num_brokers, dtype=np.int64)
    paid = np.empty(num_brokers)
    carried = tree_traffic(order, up, published, subscribers)
    total = (carried[1:] * weight[1:]).sum()
    since = 0  # number of pairs tried since the last exchange
    num_pairs = num_brokers * (num_brokers - 1) // 2
    is_fresh = False
    while since < num_pairs:
        for a in range(num_brokers):
            for b in range(a):
                since += 1
                if not np.isfinite(link_price[a, b]):
                    continue
                if not is_fresh:
                    _gather_below(order, up, published, wanting, below, below_wanting)
                    for v in range(num_brokers):
                        where[order[v]] = v
                    is_fresh = True
                length, top = _cycle(up, where[a], where[b], ring)
                if length < 3:  # this pair is already linked in the tree
                    continue
                now = 0.0
                for t in range(length - 1):
                    v = ring[t] if t < top else ring[t + 1]
                    now += carried[v] * weight[v]
                dropped, then = _worst_link(ring, length, top, link_price[a, b], weight, below, below_wanting, paid)
                if dropped == length - 1 or not then < now - LEAST_GAIN * total:
                    continue
                gone = ring[dropped] if dropped < top else ring[dropped + 1]
                for v in range(1, num_brokers):
                    one[v - 1], other[v - 1] = order[v], order[up[v]]
                one[gone - 1], other[gone - 1] = a, b
                order_tree(link_price, one, other, num_brokers - 1, a, place, order, up, weight)
                carried = tree_traffic(order, up, published, subscribers)
                before, total = total, (carried[1:] * weight[1:]).sum()
                is_fresh = False
                # without this check, rounding errors could keep the search going forever
                since = 0 if total < before else since
            if since >= num_pairs:
                break
    return total
