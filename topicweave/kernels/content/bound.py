"""A lower bound on the cost of serving users from some of the brokers, each of which costs something to open (to be
used at all), by dual ascent for facility location.
"""

import numpy as np

from topicweave.kernels.jit import njit


@njit
def serving_bound(price, by_price, weight, users, opening):
    """Return a lower bound, for any choice of brokers to open, on what these cost together (``opening``) plus the
    weighted extra prices that ``users`` pay.

    ``by_price[i]`` are the brokers in ascending order of price for user i, and ``price[i]`` those prices; the extra
    price is the cheapest open broker's less the cheapest of all. Every user bids the same amount for all brokers that
    are nearer than its bid; bids rise, one broker further at a time, as long as no broker receives more than its
    opening costs. By duality the sum of bids is a lower bound (Erlenkotter's ascent).
    """
    num_brokers = len(opening)
    slack = opening.copy()
    bid = np.zeros(len(users))
    reached = np.ones(len(users), dtype=np.int64)
    total = 0.0
    is_rising = True
    while is_rising:
        is_rising = False
        for t in range(len(users)):
            i = users[t]
            allowed = np.inf
            for position in range(reached[t]):
                allowed = min(allowed, slack[by_price[i, position]])
            if allowed <= 0.0:
                continue
            is_rising = True
            further = np.inf
            if reached[t] < num_brokers and price[i, reached[t]] < np.inf:
                further = weight[i] * (price[i, reached[t]] - price[i, 0])
            rise = min(allowed, max(further - bid[t], 0.0))
            for position in range(reached[t]):
                broker = by_price[i, position]
                slack[broker] = 0.0 if rise == allowed and slack[broker] == allowed else slack[broker] - rise
            bid[t] += rise
            total += rise
            if rise < allowed or bid[t] >= further:
                reached[t] += 1
    return total


@njit
def channel_bounds(price, by_price, weight, subscribe, opening):
    """Return for each channel the lower bound of :func:`serving_bound` with the subscribers of the channel as the
    users.
    """
    found = np.empty(subscribe.shape[1])
    for c in range(subscribe.shape[1]):
        found[c] = serving_bound(price, by_price, weight, np.flatnonzero(subscribe[:, c]), opening)
    return found
