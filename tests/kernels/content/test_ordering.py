"""The order of moves from one placement to another against a plain replay."""

import numpy as np
import pytest

from tests import reference_content as twin
from tests.content.cases import smooth
from topicweave.content.core import core_pricing
from topicweave.kernels.content.ordering import order_moves
from topicweave.kernels.content.trees import gather


def ordered(instance, start, target):
    """Users and savings in the order of the kernel, and how many of the moves found no room."""
    broker = np.array(start)
    load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
    published, subscribers = gather(instance.rate, instance.subscribe, broker, instance.num_brokers)
    moved, saved = np.empty(instance.num_users, dtype=np.int64), np.empty(instance.num_users)
    count, num_forced = order_moves(
        core_pricing(instance, "steiner"), instance.access_price, instance.need, instance.rate, instance.subscribe,
        instance.limit, broker, np.array(target), load, np.ascontiguousarray(published.T),
        np.ascontiguousarray(subscribers.T), moved, saved,
    )  # fmt: skip
    assert broker.tolist() == list(target)
    return moved[:count].tolist(), saved[:count].tolist(), num_forced


def replayed(instance, start, target):
    """The same by the rule: rounds over those who wait, in the order of what each would save at first."""
    plain = twin.Plain(instance)
    now = list(start)

    def saving(i):
        after = [*now[:i], target[i], *now[i + 1 :]]
        return sum(twin.routed_cost(plain, now, "steiner")[:2]) - sum(twin.routed_cost(plain, after, "steiner")[:2])

    def fits(i):
        load = sum(plain.need[k] for k in plain.users if now[k] == target[i])
        return load + plain.need[i] <= plain.capacity[target[i]]

    waiting = sorted((i for i in plain.users if start[i] != target[i]), key=lambda i: (-round(saving(i), 9), i))
    users, saved, num_forced = [], [], 0
    while waiting:
        has_moved = False
        for i in list(waiting):
            if fits(i) or (not has_moved and i == waiting[0] and not any(fits(k) for k in waiting)):
                num_forced += not fits(i)
                has_moved = True
                users.append(i)
                saved.append(saving(i))
                now[i] = target[i]
                waiting.remove(i)
                if not fits_all(plain, now):
                    break
    return users, saved, num_forced


def fits_all(plain, placed):
    return all(sum(plain.need[k] for k in plain.users if placed[k] == j) <= plain.capacity[j] for j in plain.brokers)


@pytest.mark.parametrize("seed", range(30))
def test_those_who_save_most_move_first_when_there_is_room(seed):
    """And what each move saves is the difference of two costs."""
    instance = smooth(seed, 8, 3, 4, spare=3.0)
    start, target = np.random.default_rng(seed).integers(0, 3, (2, 8)).tolist()
    plain = twin.Plain(instance)
    if not (fits_all(plain, start) and fits_all(plain, target)):
        pytest.skip("the placements drawn do not fit")
    users, saved, num_forced = ordered(instance, start, target)
    expected = replayed(instance, start, target)
    assert (users, num_forced) == (expected[0], expected[2])
    assert saved == pytest.approx(expected[1], abs=1e-9)


def test_two_users_who_change_places_overload_a_broker_for_a_while():
    """Both brokers are full, so the first move finds no room, and the second one does."""
    instance = smooth(2, 2, 2, 3)
    tight = instance.replace(capacity=float(instance.need.max()))
    users, saved, num_forced = ordered(tight, [0, 1], [1, 0])
    assert sorted(users) == [0, 1] and num_forced == 1
    plain = twin.Plain(tight)
    before, after = (sum(twin.routed_cost(plain, placed, "steiner")[:2]) for placed in ([0, 1], [1, 0]))
    assert before - sum(saved) == pytest.approx(after)
