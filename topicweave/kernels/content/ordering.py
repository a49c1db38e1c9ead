"""Finds the order in which users move from their current brokers to the brokers of a new assignment, and how much each
move saves.
"""

import numpy as np

from topicweave.kernels.content.reach import channel_cost, new_span
from topicweave.kernels.jit import njit


@njit
def _saving(pricing, access_price, need, rate, subscribe, i, here, there, published, subscribers, paid, after, found):
    """Return how much it saves to move user i from broker ``here`` to ``there``; write the new costs of its channels to
    ``after``.
    """
    saved = need[i] * (access_price[i, here] - access_price[i, there])
    for c in range(rate.shape[1]):
        g = rate[i, c]
        if g > 0.0 or subscribe[i, c]:
            rates, wanting = published[c].copy(), subscribers[c].copy()
            rates[here] -= g
            rates[there] += g
            wanting[here] -= subscribe[i, c]
            wanting[there] += subscribe[i, c]
            after[c] = channel_cost(pricing, rates, wanting, found, False)[0]
            saved += paid[c] - after[c]
    return saved


@njit
def order_moves(
    pricing, access_price, need, rate, subscribe, limit, broker, target, load, published, subscribers, moved, saved
):  # fmt: skip
    """Move every user to its target broker as soon as that has room; of the possible moves, the one with the largest
    saving goes first.

    ``broker``, ``load``, ``published`` and ``subscribers`` (channels × brokers) are updated. If none of the remaining
    users finds room, the first of them moves anyway. Returns how many users moved, and how many of them to a broker
    without room.
    """
    num_channels, num_brokers = published.shape
    found = new_span(num_brokers)
    paid, after = np.empty(num_channels), np.empty(num_channels)
    for c in range(num_channels):
        paid[c] = channel_cost(pricing, published[c], subscribers[c], found, False)[0]
    waiting = np.flatnonzero(broker != target)
    first_saving = np.empty(len(waiting))
    for t in range(len(waiting)):
        i = waiting[t]
        first_saving[t] = _saving(
            pricing, access_price, need, rate, subscribe, i, broker[i], target[i], published, subscribers, paid, after,
            found,
        )  # fmt: skip
    waiting = waiting[np.argsort(-first_saving, kind="mergesort")]
    num_moves, num_forced = 0, 0
    while num_moves < len(waiting):
        before = num_moves
        for is_forced in (False, True):
            if is_forced and num_moves > before:
                break
            for i in waiting:
                here, there = broker[i], target[i]
                if here == there or (not is_forced and load[there] + need[i] > limit[there]):
                    continue
                saved[num_moves] = _saving(
                    pricing, access_price, need, rate, subscribe, i, here, there, published, subscribers, paid, after,
                    found,
                )  # fmt: skip
                moved[num_moves] = i
                num_moves += 1
                broker[i] = there
                load[here] -= need[i]
                load[there] += need[i]
                for c in range(num_channels):
                    if rate[i, c] > 0.0 or subscribe[i, c]:
                        published[c, here] -= rate[i, c]
                        published[c, there] += rate[i, c]
                        subscribers[c, here] -= subscribe[i, c]
                        subscribers[c, there] += subscribe[i, c]
                        paid[c] = after[c]
                if is_forced:
                    num_forced += 1
                    break
    return num_moves, num_forced
