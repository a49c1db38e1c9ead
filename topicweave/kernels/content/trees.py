"""Spanning trees over brokers by Prim's algorithm, the insertion of one more broker, and totals per broker.

A tree over ``count`` brokers is three arrays: ``order`` (the brokers, parents before children), ``up`` (the position of
the parent in ``order``) and ``weight`` (the price of the link to it). A broker is inserted into a minimum spanning tree
in time linear in its size: from the leaves to the root, every link competes with the cheapest path from the part below
it to the new broker; the cheaper of the two stays, and the more expensive one is offered to the parent.
"""

import numpy as np

from topicweave.kernels.jit import njit


@njit
def grow_tree(core_price, members, count, order, up, weight):
    """Prim's algorithm over ``members[:count]``; ties go to the broker listed first. Returns the weight of the tree."""
    if count == 0:
        return 0.0
    distance = np.empty(count)
    nearest = np.zeros(count, dtype=np.int64)
    waiting = members[:count].copy()
    order[0] = waiting[0]
    up[0] = 0
    weight[0] = 0.0
    left = count - 1
    for position in range(left):
        waiting[position] = waiting[position + 1]
        distance[position] = core_price[order[0], waiting[position]]
    total = 0.0
    for step in range(1, count):
        best = 0
        for position in range(1, left):
            if distance[position] < distance[best]:
                best = position
        broker = waiting[best]
        order[step] = broker
        up[step] = nearest[best]
        weight[step] = distance[best]
        total += distance[best]
        left -= 1
        row = core_price[broker]
        for position in range(best, left):  # keep the order of the others, because ties go to the first
            waiting[position] = waiting[position + 1]
            distance[position] = distance[position + 1]
            nearest[position] = nearest[position + 1]
        for position in range(left):
            price = row[waiting[position]]
            if price < distance[position]:
                distance[position] = price
                nearest[position] = step
    return total


@njit
def insertion_weights(core_price, order, up, weight, count, others, num_others, reach, total):
    """For each of ``others[:num_others]``, write to ``total`` the weight of the tree after inserting it.

    ``reach`` is scratch space for count × num_others prices.
    """
    for t in range(num_others):
        total[t] = 0.0
    if count == 0:
        return
    for v in range(count):
        row = core_price[order[v]]
        for t in range(num_others):
            reach[v, t] = row[others[t]]
    for v in range(count - 1, 0, -1):
        link = weight[v]
        mine = reach[v]
        parents = reach[up[v]]
        for t in range(num_others):
            here = mine[t]
            total[t] += min(here, link)
            parents[t] = min(parents[t], max(here, link))
    for t in range(num_others):
        total[t] += reach[0, t]


@njit
def insert_broker(core_price, order, up, weight, count, newcomer, one, other):
    """Insert ``newcomer`` into the tree: write the ``count`` links of the larger tree to ``one`` and ``other``, and
    return its weight.
    """
    if count == 0:
        return 0.0
    price = np.empty(count)
    first = np.empty(count, dtype=np.int64)
    second = np.empty(count, dtype=np.int64)
    for v in range(count):
        price[v] = core_price[order[v], newcomer]
        first[v] = order[v]
        second[v] = newcomer
    total = 0.0
    for v in range(count - 1, 0, -1):
        parent = up[v]
        if price[v] < weight[v]:
            one[v], other[v] = first[v], second[v]
            total += price[v]
            offered, a, b = weight[v], order[v], order[parent]
        else:
            one[v], other[v] = order[v], order[parent]
            total += weight[v]
            offered, a, b = price[v], first[v], second[v]
        if offered < price[parent]:
            price[parent] = offered
            first[parent] = a
            second[parent] = b
    one[0], other[0] = first[0], second[0]
    return total + price[0]


@njit
def order_tree(core_price, one, other, num_edges, root, place, order, up, weight):
    """Given the links of a tree, order its brokers from ``root`` so that parents come before children.

    ``place`` is scratch space, one number per broker.
    """
    count = num_edges + 1
    start = np.zeros(count + 1, dtype=np.int64)
    names = np.empty(count, dtype=np.int64)
    for link in range(num_edges):
        place[one[link]] = -1
        place[other[link]] = -1
    found = 0
    for link in range(num_edges):
        for broker in (one[link], other[link]):
            if place[broker] < 0:
                place[broker] = found
                names[found] = broker
                found += 1
            start[place[broker] + 1] += 1
    for v in range(count):
        start[v + 1] += start[v]
    fill = start[:count].copy()
    neighbour = np.empty(2 * num_edges, dtype=np.int64)
    for link in range(num_edges):
        a, b = place[one[link]], place[other[link]]
        neighbour[fill[a]] = b
        neighbour[fill[b]] = a
        fill[a] += 1
        fill[b] += 1
    visited = np.zeros(count, dtype=np.bool_)
    queue = np.empty(count, dtype=np.int64)
    queue[0] = place[root]
    visited[queue[0]] = True
    order[0], up[0], weight[0] = root, 0, 0.0
    reached = 1
    for step in range(count):
        here = queue[step]
        for k in range(start[here], start[here + 1]):
            there = neighbour[k]
            if not visited[there]:
                visited[there] = True
                queue[reached] = there
                order[reached] = names[there]
                up[reached] = step
                weight[reached] = core_price[names[here], names[there]]
                reached += 1


@njit
def gather(rate, subscribe, broker, num_brokers):
    """What the users of each broker publish on each channel, and how many of them subscribe to it (brokers ×
    channels).
    """
    num_users, num_channels = rate.shape
    published = np.zeros((num_brokers, num_channels))
    subscribers = np.zeros((num_brokers, num_channels), dtype=np.int32)
    for i in range(num_users):
        rates = rate[i]
        wanted = subscribe[i]
        to_rates = published[broker[i]]
        to_wanted = subscribers[broker[i]]
        for c in range(num_channels):
            to_rates[c] += rates[c]
            to_wanted[c] += wanted[c]
    return published, subscribers


@njit
def relocate(i, there, need, rate, broker, load, published):
    """Move user i to another broker and update the loads and what each broker publishes (channels × brokers)."""
    here = broker[i]
    broker[i] = there
    load[here] -= need[i]
    load[there] += need[i]
    for c in range(rate.shape[1]):
        if rate[i, c] > 0.0:
            published[c, here] -= rate[i, c]
            published[c, there] += rate[i, c]


@njit
def split(inside, members, others):
    """Split the brokers into ``members`` (those in the set ``inside``) and ``others``; returns the size of both."""
    count, num_others = 0, 0
    for v in range(len(inside)):
        if inside[v]:
            members[count] = v
            count += 1
        else:
            others[num_others] = v
            num_others += 1
    return count, num_others
