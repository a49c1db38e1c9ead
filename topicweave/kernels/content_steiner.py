"""Steiner mixing, phase 1: a tree for every (publisher, channel), grown once for all publishers that begin alike.

Only the joining of a broker changes what the other users pay; a user who attaches to a broker of the tree changes
nothing. So a tree is grown broker by broker: the cheapest (user, broker outside) is looked up in lists of users sorted by
price; a user who is no dearer off inside the tree stays there; else the broker joins, those who were cheaper are
settled where they are, and the rest see whether the new broker suits them better.
"""

import numpy as np

from topicweave.kernels.jit import njit, prange


@njit
def _cheapest_start(access, core_price, first_price, source, via):
    """The brokers (b, b') of least access[b, source] + q[b, b'] + first_price[b']; ``via`` gets each b's best b'."""
    num_brokers = core_price.shape[0]
    best = -1
    cheapest = np.inf
    for b in range(num_brokers):
        onward = np.inf
        for k in range(num_brokers):
            if core_price[b, k] + first_price[k] < onward:
                onward = core_price[b, k] + first_price[k]
                via[b] = k
        if access[b, source] + onward < cheapest:
            cheapest = access[b, source] + onward
            best = b
    return best


@njit
def grow(core_price, price, by_price, num_users, begin, second, settled, paid, at):
    """Grow a tree from the brokers ``begin`` and ``second``; ``at[v]`` becomes the broker of the channel's user v.

    ``price[b, v]`` is what user v pays at broker b, ``by_price[b]`` its users by rising price; the cheapest user of
    ``second`` is attached first. ``settled`` and ``paid`` are room for one value per user.
    """
    num_brokers = core_price.shape[0]
    is_in = np.zeros(num_brokers, dtype=np.bool_)
    link = np.empty(num_brokers)
    head = np.zeros(num_brokers, dtype=np.int64)
    low, high = min(begin, second), max(begin, second)
    is_in[begin] = True
    is_in[second] = True
    for k in range(num_brokers):
        link[k] = min(core_price[begin, k], core_price[second, k])
    for v in range(num_users):
        settled[v] = False
        at[v] = low
        paid[v] = price[low, v]
        if price[high, v] < paid[v]:
            at[v] = high
            paid[v] = price[high, v]
    first = by_price[second, 0]
    settled[first] = True
    at[first] = second
    dearest = np.inf
    while True:
        best, user, cheapest = -1, -1, np.inf
        for k in range(num_brokers):
            if is_in[k]:
                continue
            while head[k] < num_users and settled[by_price[k, head[k]]]:
                head[k] += 1
            if head[k] == num_users:
                continue
            v = by_price[k, head[k]]
            whole = link[k] + price[k, v]
            if whole < cheapest or (whole == cheapest and v < user):
                best, user, cheapest = k, v, whole
        if best < 0 or cheapest > dearest:  # nobody is left whom another broker could suit
            return
        if paid[user] < cheapest or (paid[user] == cheapest and at[user] < best):
            settled[user] = True
            continue
        is_in[best] = True
        dearest = 0.0
        for v in range(num_users):
            if settled[v]:
                continue
            if paid[v] < cheapest or (paid[v] == cheapest and v < user):
                settled[v] = True
                continue
            here = price[best, v]
            if here < paid[v] or (here == paid[v] and best < at[v]):
                paid[v] = here
                at[v] = best
            dearest = max(dearest, paid[v])
        settled[user] = True
        at[user] = best
        for k in range(num_brokers):
            link[k] = min(link[k], core_price[best, k])


@njit
def channel_weights(access, core_price, sorted_users, rate, subscribe, c, number, weight):
    """Add to ``weight`` (users × brokers) what the trees of channel c carry on each (user, broker) link."""
    num_brokers, num_users = access.shape
    subscribers = np.empty(num_users, dtype=np.int64)
    count = 0
    for i in range(num_users):
        if subscribe[i, c]:
            subscribers[count] = i
            number[i] = count
            count += 1
        else:
            number[i] = -1
    if count == 0:
        return
    by_price = np.empty((num_brokers, count), dtype=np.int32)
    price = np.empty((num_brokers, count))
    for b in range(num_brokers):
        filled = 0
        for t in range(num_users):
            v = number[sorted_users[b, t]]
            if v >= 0:
                by_price[b, filled] = v
                filled += 1
        for v in range(count):
            price[b, v] = access[b, subscribers[v]]

    # What the first subscriber costs at each broker, and the best way on from each; a publisher that is itself some
    # broker's cheapest subscriber has to look at the second cheapest there.
    first_price = np.empty(num_brokers)
    without = np.empty(num_brokers)
    via = np.empty(num_brokers, dtype=np.int64)
    via_own = np.empty(num_brokers, dtype=np.int64)
    onward = np.empty(num_brokers)
    is_first = np.zeros(count, dtype=np.bool_)
    for b in range(num_brokers):
        first_price[b] = price[b, by_price[b, 0]]
        is_first[by_price[b, 0]] = True
    for b in range(num_brokers):
        onward[b] = np.inf
        for k in range(num_brokers):
            if core_price[b, k] + first_price[k] < onward[b]:
                onward[b] = core_price[b, k] + first_price[k]
                via[b] = k
    start = np.full(num_users, -1, dtype=np.int64)
    amount = np.zeros(num_brokers * num_brokers)
    for s in range(num_users):
        g = rate[s, c]
        if g <= 0.0:
            continue
        own = number[s]
        if own >= 0 and is_first[own]:
            for b in range(num_brokers):
                without[b] = first_price[b]
                if by_price[b, 0] == own:
                    without[b] = price[b, by_price[b, 1]] if count > 1 else np.inf
            begin = _cheapest_start(access, core_price, without, s, via_own)
            second = via_own[begin]
        else:
            begin = 0
            cheapest = np.inf
            for b in range(num_brokers):
                if access[b, s] + onward[b] < cheapest:
                    cheapest = access[b, s] + onward[b]
                    begin = b
            second = via[begin]
        start[s] = begin * num_brokers + second
        amount[start[s]] += g
        weight[s, begin] += g

    settled = np.empty(count, dtype=np.bool_)
    paid = np.empty(count)
    at = np.empty(count, dtype=np.int64)
    for key in range(num_brokers * num_brokers):
        if amount[key] > 0.0:
            grow(core_price, price, by_price, count, key // num_brokers, key % num_brokers, settled, paid, at)
            for v in range(count):
                i = subscribers[v]
                if start[i] == key:  # nobody receives what it has sent itself
                    weight[i, at[v]] += amount[key] - rate[i, c]
                else:
                    weight[i, at[v]] += amount[key]


@njit(parallel=True)
def steiner_weights(access, core_price, sorted_users, rate, subscribe, num_parts):
    """The traffic on every (user, broker) link over all trees: users × brokers.

    ``access`` is brokers × users, ``sorted_users[b]`` the users by rising (price, id). The channels are dealt out to a
    fixed number of parts, whose sums are added in order: the result does not depend on the number of threads.
    """
    num_brokers, num_users = access.shape
    parts = np.zeros((num_parts, num_users, num_brokers))
    for turn in prange(num_parts):
        part = np.int64(turn)
        number = np.empty(num_users, dtype=np.int64)
        for c in range(part, rate.shape[1], num_parts):
            channel_weights(access, core_price, sorted_users, rate, subscribe, c, number, parts[part])
    total = parts[0]
    for part in range(1, num_parts):
        total += parts[part]
    return total
