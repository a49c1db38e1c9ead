"""Annealing over sets of open brokers, and over moves, swaps and ejections of users; priced by the evaluator."""

import numpy as np

from topicweave.kernels.content.trees import multicast_traffic
from topicweave.kernels.jit import njit


@njit
def assign_to_open(by_price, need, limit, users, is_open, broker, load):
    """Give every user in ``users``, in that order, its cheapest open broker with room; False if there is none."""
    load[:] = 0.0
    for i in users:
        chosen = -1
        for b in by_price[i]:
            if is_open[b] and load[b] + need[i] <= limit[b]:
                chosen = b
                break
        if chosen < 0:
            return False
        broker[i] = chosen
        load[chosen] += need[i]
    return True


@njit
def follow_cost(access_price, core_price, need, rate, subscribe, broker, known, published, subscribers):
    """The cost of ``broker``; ``published`` and ``subscribers`` (brokers × channels) belong to ``known`` and follow."""
    access = 0.0
    for i in range(len(need)):
        b, a = broker[i], known[i]
        access += need[i] * access_price[i, b]
        if a != b:
            known[i] = b
            for c in range(rate.shape[1]):
                published[a, c] -= rate[i, c]
                published[b, c] += rate[i, c]
                subscribers[a, c] -= subscribe[i, c]
                subscribers[b, c] += subscribe[i, c]
    traffic = multicast_traffic(core_price, published, subscribers)
    core = 0.0
    for j in range(len(core_price)):
        for k in range(j):
            core += traffic[j, k] * core_price[j, k]
    return access + core


@njit
def anneal_open(
    access_price, core_price, by_price, need, rate, subscribe, limit, users, cluster, chance, hot, cold, broker,
    published, subscribers,
):  # fmt: skip
    """The best assignment found by opening and closing single brokers, two at a time, and whole clusters of them.

    Begins with ``broker``, to which ``published`` and ``subscribers`` belong. ``cluster[t]`` marks the brokers of a
    cluster; ``chance`` has five numbers in [0, 1) for every step; ``hot`` and ``cold`` are the first and the last
    temperature, as costs. ``broker`` gets the assignment found, and its cost is returned.
    """
    num_brokers = len(limit)
    known = broker.copy()
    trial = broker.copy()
    load = np.empty(num_brokers)
    is_open = np.zeros(num_brokers, dtype=np.bool_)
    for i in range(len(broker)):
        is_open[broker[i]] = True
    before = is_open.copy()
    now = follow_cost(access_price, core_price, need, rate, subscribe, trial, known, published, subscribers)
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
        if (is_open == before).all() or not assign_to_open(by_price, need, limit, users, is_open, trial, load):
            is_open[:] = before
            continue
        reached = follow_cost(access_price, core_price, need, rate, subscribe, trial, known, published, subscribers)
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
    access_price, core_price, need, rate, subscribe, limit, chance, hot, cold, broker, published, subscribers
):  # fmt: skip
    """The best assignment found by moves of single users, and swaps and ejections where there is no room.

    As :func:`anneal_open`. A user that finds no room at its new broker sends one of those there to its own old broker,
    or to a third one.
    """
    num_users, num_brokers = access_price.shape
    known = broker.copy()
    trial = broker.copy()
    load = np.zeros(num_brokers)
    for i in range(num_users):
        load[broker[i]] += need[i]
    now = follow_cost(access_price, core_price, need, rate, subscribe, trial, known, published, subscribers)
    best = now
    for step in range(len(chance)):
        i, there = int(chance[step, 0] * num_users), int(chance[step, 1] * num_brokers)
        here = trial[i]
        if there == here:
            continue
        other, further = -1, here
        if load[there] + need[i] > limit[there]:
            other = int(chance[step, 2] * num_users)
            if chance[step, 3] < 0.3:
                further = int(chance[step, 3] / 0.3 * num_brokers)
            if trial[other] != there or further == there:
                continue
            left = load[further] + need[other] - (need[i] if further == here else 0.0)
            if load[there] - need[other] + need[i] > limit[there] or left > limit[further]:
                continue
            trial[other] = further
        trial[i] = there
        reached = follow_cost(access_price, core_price, need, rate, subscribe, trial, known, published, subscribers)
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
