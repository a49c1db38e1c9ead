"""Phase 1 of Steiner mixing: a tree for each publisher and channel; publishers whose trees begin at the same brokers
share the work.

Only a broker that joins the tree changes what other users pay; a user who attaches to a broker of the tree changes
nothing. So a tree is grown broker by broker. The cheapest (user, broker outside) is looked up in lists of users sorted
by price. All users for whom a broker inside is cheaper are attached first, from the same lists; then the broker joins.
No list is read further than the most expensive join needs.
"""

import numpy as np

from topicweave.kernels.jit import njit, prange


@njit
def _cheapest_start(access, core_price, first_price, source, via):
    """Return the broker b at which the path from ``source`` to the first subscriber begins: with some b' it minimises
    access[b, source] + core_price[b, b'] + first_price[b'].

    ``via[b]`` becomes the best b' of b.
    """
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
def _attach(ladder, by_price, num_users, inside, num_inside, cursor, attached, paid, at, broker, user, limit, touched):
    """Attach each user for whom some broker of the tree costs less than ``limit`` to the cheapest such broker.

    Among those for whom it costs exactly ``limit``, attach the ones before ``user`` (and ``user`` itself at a broker
    before ``broker``). Returns how many were attached.
    """
    found = 0
    for t in range(num_inside):
        k = inside[t]
        h = cursor[k]
        while h < num_users:
            v = by_price[k, h]
            here = ladder[k, h]
            if here > limit or (here == limit and (v > user or (v == user and k > broker))):
                break
            h += 1
            if attached[v]:
                continue
            if at[v] < 0:
                touched[found] = v
                found += 1
            if here < paid[v] or (here == paid[v] and k < at[v]):
                paid[v] = here
                at[v] = k
        cursor[k] = h
    for t in range(found):
        attached[touched[t]] = True
    return found


@njit
def grow(core_price, ladder, by_price, nearest, num_users, begin, second, attached, paid, touched, at):
    """Grow a tree from the brokers ``begin`` and ``second``; ``at[v]`` becomes the broker to which the channel's user v
    is attached.

    ``by_price[b]`` are the users in ascending order of price at broker b, ``ladder[b]`` those prices, ``nearest[v]``
    the cheapest broker of all; the cheapest user of ``second`` is attached first. ``attached``, ``paid`` and
    ``touched`` are scratch space, one value per user.
    """
    num_brokers = core_price.shape[0]
    link = np.empty(num_brokers)
    head = np.zeros(num_brokers, dtype=np.int64)
    cursor = np.zeros(num_brokers, dtype=np.int64)
    inside = np.empty(num_brokers, dtype=np.int64)
    outside = np.empty(num_brokers, dtype=np.int64)
    candidate = np.empty(num_brokers, dtype=np.int64)
    whole = np.empty(num_brokers)
    num_outside = 0
    for k in range(num_brokers):
        link[k] = min(core_price[begin, k], core_price[second, k])
        if k != begin and k != second:
            candidate[num_outside] = by_price[k, 0]
            whole[num_outside] = link[k] + ladder[k, 0]
            outside[num_outside] = k
            num_outside += 1
    inside[0] = begin
    num_inside = 1
    if second != begin:
        inside[1] = second
        num_inside = 2
    for v in range(num_users):
        attached[v] = False
        at[v] = -1
        paid[v] = np.inf
    first = by_price[second, 0]
    attached[first] = True
    at[first] = second
    left = num_users - 1
    while left > 0 and num_outside > 0:
        best, user, cheapest = -1, -1, np.inf
        for t in range(num_outside):
            v = candidate[t]
            if attached[v]:
                k = outside[t]
                h = head[k] + 1
                # the loop ends, because every list contains all users and some of them are not attached yet
                while attached[by_price[k, h]]:
                    h += 1
                head[k] = h
                v = by_price[k, h]
                candidate[t] = v
                whole[t] = link[k] + ladder[k, h]
            if whole[t] < cheapest or (whole[t] == cheapest and v < user):
                best, user, cheapest = t, v, whole[t]
        if best < 0:  # the remaining users cannot be reached through any broker that is not in the tree yet
            break
        broker = outside[best]
        left -= _attach(
            ladder, by_price, num_users, inside, num_inside, cursor, attached, paid, at, broker, user, cheapest, touched
        )
        if attached[user]:
            continue
        attached[user] = True
        at[user] = broker
        left -= 1
        inside[num_inside] = broker
        num_inside += 1
        num_outside -= 1
        for t in range(best, num_outside):  # keep the order of the others, because ties go to the first
            outside[t], candidate[t], whole[t] = outside[t + 1], candidate[t + 1], whole[t + 1]
        for t in range(num_outside):
            k = outside[t]
            if core_price[broker, k] < link[k]:
                link[k] = core_price[broker, k]
                whole[t] = link[k] + ladder[k, head[k]]
    if left > 0:
        for v in range(num_users):
            if not attached[v]:
                at[v] = nearest[v]


@njit
def channel_weights(access, core_price, sorted_users, rate, subscribe, c, number, weight):
    """Add the traffic of all trees of channel c on each link between a user and a broker to ``weight`` (users ×
    brokers).
    """
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
    ladder = np.empty((num_brokers, count))
    for b in range(num_brokers):
        filled = 0
        for t in range(num_users):
            v = number[sorted_users[b, t]]
            if v >= 0:
                by_price[b, filled] = v
                ladder[b, filled] = access[b, sorted_users[b, t]]
                filled += 1
    nearest = np.zeros(count, dtype=np.int64)
    for b in range(1, num_brokers):
        for v in range(count):
            if access[b, subscribers[v]] < access[nearest[v], subscribers[v]]:
                nearest[v] = b

    # The first subscriber of each broker is the cheapest one, at ``first_price``; ``onward`` is the cost of the
    # cheapest path from the broker to any first subscriber. For a publisher that is itself a first subscriber, the
    # second one counts instead.
    first_price = np.empty(num_brokers)
    without = np.empty(num_brokers)
    via = np.empty(num_brokers, dtype=np.int64)
    via_own = np.empty(num_brokers, dtype=np.int64)
    onward = np.empty(num_brokers)
    is_first = np.zeros(count, dtype=np.bool_)
    for b in range(num_brokers):
        first_price[b] = ladder[b, 0]
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
                    without[b] = ladder[b, 1] if count > 1 else np.inf
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

    attached = np.empty(count, dtype=np.bool_)
    paid = np.empty(count)
    touched = np.empty(count, dtype=np.int64)
    at = np.empty(count, dtype=np.int32)
    for key in range(num_brokers * num_brokers):
        if amount[key] > 0.0:
            begin, second = key // num_brokers, key % num_brokers
            grow(core_price, ladder, by_price, nearest, count, begin, second, attached, paid, touched, at)
            for v in range(count):
                i = subscribers[v]
                if start[i] == key:  # users do not receive their own publications
                    weight[i, at[v]] += amount[key] - rate[i, c]
                else:
                    weight[i, at[v]] += amount[key]


@njit(parallel=True)
def steiner_weights(access, core_price, sorted_users, rate, subscribe, num_parts):
    """The traffic of all trees together on every link between a user and a broker (users × brokers).

    ``access`` is brokers × users, ``sorted_users[b]`` the users in ascending order of (price, id). The channels are
    divided into a fixed number of parts, whose sums are added in order, so that the result does not depend on the
    number of threads.
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
