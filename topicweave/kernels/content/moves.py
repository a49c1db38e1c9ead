"""Migration when messages travel along spanning trees: one pass over all users, each moved to where the total cost
falls most.

The cost of a move is computed as a difference.

A move changes two things on a channel: where the user's own traffic enters the core, and, if the user was its broker's
only subscriber or becomes one, which brokers the trees span. For the first, ``reach[c, k]`` (the weight of the tree
over the channel's brokers and k) is kept. For the second, ``joined[k]`` (the cost of the whole channel if k had to be
spanned as well) comes from a table of trees with two more brokers, which depends only on the spanned brokers.
"""

import numpy as np

from topicweave.kernels.content.trees import (
    grow_tree,
    insert_broker,
    insertion_weights,
    order_tree,
    relocate,
    split,
)
from topicweave.kernels.jit import njit


@njit
def pair_weights(core_price, order, up, weight, count, outside, num_outside, table):
    """``table[s, t]`` becomes the weight of the tree after ``outside[s]`` and ``outside[t]`` have both been
    inserted.
    """
    num_brokers = core_price.shape[0]
    one = np.empty(num_brokers, dtype=np.int64)
    other = np.empty(num_brokers, dtype=np.int64)
    place = np.empty(num_brokers, dtype=np.int64)
    larger = np.empty(count + 1, dtype=np.int64)
    larger_up = np.empty(count + 1, dtype=np.int64)
    larger_weight = np.empty(count + 1)
    reach = np.empty((count + 1, num_outside))
    for t in range(num_outside):
        if count == 0:
            larger[0], larger_up[0], larger_weight[0] = outside[t], 0, 0.0
        else:
            insert_broker(core_price, order, up, weight, count, outside[t], one, other)
            order_tree(core_price, one, other, count, outside[t], place, larger, larger_up, larger_weight)
        insertion_weights(
            core_price, larger, larger_up, larger_weight, count + 1, outside, num_outside, reach, table[t]
        )


@njit
def _span(core_price, inside, order, up, weight, outside, reach, scratch):
    """Build the tree over the brokers in ``inside``, and write to ``reach`` how heavy it is if it must reach a further
    broker too; returns how many brokers are inside and how many outside.
    """
    num_brokers = core_price.shape[0]
    members = np.empty(num_brokers, dtype=np.int64)
    count, num_outside = split(inside, members, outside)
    total = grow_tree(core_price, members, count, order, up, weight)
    found = np.empty(num_outside)
    insertion_weights(core_price, order, up, weight, count, outside, num_outside, scratch, found)
    for position in range(count):
        reach[members[position]] = total
    for t in range(num_outside):
        reach[outside[t]] = found[t]
    return count, num_outside


@njit
def _joined(published, inside, outside, num_outside, reach, table, joined):
    """For each broker outside the tree, write to ``joined`` what the channel would cost if the tree had to reach it
    too.
    """
    common = 0.0
    for b in range(len(inside)):
        if inside[b]:
            common += published[b]
    for t in range(num_outside):
        joined[t] = common * reach[outside[t]]
    for s in range(num_outside):
        amount = published[outside[s]]
        if amount != 0.0:
            for t in range(num_outside):
                joined[t] += amount * table[s, t]


@njit
def _fitting(load, need, limit, here, put):
    """The broker with room for this user at which it costs least (``put[k]`` at broker k); the present one, ``here``,
    if none is cheaper.
    """
    best = here
    for k in range(len(put)):
        if k != here and put[k] < put[best] and load[k] + need <= limit[k]:
            best = k
    return best


