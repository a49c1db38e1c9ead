"""Simulated annealing, which improves an assignment of users to brokers in two ways: by changing which brokers are open
(may have users at all), and by moving, swapping and ejecting single users.

Costs are those of :func:`topicweave.kernels.content.reach.channel_cost`.
"""

import numpy as np

from topicweave.kernels.content.reach import channel_cost, new_span
from topicweave.kernels.jit import njit


@njit
def assign_to_open(access_price, by_price, need, limit, users, is_open, broker, load):
    """Assign each user in ``users``, in this order, to its cheapest open broker that has room.

    Returns False if some user finds none.
    """
    load[:] = 0.0
    for i in users:
        chosen = -1
        for b in by_price[i]:
            if access_price[i, b] == np.inf:
                break
            if is_open[b] and load[b] + need[i] <= limit[b]:
                chosen = b
                break
        if chosen < 0:
            return False
        broker[i] = chosen
        load[chosen] += need[i]
    return True


@njit
def follow_cost(
    pricing, access_price, need, rate, subscribe, broker, known, published, subscribers, paid, is_stale, found
):  # fmt: skip
    """Update the arrays ``published`` and ``subscribers`` (brokers × channels) after users were assigned differently;
    return the new cost.

    ``known`` is where each user was before and is updated as well.

    ``paid`` is the cost of each channel; only stale channels are computed again. ``found`` is scratch space for trees.
    """
    num_brokers, num_channels = published.shape
    access = 0.0
    for i in range(len(need)):
        b, a = broker[i], known[i]
        access += need[i] * access_price[i, b]
        if a != b:
            known[i] = b
            for c in range(num_channels):
                if rate[i, c] > 0.0 or subscribe[i, c]:
                    is_stale[c] = True
                    published[a, c] -= rate[i, c]
                    published[b, c] += rate[i, c]
                    subscribers[a, c] -= subscribe[i, c]
                    subscribers[b, c] += subscribe[i, c]
    rates, wanting = np.empty(num_brokers), np.zeros(num_brokers, dtype=np.int64)
    core = 0.0
    is_first = True
    for c in range(num_channels):
        if is_stale[c]:
            is_same = not is_first  # neighbouring channels often have the same brokers, so the tree can be used again
            for b in range(num_brokers):
                rates[b] = published[b, c]
                if (wanting[b] > 0) != (subscribers[b, c] > 0):
                    is_same = False
                wanting[b] = subscribers[b, c]
            paid[c] = channel_cost(pricing, rates, wanting, found, is_same)[0]
            is_stale[c] = False
            is_first = False
        core += paid[c]
    return access + core


@njit
def anneal_open(
    pricing, access_price, by_price, need, rate, subscribe, limit, users, cluster, chance, hot, cold, broker,
    published, subscribers,
):  # fmt: skip
    """Improve an assignment by changing which brokers are open: single brokers, whole clusters, or one opens while
    another closes. Write the best assignment to ``broker``; return its cost.

    Starts from ``broker``, to which ``published`` and ``subscribers`` belong. ``cluster[t]`` marks the brokers of a
    cluster; ``chance`` has five numbers in [0, 1) for every step; ``hot`` and ``cold`` are the first and the last
    temperature, as costs. In every new assignment the users, in the order of ``users``, are each at the cheapest open
    broker with room.
    """
    num_brokers = len(limit)
    known = broker.copy()
    trial = broker.copy()
    load = np.empty(num_brokers)
    is_open = np.zeros(num_brokers, dtype=np.bool_)
    for i in range(len(broker)):
        is_open[broker[i]] = True
    before = is_open.copy()
    paid, is_stale = np.empty(published.shape[1]), np.ones(published.shape[1], dtype=np.bool_)
    found = new_span(num_brokers)
    now = follow_cost(
        pricing, access_price, need, rate, subscribe, trial, known, published, subscribers, paid, is_stale, found
    )
    best = now
    for step in range(len(chance)):
        one, other = int(chance[step, 0] * num_brokers), int(chance[step, 1] * num_brokers)
        before[:] = is_open
        if chance[step, 2] < 0.4:
            is_open[one] = not is_open[one]
        elif chance[step, 2] < 0.7 and is_open[one] != is_open[other]:
            is_open[one], is_open[other] = is_open[other], is_open[one]
        elif len(cluster) > 0:
            row = cluster[int(chance[step, 0] * len(cluster))]
            value = chance[step, 3] < 0.5
            for b in range(num_brokers):
                if row[b]:
                    is_open[b] = value
        if (is_open == before).all() or not assign_to_open(
            access_price, by_price, need, limit, users, is_open, trial, load
        ):
            is_open[:] = before
            continue
        reached = follow_cost(
            pricing, access_price, need, rate, subscribe, trial, known, published, subscribers, paid, is_stale, found
        )
        heat = hot * (cold / hot) ** (step / len(chance))
        if reached <= now or np.exp((now - reached) / heat) > chance[step, 4]:
            now = reached
            if now < best:
                best = now
                broker[:] = trial
        else:
            is_open[:] = before
    return best


@njit
def anneal_users(
    pricing, access_price, need, rate, subscribe, limit, chance, hot, cold, broker, published, subscribers
):  # fmt: skip
    """Improve an assignment by moving single users, and by swapping or ejecting users if the new broker is full. Write
    the best assignment to ``broker``; return its cost.

    Parameters as in :func:`anneal_open`. If the new broker of a user is full, one of the users there moves to the old
    broker of the first, or to a third broker.
    """
    num_users, num_brokers = access_price.shape
    known = broker.copy()
    trial = broker.copy()
    load = np.zeros(num_brokers)
    for i in range(num_users):
        load[broker[i]] += need[i]
    paid, is_stale = np.empty(published.shape[1]), np.ones(published.shape[1], dtype=np.bool_)
    found = new_span(num_brokers)
    now = follow_cost(
        pricing, access_price, need, rate, subscribe, trial, known, published, subscribers, paid, is_stale, found
    )
    best = now
    for step in range(len(chance)):
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
            trial[other] = further
        trial[i] = there
        reached = follow_cost(
            pricing, access_price, need, rate, subscribe, trial, known, published, subscribers, paid, is_stale, found
        )
        heat = hot * (cold / hot) ** (step / len(chance))
        if reached <= now or np.exp((now - reached) / heat) > chance[step, 4]:
            now = reached
            load[here] -= need[i]
            load[there] += need[i]
            if other >= 0:
                load[there] -= need[other]
                load[further] += need[other]
            if now < best:
                best = now
                broker[:] = trial
        else:
            trial[i] = here
            if other >= 0:
                trial[other] = there
    return best
