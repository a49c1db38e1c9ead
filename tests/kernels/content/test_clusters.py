"""Pairs, clusters, packing and draws by the kernels against plain Python, ties included."""

import numpy as np
import pytest

from tests import reference_content as twin
from tests.content.cases import SMALL, broken
from topicweave.content.clustering import partner_bound
from topicweave.kernels.content.clusters import best_pair, draw, join_clusters, pack, pair_traffic, take_heaviest


def sent(instance, i, j):
    """What two users send each other, channel by channel."""
    between = [
        instance.rate[a, c]
        for a, b in ((i, j), (j, i))
        for c in range(instance.num_channels)
        if instance.subscribe[b, c]
    ]
    return float(sum(between))


@pytest.mark.parametrize("instance", SMALL)
def test_traffic_of_a_pair_is_what_the_two_send_each_other(instance):
    for i in range(instance.num_users):
        for j in range(i):
            assert pair_traffic(instance.rate, instance.subscribe, i, j) == sent(instance, i, j)


@pytest.mark.parametrize("instance", SMALL)
def test_the_best_pair_is_the_best_of_all_pairs(instance):
    """Of equal ratios the lowest numbers; none where no two fit."""
    price = instance.access_price[:, 0] + 0.125
    users = np.flatnonzero(np.arange(instance.num_users) % 4 < 3)
    for room in (float(instance.limit[0]), float(np.sort(instance.need)[:2].sum()), 0.0):
        fitting = [
            (-sent(instance, i, j) / (price[i] + price[j]), i, j)
            for i in users.tolist() for j in users.tolist()
            if i < j and instance.need[i] + instance.need[j] <= room
        ]  # fmt: skip
        found = best_pair(instance.rate, instance.subscribe, partner_bound(instance), price, instance.need, room, users)
        assert found == (min(fitting)[1:] if fitting else (-1, -1))


@pytest.mark.parametrize("seed", range(40))
def test_users_join_the_cluster_they_talk_to_most(seed):
    """In the order given, within capacity and reach; who finds no room is named."""
    instance = broken(seed)
    users, brokers = instance.num_users, instance.num_brokers
    price = instance.access_price + 0.125
    order = np.random.default_rng(seed).permutation(users)
    broker, load = np.full(users, -1, dtype=np.int64), np.zeros(brokers)
    published, subscribers = np.zeros((2, instance.num_channels, brokers))
    failed = join_clusters(
        instance.rate, instance.subscribe, price, instance.need, instance.limit, order, broker, load, published,
        subscribers,
    )  # fmt: skip
    placed = {}
    for i in order.tolist():
        ratios = []
        for b in range(brokers):
            used = sum(instance.need[k] for k in placed if placed[k] == b)
            if used + instance.need[i] <= instance.limit[b] and np.isfinite(price[i, b]):
                ratios.append((-sum(sent(instance, i, k) for k in placed if placed[k] == b) / price[i, b], b))
        if not ratios:
            assert failed == i
            return
        placed[i] = min(ratios)[1]
    assert failed == -1 and broker.tolist() == [placed[i] for i in range(users)]


@pytest.mark.parametrize("instance", SMALL)
def test_packing_is_algorithm_1(instance):
    """Or names the first user for whom no broker has room."""
    for share in (1.0, 0.5):
        limit = instance.limit * share
        broker, load = np.empty(instance.num_users, dtype=np.int64), np.zeros(instance.num_brokers)
        failed = pack(instance.access_price, instance.need, limit, broker, load)
        plain = twin.Plain(instance)
        plain.capacity = limit.tolist()
        if failed < 0:
            assert broker.tolist() == twin.packing(plain)
        else:
            with pytest.raises(AssertionError):
                twin.packing(plain)
            assert all(load + instance.need[failed] > limit)


@pytest.mark.parametrize("instance", SMALL)
def test_brokers_are_drawn_by_their_weights_or_the_heaviest_is_taken(instance):
    rng = np.random.default_rng(instance.num_users)
    weight = rng.integers(0, 4, (instance.num_users, instance.num_brokers)) / 4
    chance = rng.random(instance.num_users)
    plain = twin.Plain(instance)
    given = (weight, instance.access_price, instance.need, instance.limit, instance.by_need)
    broker, load = np.empty(instance.num_users, dtype=np.int64), np.zeros(instance.num_brokers)
    assert draw(*given, chance, broker, load) == -1
    assert broker.tolist() == twin.draw(plain, weight.tolist(), chance.tolist())
    load[:] = 0
    assert take_heaviest(*given, broker, load) == -1
    assert broker.tolist() == twin.heaviest(plain, weight.tolist())
