"""Simulated annealing that improves an assignment of users to brokers step by step, where only what a step changes is
computed again: the access of one or two users, and the channels that they publish on or subscribe to.
"""

import numpy as np

from topicweave.kernels.content.reach import channel_cost, new_span
from topicweave.kernels.jit import njit


@njit
def _carry(i, here, there, first, channel, rate, subscribe, published, publishers, subscribers, stamp, mark, touched):
    """Take user ``i`` from one broker to another in the tables; add its channels to ``touched``, whose length is its
    last entry, unless they bear the stamp already.
    """
    for k in range(first[i], first[i + 1]):
        c = channel[k]
        if rate[i, c] > 0.0:
            publishers[c, here] -= 1
            publishers[c, there] += 1
            published[c, there] += rate[i, c]
            # nobody is left: what rounding would leave must not count as traffic
            published[c, here] = published[c, here] - rate[i, c] if publishers[c, here] > 0 else 0.0
        if subscribe[i, c]:
            subscribers[c, here] -= 1
            subscribers[c, there] += 1
        if stamp[c] != mark:
            stamp[c] = mark
            touched[touched[-1]] = c
            touched[-1] += 1


@njit
def anneal_changes(
    pricing, access_price, need, rate, subscribe, limit, first, channel, chance, hot, cold, broker, published,
    publishers, subscribers,
):  # fmt: skip
    """Improve an assignment by moving single users, and by swapping or ejecting users if the new broker is full. Write
    the best assignment to ``broker``; return how much it saves.

    ``channel[first[i]:first[i + 1]]`` are the channels of user i. ``published`` (rates), ``publishers`` and
    ``subscribers`` (numbers of users) are channels × brokers and belong to ``broker``; they are changed. ``chance`` has
    five numbers in [0, 1) for every step; ``hot`` and ``cold`` are the first and the last temperature, as costs. If the
    new broker of a user is full, one of the users there moves to the old broker of the first, or to a third broker.
    """
    num_users, num_brokers = access_price.shape
    num_channels = len(published)
    trial = broker.copy()
    load = np.zeros(num_brokers)
    for i in range(num_users):
        load[broker[i]] += need[i]
    found = new_span(num_brokers)
    paid, fresh = np.empty(num_channels), np.empty(num_channels)
    for c in range(num_channels):
        paid[c] = channel_cost(pricing, published[c], subscribers[c], found, False)[0]
    stamp = np.full(num_channels, -1, dtype=np.int64)
    touched = np.zeros(num_channels + 1, dtype=np.int64)
    saved = best = 0.0
    heat, cooling = hot, (cold / hot) ** (1 / max(len(chance), 1))
    for step in range(len(chance)):
        heat *= cooling
        i, there = int(chance[step, 0] * num_users), int(chance[step, 1] * num_brokers)
        here = trial[i]
        if there == here or access_price[i, there] == np.inf:
            continue
        other, further = -1, here
        if load[there] + need[i] > limit[there]:
            other = int(chance[step, 2] * num_users)
            if chance[step, 3] < 0.3:
                further = int(chance[step, 3] / 0.3 * num_brokers)
            if trial[other] != there or further == there or access_price[other, further] == np.inf:
                continue
            left = load[further] + need[other] - (need[i] if further == here else 0.0)
            if load[there] - need[other] + need[i] > limit[there] or left > limit[further]:
                continue
        touched[-1] = 0
        _carry(
            i, here, there, first, channel, rate, subscribe, published, publishers, subscribers, stamp, step, touched
        )
        change = need[i] * (access_price[i, there] - access_price[i, here])
        if other >= 0:
            _carry(
                other, there, further, first, channel, rate, subscribe, published, publishers, subscribers, stamp, step,
                touched,
            )  # fmt: skip
            change += need[other] * (access_price[other, further] - access_price[other, there])
        for k in range(touched[-1]):
            c = touched[k]
            fresh[c] = channel_cost(pricing, published[c], subscribers[c], found, False)[0]
            change += fresh[c] - paid[c]
        if change <= 0 or np.exp(-change / heat) > chance[step, 4]:
            saved -= change
            for k in range(touched[-1]):
                paid[touched[k]] = fresh[touched[k]]
            trial[i] = there
            load[here] -= need[i]
            load[there] += need[i]
            if other >= 0:
                trial[other] = further
                load[there] -= need[other]
                load[further] += need[other]
            if saved > best:
                best = saved
                broker[:] = trial
        else:
            touched[-1] = 0
            if other >= 0:
                _carry(
                    other, further, there, first, channel, rate, subscribe, published, publishers, subscribers, stamp,
                    step, touched,
                )  # fmt: skip
            _carry(
                i, there, here, first, channel, rate, subscribe, published, publishers, subscribers, stamp, step,
                touched,
            )  # fmt: skip
    return best
