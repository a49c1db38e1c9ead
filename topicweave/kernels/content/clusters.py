"""The steps of two-stage clustering: find the pair of users with the highest ratio of traffic to price, then add each
user to the cluster (the users of one broker) that suits it best.
"""

import numpy as np

from topicweave.kernels.jit import njit


@njit
def pair_traffic(rate, subscribe, i, j):
    """The traffic that two users exchange."""
    total = 0.0
    for c in range(rate.shape[1]):
        total += rate[i, c] * subscribe[j, c] + rate[j, c] * subscribe[i, c]
    return total


@njit
def best_pair(rate, subscribe, most, price, need, room, users):
    """The pair among ``users`` with the highest ratio of traffic to price, if its load fits into ``room``.

    (-1, -1) if none does.

    ``most[i]`` bounds the traffic of i with any other user, so a pair's ratio is at most min(most) / (sum of prices):
    users are visited in descending order of the largest ratio they could have, and the search ends when that falls
    below the best ratio found. Ties go to the lowest ids.
    """
    cheapest = np.inf
    for u in users:
        cheapest = min(cheapest, price[u])
    possible = np.empty(len(users))
    for t in range(len(users)):
        possible[t] = most[users[t]] / (price[users[t]] + cheapest)
    visit = np.argsort(-possible, kind="mergesort")
    best, one, other = -1.0, -1, -1
    for s in range(len(visit)):
        if possible[visit[s]] < best:
            break
        i = users[visit[s]]
        for t in range(s + 1, len(visit)):
            if possible[visit[t]] < best:
                break
            j = users[visit[t]]
            paid = price[i] + price[j]
            ceiling = min(most[i], most[j])
            if ceiling / paid < best or need[i] + need[j] > room or paid == np.inf:
                continue
            ratio = pair_traffic(rate, subscribe, i, j) / paid if ceiling > 0.0 else 0.0
            low, high = min(i, j), max(i, j)
            if ratio > best or (ratio == best and (low < one or (low == one and high < other))):
                best, one, other = ratio, low, high
    return one, other


@njit
def join_clusters(rate, subscribe, price, need, limit, users, broker, load, published, subscribers):
    """Assign each user in ``users``, in this order, to the broker with whose users it exchanges the most traffic
    relative to the price.

    ``broker`` and ``load`` (by broker), ``published`` and ``subscribers`` (channels × brokers) are updated. Returns the
    user for whom no broker has room, or -1.
    """
    num_channels, num_brokers = published.shape
    traffic = np.empty(num_brokers)
    for i in users:
        traffic[:] = 0.0
        for c in range(num_channels):
            g = rate[i, c]
            if g > 0.0:
                row = subscribers[c]
                for b in range(num_brokers):
                    traffic[b] += g * row[b]
            if subscribe[i, c]:
                row = published[c]
                for b in range(num_brokers):
                    traffic[b] += row[b]
        best = -1
        ratio = -1.0
        for b in range(num_brokers):
            fits = load[b] + need[i] <= limit[b] and price[i, b] < np.inf
            if fits and traffic[b] / price[i, b] > ratio:
                best, ratio = b, traffic[b] / price[i, b]
        if best < 0:
            return i
        broker[i] = best
        load[best] += need[i]
        for c in range(num_channels):
            published[c, best] += rate[i, c]
            subscribers[c, best] += subscribe[i, c]
    return -1


@njit
def pack(price, need, limit, broker, load):
    """Assign each user, in order of number, to the cheapest broker that has room.

    Returns the user for whom there is none, or -1.
    """
    for i in range(len(need)):
        best = -1
        cheapest = np.inf
        for b in range(len(limit)):
            if price[i, b] < cheapest and load[b] + need[i] <= limit[b]:
                best, cheapest = b, price[i, b]
        if best < 0:
            return i
        broker[i] = best
        load[best] += need[i]
    return -1


@njit
def draw(weight, price, need, limit, users, chance, broker, load):
    """Draw a broker for every user in ``users`` among the brokers with room for it, with probabilities proportional to
    the weights.

    If no broker of positive weight has room, the cheapest one with room is taken. Returns the user for whom there is
    none, or -1.
    """
    num_brokers = len(limit)
    for i in users:
        total = 0.0
        cheapest = -1
        for b in range(num_brokers):
            if load[b] + need[i] <= limit[b] and price[i, b] < np.inf:
                total += weight[i, b]
                if cheapest < 0 or price[i, b] < price[i, cheapest]:
                    cheapest = b
        if cheapest < 0:
            return i
        chosen = cheapest
        if total > 0.0:
            mark = chance[i] * total
            passed = 0.0
            for b in range(num_brokers):
                if weight[i, b] > 0.0 and load[b] + need[i] <= limit[b] and price[i, b] < np.inf:
                    chosen = b
                    passed += weight[i, b]
                    if passed > mark:
                        break
        broker[i] = chosen
        load[chosen] += need[i]
    return -1


@njit
def take_heaviest(weight, price, need, limit, users, broker, load):
    """Assign each user in ``users`` to the broker with the largest weight that has room; ties go to the cheapest.
    Returns the user for whom no broker has room, or -1.
    """
    for i in users:
        best = -1
        for b in range(len(limit)):
            if load[b] + need[i] > limit[b] or price[i, b] == np.inf:
                continue
            is_equal = best >= 0 and weight[i, b] == weight[i, best]
            if best < 0 or weight[i, b] > weight[i, best] or (is_equal and price[i, b] < price[i, best]):
                best = b
        if best < 0:
            return i
        broker[i] = best
        load[best] += need[i]
    return -1
