"""One pass of migration by a kernel, and by the definition: every placement is evaluated from scratch."""

from __future__ import annotations

import numpy as np

from tests import reference_content as twin
from topicweave.kernels.content.trees import gather


def by_kernel(step, prices, instance, start, least=1e-9):
    """The placement after a pass, and its moves: user, from, to, what it saves. What the kernel keeps is checked."""
    broker = np.array(start)
    load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
    published, subscribers = (
        np.ascontiguousarray(table.T)
        for table in gather(instance.rate, instance.subscribe, broker, instance.num_brokers)
    )
    wanted_start = np.concatenate(([0], np.cumsum(instance.subscribe.sum(axis=1)))).astype(np.int64)
    moved, origin = np.empty((2, instance.num_users), dtype=np.int64)
    saved = np.empty(instance.num_users)
    count = step(
        prices, instance.access_price, instance.need, instance.rate, wanted_start, np.nonzero(instance.subscribe)[1],
        instance.limit, instance.by_need, least, broker, load, published, subscribers, moved, origin, saved,
    )  # fmt: skip
    after = gather(instance.rate, instance.subscribe, broker, instance.num_brokers)
    np.testing.assert_allclose(published.T, after[0], atol=1e-9)
    np.testing.assert_array_equal(subscribers.T, after[1])
    np.testing.assert_allclose(
        load, np.bincount(broker, weights=instance.need, minlength=instance.num_brokers), atol=1e-9
    )
    users = moved[:count].tolist()
    moves = list(zip(users, origin[:count].tolist(), broker[users].tolist(), saved[:count].tolist(), strict=True))
    return broker.tolist(), moves


def by_definition(instance, start, core, whole=(), least=1e-9):
    """The same: each user in order of falling traffic goes to the broker with room at which everything costs least."""
    plain = twin.Plain(instance)
    broker, moves = list(start), []

    def total(placed):
        return sum(twin.routed_cost(plain, placed, core, whole)[:2])

    for i in plain.by_need():
        load = [sum(plain.need[k] for k in plain.users if broker[k] == j) for j in plain.brokers]
        options = [
            (total([*broker[:i], j, *broker[i + 1 :]]), j)
            for j in plain.brokers
            if j != broker[i] and load[j] + plain.need[i] <= plain.capacity[j] and plain.p[i][j] < float("inf")
        ]
        now = total(broker)
        if options and min(options)[0] < now - least:
            reached, j = min(options)
            moves.append((i, broker[i], j, now - reached))
            broker[i] = j
    return broker, moves


def check_same(found, expected):
    """The same moves to the same placement, each saving the same."""
    assert found[0] == expected[0]
    assert [move[:3] for move in found[1]] == [move[:3] for move in expected[1]]
    np.testing.assert_allclose([move[3] for move in found[1]], [move[3] for move in expected[1]], atol=1e-9)
