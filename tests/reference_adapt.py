"""Plain twin of how users keep their brokers (topicweave/content/seating.py), from its description. Slow on purpose."""

from __future__ import annotations

INFINITE = float("inf")


def loads(plain, broker):
    """What the users at each broker need; None says that a user has no broker."""
    return [sum(plain.need[i] for i in plain.users if broker[i] == j) for j in plain.brokers]


def leaving(plain, home):
    """Of each overloaded broker as few users as possible: the largest, and of those that suffice in the end, the one
    whose access elsewhere costs least.
    """
    left = []
    for j in plain.brokers:
        excess = loads(plain, home)[j] - plain.capacity[j]
        others = [k for k in plain.brokers if k != j]
        guests = [i for i in plain.by_need() if home[i] == j and any(plain.p[i][k] < INFINITE for k in others)]
        while excess > 0 and guests:
            enough = [i for i in guests if plain.need[i] >= excess]
            extra = {i: plain.need[i] * (min(plain.p[i][k] for k in others) - plain.p[i][j]) for i in enough}
            i = min(enough, key=extra.get) if enough else guests[0]
            guests.remove(i)
            left.append(i)
            excess = -1 if enough else excess - plain.need[i]
    return left


def seat(plain, home):
    """The broker of each user, or None if somebody finds no room."""
    left = leaving(plain, home)
    broker = [None if i in left else home[i] for i in plain.users]
    load = loads(plain, broker)
    if any(load[j] > plain.capacity[j] for j in plain.brokers):
        return None
    for i in [i for i in plain.by_need() if broker[i] is None]:
        fits = [j for j in plain.brokers if load[j] + plain.need[i] <= plain.capacity[j] and plain.p[i][j] < INFINITE]
        if fits:
            broker[i] = min(fits, key=lambda j: (j not in broker, plain.p[i][j]))
            load[broker[i]] += plain.need[i]
            continue
        ways = []
        for u in plain.users:
            here = broker[u]
            if here is None or plain.p[i][here] == INFINITE:
                continue
            if load[here] - plain.need[u] + plain.need[i] > plain.capacity[here]:
                continue
            for there in plain.brokers:
                if there == here or plain.p[u][there] == INFINITE:
                    continue
                if load[there] + plain.need[u] <= plain.capacity[there]:
                    change = plain.need[u] * (plain.p[u][there] - plain.p[u][here])
                    extra = plain.need[i] * plain.p[i][here] + change
                    ways.append((here == home[u], extra, u, plain.p[u][there], there))
        if not ways:
            return None
        _, _, u, _, there = min(ways)
        load[broker[u]] += plain.need[i] - plain.need[u]
        load[there] += plain.need[u]
        broker[i], broker[u] = broker[u], there
    return broker
