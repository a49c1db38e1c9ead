"""The links between brokers that carry a message: a tree of existing links from one broker to all brokers that the
message must reach.

The trees of other files join brokers by edges that stand for cheapest paths. Here each path is replaced by the links it
consists of. A link that several paths use carries the message once; links that would close a cycle, and links that lead
to no subscriber, are left out.
"""

import numpy as np

from topicweave.kernels.content.reach import STEINER, TREE, new_span, span
from topicweave.kernels.content.relays import is_exact, steiner_table, table_links
from topicweave.kernels.content.trees import insert_broker
from topicweave.kernels.jit import njit


@njit
def _paths(pricing, inside, source, one, other):
    """Write a tree over the brokers in ``inside`` and ``source``: the two ends of each edge to ``one`` and ``other``,
    where an edge stands for a path between its ends; returns the number of edges.
    """
    num_brokers = len(inside)
    if pricing.code == TREE:
        for v in range(1, num_brokers):
            one[v - 1], other[v - 1] = pricing.order[v], pricing.order[pricing.up[v]]
        return num_brokers - 1
    members = np.flatnonzero(inside)
    count = len(members)
    if inside[source]:
        source = members[0]  # all brokers in the set have the same tree, so any of them can be its root
    if pricing.code == STEINER and len(pricing.table) > 0:
        chosen = 0
        for v in members:
            chosen |= 1 << v
        return table_links(pricing.price, pricing.table, np.arange(num_brokers), chosen, source, one, other)
    if pricing.code == STEINER and is_exact(count, num_brokers):
        table = steiner_table(pricing.price, members, count)
        return table_links(pricing.price, table, members, (1 << count) - 1, source, one, other)
    found = new_span(num_brokers)
    span(pricing, inside, found)
    if inside[source]:
        order, up, size = found.order, found.up, found.count[0]
        if found.count[1] > 0:
            order, up, size = found.wide_order, found.wide_up, found.count[1]
        for v in range(1, size):
            one[v - 1], other[v - 1] = order[v], order[up[v]]
        return size - 1
    plain = insert_broker(pricing.price, found.order, found.up, found.weight, count, source, one, other)
    if found.count[1] > 0:
        first, second = np.empty(num_brokers, dtype=np.int64), np.empty(num_brokers, dtype=np.int64)
        wide = insert_broker(
            pricing.price, found.wide_order, found.wide_up, found.wide_weight, found.count[1], source, first, second
        )
        if wide < plain:
            one[: found.count[1]], other[: found.count[1]] = first[: found.count[1]], second[: found.count[1]]
            return found.count[1]
    return count


@njit
def real_links(pricing, link_price, hop, inside, source, one, other):
    """Write the links of the tree from ``source`` to the brokers in ``inside``: parents to ``one``, children to
    ``other``; returns the number of links.

    ``hop[u, v]`` is the broker before v on the cheapest path from u; ``link_price`` is infinite if there is no link. A
    parent comes before its children.
    """
    num_brokers = len(inside)
    first, second = np.empty(2 * num_brokers, dtype=np.int64), np.empty(2 * num_brokers, dtype=np.int64)
    num_paths = _paths(pricing, inside, source, first, second)
    is_used = np.zeros((num_brokers, num_brokers), dtype=np.bool_)
    for t in range(num_paths):
        here, there = first[t], second[t]
        if pricing.code == TREE:
            is_used[here, there] = True
            is_used[there, here] = True
            continue
        while there != here:
            before = hop[here, there]
            is_used[before, there] = True
            is_used[there, before] = True
            there = before
    # the cheapest spanning tree of the links that the paths use
    order, parent = np.empty(num_brokers, dtype=np.int64), np.full(num_brokers, -1, dtype=np.int64)
    distance, is_done = np.full(num_brokers, np.inf), np.zeros(num_brokers, dtype=np.bool_)
    distance[source] = 0.0
    reached = 0
    while reached < num_brokers:
        best = -1
        for v in range(num_brokers):
            if not is_done[v] and distance[v] < np.inf and (best < 0 or distance[v] < distance[best]):
                best = v
        if best < 0:
            break
        is_done[best] = True
        order[reached] = best
        reached += 1
        for v in range(num_brokers):
            if not is_done[v] and is_used[best, v] and link_price[best, v] < distance[v]:
                distance[v] = link_price[best, v]
                parent[v] = best
    is_needed = inside.copy()
    for t in range(reached - 1, 0, -1):
        if is_needed[order[t]]:
            is_needed[parent[order[t]]] = True
    num_edges = 0
    for t in range(1, reached):
        if is_needed[order[t]]:
            one[num_edges], other[num_edges] = parent[order[t]], order[t]
            num_edges += 1
    return num_edges


@njit
def link_traffic(pricing, link_price, hop, published, subscribers):
    """The traffic on each link between brokers (a symmetric matrix); the input arrays are channels × brokers."""
    num_channels, num_brokers = published.shape
    traffic = np.zeros((num_brokers, num_brokers))
    one, other = np.empty(num_brokers, dtype=np.int64), np.empty(num_brokers, dtype=np.int64)
    for c in range(num_channels):
        inside = subscribers[c] > 0
        if not inside.any():
            continue
        common, first = 0.0, -1
        for v in range(num_brokers):
            if inside[v]:
                common += published[c, v]
                first = v
        for v in range(num_brokers):
            # all brokers in the set share one tree, which carries what they publish together
            amount = common if v == first else (0.0 if inside[v] else published[c, v])
            if amount > 0:
                for t in range(real_links(pricing, link_price, hop, inside, v, one, other)):
                    traffic[one[t], other[t]] += amount
                    traffic[other[t], one[t]] += amount
    return traffic
