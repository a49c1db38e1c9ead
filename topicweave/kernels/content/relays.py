"""Steiner trees over brokers: the cheapest trees if brokers without subscribers may relay messages.

For few brokers the best trees are computed exactly, by the dynamic programme of Dreyfus and Wagner over sets of
brokers, which also gives the tree with each further broker. For many, relays are added to the minimum spanning tree one
by one, each time the one that saves most (the iterated 1-Steiner heuristic). The result costs no more than the spanning
tree, which costs at most 2 - 2/k times as much as the best tree over k brokers.
"""

import numpy as np

from topicweave.kernels.content.trees import insert_broker, insertion_weights, order_tree
from topicweave.kernels.jit import njit

MOST_STEPS = 100_000  # exact trees are computed only if this takes at most this many additions
LEAST_GAIN = 1e-12  # the share of a tree's weight that a relay must save; smaller savings may be rounding errors


@njit
def is_exact(count, num_brokers):
    """Whether exact trees over ``count`` brokers can be computed quickly enough."""
    return count < 16 and 3**count * num_brokers + 2**count * num_brokers**2 <= MOST_STEPS


@njit
def steiner_table(price, members, count):
    """Return the weights of cheapest trees: ``table[chosen, v]`` for v and the ``members`` whose bits are set in
    ``chosen``.

    ``price`` are the prices of cheapest paths. A tree is attached to v by a path (possibly of length 0) from a broker
    at which two trees over smaller sets meet.
    """
    num_brokers = price.shape[0]
    table = np.zeros((1 << count, num_brokers))
    meeting = np.empty(num_brokers)
    for position in range(count):
        table[1 << position] = price[members[position]]
    for chosen in range(1, 1 << count):
        lowest = chosen & -chosen
        if chosen == lowest:
            continue
        meeting[:] = np.inf
        part = (chosen - 1) & chosen
        while part > 0:
            if part & lowest:  # consider each division into two parts only once
                one, other = table[part], table[chosen ^ part]
                for v in range(num_brokers):
                    meeting[v] = min(meeting[v], one[v] + other[v])
            part = (part - 1) & chosen
        found = table[chosen]
        found[:] = meeting
        for u in range(num_brokers):
            here, row = meeting[u], price[u]
            for v in range(num_brokers):
                found[v] = min(found[v], here + row[v])
    return table


@njit
def table_links(price, table, members, chosen, source, one, other):
    """Write the edges of a cheapest tree over ``source`` and the members in ``chosen`` (as bits) to ``one`` and
    ``other``; each edge stands for a path.

    ``one`` and ``other`` have space for two paths per broker. Returns the number of edges.
    """
    num_brokers, count = price.shape[0], len(members)
    sets, ends = np.empty(2 * count + 2, dtype=np.int64), np.empty(2 * count + 2, dtype=np.int64)
    sets[0], ends[0] = chosen, source
    waiting, num_edges = 1, 0
    while waiting > 0:
        waiting -= 1
        chosen, end = sets[waiting], ends[waiting]
        if chosen & (chosen - 1) == 0:
            for position in range(count):
                if chosen >> position & 1 and members[position] != end:
                    one[num_edges], other[num_edges] = members[position], end
                    num_edges += 1
            continue
        lowest = chosen & -chosen
        best, where, half = np.inf, -1, 0
        for u in range(num_brokers):
            part = (chosen - 1) & chosen
            while part > 0 and best > table[chosen, end]:
                if part & lowest:
                    whole = table[part, u] + table[chosen ^ part, u] + price[u, end]
                    if whole < best:
                        best, where, half = whole, u, part
                part = (part - 1) & chosen
        if where != end:
            one[num_edges], other[num_edges] = where, end
            num_edges += 1
        sets[waiting], ends[waiting] = half, where
        sets[waiting + 1], ends[waiting + 1] = chosen ^ half, where
        waiting += 2
    return num_edges


@njit
def add_relays(price, order, up, weight, count, others, num_others, scratch):
    """Make a minimum spanning tree cheaper by adding brokers from ``others`` as relays; these are removed from
    ``others``.

    ``order``, ``up`` and ``weight`` have space for all brokers. Returns the number of brokers in the tree, and its
    weight.
    """
    num_brokers = price.shape[0]
    total = 0.0
    for v in range(1, count):
        total += weight[v]
    if count < 3:  # a relay with fewer than three neighbours in the tree saves nothing
        return count, total
    sums = np.empty(num_others)
    one, other = np.empty(num_brokers, dtype=np.int64), np.empty(num_brokers, dtype=np.int64)
    place = np.empty(num_brokers, dtype=np.int64)
    while num_others > 0:
        insertion_weights(price, order, up, weight, count, others, num_others, scratch, sums)
        best = 0
        for t in range(1, num_others):
            if sums[t] < sums[best]:
                best = t
        if not sums[best] < total * (1 - LEAST_GAIN):
            break
        insert_broker(price, order, up, weight, count, others[best], one, other)
        order_tree(price, one, other, count, others[best], place, order, up, weight)
        total = sums[best]
        count += 1
        num_others -= 1
        others[best] = others[num_others]
    return count, total