@njit
def migrate_pass(
    core_price, access_price, need, rate, wanted_start, wanted, limit, users, least, broker, load, published,
    subscribers, moved, origin, saved,
):  # fmt: skip
    """Try the best move of each user in ``users``, in this order, and make it if it lowers the cost.

    ``broker``, ``load`` (by broker) and ``published``, ``subscribers`` (channels × brokers) are updated. A move must
    save more than ``least``. Returns the number of moves; ``moved``, ``origin`` and ``saved`` become the user, the old
    broker and the saving of each.
    """
    num_channels, num_brokers = published.shape
    inside = np.zeros((num_channels, num_brokers), dtype=np.bool_)
    order = np.empty((num_channels, num_brokers), dtype=np.int64)
    up = np.empty((num_channels, num_brokers), dtype=np.int64)
    weight = np.empty((num_channels, num_brokers))
    outside = np.empty((num_channels, num_brokers), dtype=np.int64)
    reach = np.empty((num_channels, num_brokers))
    count = np.zeros(num_channels, dtype=np.int64)
    num_outside = np.zeros(num_channels, dtype=np.int64)
    base = np.zeros(num_channels)
    scratch = np.empty((num_brokers, num_brokers))
    tables = [np.empty((0, 0)) for _ in range(num_channels)]
    is_ready = np.zeros(num_channels, dtype=np.bool_)
    joined = np.empty((num_channels, num_brokers))
    # the same arrays for one channel, as it would be after its last subscriber at some broker had moved away
    inside0 = np.empty(num_brokers, dtype=np.bool_)
    order0 = np.empty(num_brokers, dtype=np.int64)
    up0 = np.empty(num_brokers, dtype=np.int64)
    weight0 = np.empty(num_brokers)
    outside0 = np.empty(num_brokers, dtype=np.int64)
    reach0 = np.empty(num_brokers)
    joined0 = np.empty(num_brokers)
    rest = np.empty(num_brokers)
    position = np.empty(num_brokers, dtype=np.int64)
    put = np.empty(num_brokers)

    for c in range(num_channels):
        for k in range(num_brokers):
            inside[c, k] = subscribers[c, k] > 0
        count[c], num_outside[c] = _span(
            core_price, inside[c], order[c], up[c], weight[c], outside[c], reach[c], scratch
        )
        for k in range(num_brokers):
            base[c] += published[c, k] * reach[c, k]

    num_moves = 0
    for turn in range(len(users)):
        i = users[turn]
        j = broker[i]
        for k in range(num_brokers):
            put[k] = need[i] * access_price[i, k]
        if need[i] == 0.0:  # multiplying 0 by an infinite price would give NaN
            for k in range(num_brokers):
                put[k] = access_price[i, k] if access_price[i, k] == np.inf else 0.0
        for c in range(num_channels):
            g = rate[i, c]
            if g > 0.0:
                row = reach[c]
                for k in range(num_brokers):
                    put[k] += g * row[k]
        for w in range(wanted_start[i], wanted_start[i + 1]):
            c = wanted[w]
            g = rate[i, c]
            if subscribers[c, j] > 1:
                if num_outside[c] == 0:
                    continue
                if not is_ready[c]:
                    n = num_outside[c]
                    tables[c] = np.empty((n, n))
                    pair_weights(core_price, order[c], up[c], weight[c], count[c], outside[c], n, tables[c])
                    _joined(published[c], inside[c], outside[c], n, reach[c], tables[c], joined[c])
                    is_ready[c] = True
                stays = base[c] - g * reach[c, j]
                for t in range(num_outside[c]):
                    k = outside[c, t]
                    put[k] += joined[c, t] - stays - g * reach[c, k]
            else:
                for k in range(num_brokers):
                    inside0[k] = inside[c, k]
                    rest[k] = published[c, k]
                inside0[j] = False
                rest[j] -= g
                count0, num_outside0 = _span(core_price, inside0, order0, up0, weight0, outside0, reach0, scratch)
                table0 = np.empty((num_outside0, num_outside0))
                pair_weights(core_price, order0, up0, weight0, count0, outside0, num_outside0, table0)
                _joined(rest, inside0, outside0, num_outside0, reach0, table0, joined0)
                base0 = 0.0
                for k in range(num_brokers):
                    base0 += rest[k] * reach0[k]
                stays = base[c] - g * reach[c, j]
                for k in range(num_brokers):
                    put[k] -= stays + g * reach[c, k]
                    if inside0[k]:
                        put[k] += base0 + g * reach0[k]
                for t in range(num_outside0):
                    k = outside0[t]
                    put[k] += joined0[t] + g * reach0[k]
        k = _fitting(load, need[i], limit, j, put)
        if not put[k] < put[j] - least:
            continue

        moved[num_moves], origin[num_moves], saved[num_moves] = i, j, put[j] - put[k]
        num_moves += 1
        relocate(i, k, need, rate, broker, load, published)
        for c in range(num_channels):
            g = rate[i, c]
            if g > 0.0:
                base[c] += g * (reach[c, k] - reach[c, j])
                if is_ready[c]:
                    n = num_outside[c]
                    for b in range(num_brokers):
                        position[b] = -1
                    for t in range(n):
                        position[outside[c, t]] = t
                    table = tables[c]
                    for t in range(n):
                        far = reach[c, outside[c, t]]
                        after = table[position[k], t] if position[k] >= 0 else far
                        before = table[position[j], t] if position[j] >= 0 else far
                        joined[c, t] += g * (after - before)
        for w in range(wanted_start[i], wanted_start[i + 1]):
            c = wanted[w]
            subscribers[c, j] -= 1
            subscribers[c, k] += 1
            if subscribers[c, j] == 0 or subscribers[c, k] == 1:
                inside[c, j] = subscribers[c, j] > 0
                inside[c, k] = True
                is_ready[c] = False
                count[c], num_outside[c] = _span(
                    core_price, inside[c], order[c], up[c], weight[c], outside[c], reach[c], scratch
                )
                base[c] = 0.0
                for b in range(num_brokers):
                    base[c] += published[c, b] * reach[c, b]
    return num_moves
