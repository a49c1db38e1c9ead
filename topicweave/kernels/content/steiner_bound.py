"""A lower bound on the cost of connecting users through brokers, by dual ascent for Steiner trees (Wong).

The brokers are the inner nodes of a graph, users its leaves, linked to brokers at a price. A tree that connects all
users is an arborescence from one of them, the root. Every other user makes a claim against the direction of the links:
it raises the same amount on every cut between itself and the root, in small steps that take turns, and each step lowers
the prices of the links that enter the cut. Prices never fall below zero, so no tree costs less than the claims together
(duality); the remaining prices bound the cost of connecting more users.
"""

import numpy as np

from topicweave.kernels.jit import njit

# for channels with more users than this, no bound is computed here: it would take long, and other bounds are stronger
# then
MOST_USERS = 500


@njit
def _distances(left, leaf, most, distance, is_done):
    """Write to ``distance`` how far each broker is from the user with the access prices ``leaf``, under the remaining
    prices ``left``; only values below ``most`` are exact.
    """
    num_brokers = len(leaf)
    distance[:] = leaf
    is_done[:] = False
    for _ in range(num_brokers):
        best = -1
        for b in range(num_brokers):
            if not is_done[b] and (best < 0 or distance[b] < distance[best]):
                best = b
        if best < 0 or not distance[best] < most:
            return
        is_done[best] = True
        for b in range(num_brokers):
            if not is_done[b] and distance[best] + left[b, best] < distance[b]:
                distance[b] = distance[best] + left[b, best]


@njit
def _raise(left, root, leaf, step, distance, is_done):
    """Let a user contribute up to ``step`` more to the cost of the tree, which lowers the remaining prices; returns the
    amount.
    """
    num_brokers = len(leaf)
    _distances(left, leaf, step, distance, is_done)
    raised = step
    for b in range(num_brokers):
        raised = min(raised, root[b] + distance[b])
    if not raised > 0.0:
        return 0.0
    for v in range(num_brokers):
        if distance[v] >= raised:
            continue
        for u in range(num_brokers):
            fall = min(distance[u], raised) - distance[v]
            if fall > 0.0:
                left[u, v] = max(left[u, v] - fall, 0.0)
        root[v] = max(root[v] - (raised - distance[v]), 0.0)
    for b in range(num_brokers):
        leaf[b] = max(leaf[b] - min(distance[b], raised), 0.0)
    return raised


@njit
def joining_bound(price, leaves, num_rounds, further):
    """A lower bound on the cost of a tree that connects some users through brokers.

    ``price`` are the prices of links between brokers; ``leaves[i, b]`` is the price of linking user i to broker b, and
    may be infinite. The first user is the root.
    ``further[b]`` becomes a lower bound on the additional cost of connecting broker b as well. Larger ``num_rounds``
    mean smaller steps.
    """
    num_users, num_brokers = leaves.shape
    left, root, rest = price.copy(), leaves[0].copy(), leaves[1:].copy()
    distance, is_done = np.empty(num_brokers), np.empty(num_brokers, dtype=np.bool_)
    furthest = 0.0
    for t in range(num_users - 1):
        _distances(left, rest[t], np.inf, distance, is_done)
        furthest = max(furthest, (root + distance).min())
    total = 0.0
    is_rising = np.ones(num_users - 1, dtype=np.bool_)
    for turn in range(num_rounds):
        step = np.inf if turn == num_rounds - 1 else furthest / num_rounds
        for t in range(num_users - 1):
            if is_rising[t]:
                raised = _raise(left, root, rest[t], step, distance, is_done)
                is_rising[t] = raised == step
                total += raised
    # distances from the root to every broker under the prices that remain
    _distances(left.T.copy(), root, np.inf, further, is_done)
    return total


@njit
def joining_bounds(price, extra, rate, subscribe, num_rounds):
    """Return for each channel a lower bound on its cost: for connecting its subscribers, :func:`joining_bound` times
    all its traffic; for each publisher that does not subscribe, the bound on connecting it as well times its own
    traffic.

    ``extra[i, b]`` is what a unit of traffic costs user i at broker b, beyond the cheapest broker.
    """
    num_channels, num_brokers = rate.shape[1], len(price)
    found, further = np.zeros(num_channels), np.empty(num_brokers)
    for c in range(num_channels):
        users = np.flatnonzero(subscribe[:, c])
        if len(users) == 0 or len(users) > MOST_USERS:
            continue
        amount = 0.0
        for i in range(len(rate)):
            amount += rate[i, c]
        if amount == 0.0:
            continue
        found[c] = amount * joining_bound(price, extra[users], num_rounds, further)
        for i in range(len(rate)):
            if rate[i, c] > 0.0 and not subscribe[i, c]:
                found[c] += rate[i, c] * (further + extra[i]).min()
    return found
