"""Moves users to better brokers (migration), for trees that can only become more expensive when they must reach another
broker: Steiner trees, and the parts of one tree that all brokers share.

Whichever broker a user is at, the channels that it wants cost at least what they would cost without this user. So every
broker has a lower bound on what the user would cost there; brokers are tried in the order of these bounds, until a
bound exceeds the best cost found. Approximate Steiner trees also grow, with few exceptions: a move that pays only
because of an exception may be missed, but the saving of a move is always what the evaluator says.
"""

import numpy as np

from topicweave.kernels.content.reach import channel_cost, new_span, reach_of, span
from topicweave.kernels.content.trees import relocate
from topicweave.kernels.jit import njit


@njit
def reach_all(pricing, inside, found, reach):
    """Write to ``reach``, for each broker, the weight of the tree over it and the brokers in ``inside``; 0 if there are
    none.
    """
    num_brokers = len(inside)
    others = np.empty(num_brokers, dtype=np.int64)
    num_others = 0
    for v in range(num_brokers):
        if not inside[v]:
            others[num_others] = v
            num_others += 1
    if num_others == num_brokers:
        reach[:] = 0.0
        return
    reach[:] = span(pricing, inside, found)
    values, least = np.empty(num_others), np.empty(num_others)
    reach_of(pricing, found, others, num_others, values, least)
    for t in range(num_others):
        reach[others[t]] = values[t]


@njit
def _with_user(pricing, published, subscribers, user_rate, here, there, found):
    """The cost of a channel after the user has moved from broker ``here`` to ``there``; arrays are by broker."""
    rates, wanting = published.copy(), subscribers.copy()
    rates[here] -= user_rate
    rates[there] += user_rate
    wanting[here] -= 1
    wanting[there] += 1
    return channel_cost(pricing, rates, wanting, found, False)[0]


@njit
def reach_pass(
    pricing, access_price, need, rate, wanted_start, wanted, limit, users, least, broker, load, published, subscribers,
    moved, origin, saved,
):  # fmt: skip
    """Try the best move of each user in ``users``, in this order, and make it if it lowers the cost; parameters and
    result are those of :func:`moves.migrate_pass`.
    """
    num_channels, num_brokers = published.shape
    found = new_span(num_brokers)
    reach = np.empty((num_channels, num_brokers))
    base = np.empty(num_channels)
    # the lower bounds for the channels that the user subscribes to, computed without this user
    bound_reach = np.empty((num_channels, num_brokers))
    bound_base = np.empty(num_channels)
    inside = np.empty(num_brokers, dtype=np.bool_)
    bound, is_tried = np.empty(num_brokers), np.empty(num_brokers, dtype=np.bool_)
    is_lone = np.empty(num_channels, dtype=np.bool_)
    for c in range(num_channels):
        reach_all(pricing, subscribers[c] > 0, found, reach[c])
        base[c] = (published[c] * reach[c]).sum()

    num_moves = 0
    for i in users:
        j = broker[i]
        now, common = need[i] * access_price[i, j], 0.0
        for k in range(num_brokers):
            bound[k] = need[i] * access_price[i, k]
            is_tried[k] = k == j or load[k] + need[i] > limit[k] or access_price[i, k] == np.inf
        for c in range(num_channels):
            g = rate[i, c]
            if g > 0.0:
                now += g * reach[c, j]
                for k in range(num_brokers):
                    bound[k] += g * reach[c, k]
        for w in range(wanted_start[i], wanted_start[i + 1]):
            c = wanted[w]
            g = rate[i, c]
            now += base[c] - g * reach[c, j]
            is_lone[c] = subscribers[c, j] == 1
            if not is_lone[c]:
                bound_base[c] = base[c] - g * reach[c, j]
                common += bound_base[c]
            else:
                for k in range(num_brokers):
                    inside[k] = subscribers[c, k] > 0 and k != j
                reach_all(pricing, inside, found, bound_reach[c])
                bound_base[c] = (published[c] * bound_reach[c]).sum() - g * bound_reach[c, j]
                common += bound_base[c]
                if g > 0.0:
                    for k in range(num_brokers):
                        bound[k] += g * (bound_reach[c, k] - reach[c, k])
        best, cheapest = -1, now - least
        while True:
            k = -1
            for b in range(num_brokers):
                if not is_tried[b] and (k < 0 or bound[b] < bound[k]):
                    k = b
            if k < 0 or bound[k] + common > cheapest:
                break
            is_tried[k] = True
            total = bound[k] + common
            for w in range(wanted_start[i], wanted_start[i + 1]):
                c = wanted[w]
                if subscribers[c, k] == 0 and total <= cheapest:
                    g = rate[i, c]
                    whole = _with_user(pricing, published[c], subscribers[c], g, j, k, found)
                    total += whole - bound_base[c] - g * (bound_reach[c, k] if is_lone[c] else reach[c, k])
            if total < cheapest or (total == cheapest and best >= 0 and k < best):
                best, cheapest = k, total
        if best < 0:
            continue

        k = best
        moved[num_moves], origin[num_moves], saved[num_moves] = i, j, now - cheapest
        num_moves += 1
        relocate(i, k, need, rate, broker, load, published)
        for c in range(num_channels):
            if rate[i, c] > 0.0:
                base[c] += rate[i, c] * (reach[c, k] - reach[c, j])
        for w in range(wanted_start[i], wanted_start[i + 1]):
            c = wanted[w]
            subscribers[c, j] -= 1
            subscribers[c, k] += 1
            if subscribers[c, j] == 0 or subscribers[c, k] == 1:
                reach_all(pricing, subscribers[c] > 0, found, reach[c])
                base[c] = (published[c] * reach[c]).sum()
    return num_moves
