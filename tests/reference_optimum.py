"""The optimum of a tiny instance by trying every placement and every set of links, to check the exact solver.

Nothing here is shared with the package or with the other twins, not even a spanning-tree algorithm: a tree over some
brokers is the cheapest of all sets of links that join them. Messages are counted one by one, for each publisher and
channel, as CONTENT §II-B defines them.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np

INFINITE = float("inf")


def joins(links, wanted):
    """Whether these links join all the wanted brokers."""
    if not wanted:
        return True
    reached = {min(wanted)}
    for _ in links:
        for a, b in links:
            if a in reached or b in reached:
                reached |= {a, b}
    return wanted <= reached


def subsets(things):
    return [chosen for size in range(len(things) + 1) for chosen in combinations(things, size)]


def members(mask, count):
    return {b for b in range(count) if mask >> b & 1}


def cheapest_sets(price, links, count):
    """For every set of brokers (as bits), the least price of a set of these links that joins them."""
    least = [INFINITE] * 2**count
    for chosen in subsets(links):
        paid = sum(price[a][b] for a, b in chosen)
        for mask in range(2**count):
            if paid < least[mask] and joins(chosen, members(mask, count)):
                least[mask] = paid
    return np.array(least)


def path_prices(price, count):
    """The cheapest path between two brokers is the cheapest set of links that joins the two."""
    links = [(a, b) for a, b in combinations(range(count), 2) if price[a][b] < INFINITE]
    sets = cheapest_sets(price, links, count)
    return [[sets[1 << a | 1 << b] if a != b else 0.0 for b in range(count)] for a in range(count)]


def tree_tables(price, count, core):
    """What it costs to join each set of brokers; several tables where there is a choice that all sets share."""
    links = [(a, b) for a, b in combinations(range(count), 2) if price[a][b] < INFINITE]
    if core == "steiner":
        return [cheapest_sets(price, links, count)]
    if core == "tree":
        whole = set(range(count))
        trees = [chosen for chosen in combinations(links, count - 1) if joins(chosen, whole)]
        return [cheapest_sets(price, chosen, count) for chosen in trees]
    paths = path_prices(price, count)
    table = np.zeros(2**count)
    for mask in range(2**count):
        inside = sorted(members(mask, count))
        own = cheapest_sets(paths, list(combinations(inside, 2)), count)
        table[mask] = own[mask]
    return [table]


def placements(instance):
    """All placements that users can reach and brokers can carry, a row each; and the traffic of each user."""
    publish, subscribe = instance.publish, instance.subscribe
    users, channels = publish.shape
    messages = []  # publisher, channel, rate, receivers
    need = np.zeros(users)
    for i, c in product(range(users), range(channels)):
        receivers = [k for k in range(users) if k != i and subscribe[k, c]]
        if publish[i, c] > 0 and receivers:
            messages.append((i, c, publish[i, c], receivers))
            need[[i, *receivers]] += publish[i, c]
    near = [[b for b in range(instance.num_brokers) if instance.access_price[i, b] < INFINITE] for i in range(users)]
    rows = np.array(list(product(*near)), dtype=np.int64).reshape(-1, users)
    fits = np.ones(len(rows), dtype=bool)
    for b in range(instance.num_brokers):
        fits &= (rows == b) @ need <= instance.capacity[b] * (1 + 1e-9)
    return rows[fits], need, messages


def optimum(instance, core):
    """The least cost of any placement under any trees of this kind; infinite if no placement fits."""
    rows, need, messages = placements(instance)
    if not len(rows):
        return INFINITE
    access = sum(need[i] * instance.access_price[i, rows[:, i]] for i in range(instance.num_users))
    best = INFINITE
    for table in tree_tables(instance.core_price.tolist(), instance.num_brokers, core):
        paid = np.zeros(len(rows))
        for i, _, rate, receivers in messages:
            mask = 1 << rows[:, i]
            for k in receivers:
                mask |= 1 << rows[:, k]
            paid += rate * table[mask]
        best = min(best, float((access + paid).min()))
    return best
