"""Users stay at their brokers as far as possible: against a plain twin, and the fewest leavers by brute force."""

from itertools import combinations

import numpy as np
import pytest

from tests import reference_adapt as twin
from tests.content.cases import broken, smooth
from tests.reference_content import Plain
from topicweave.content import Instance
from topicweave.content.seating import current_brokers, leaving_users, loads, seat
from topicweave.errors import InfeasibleError


def at_home(seed, crowd=0.0):
    """An instance, and brokers that users could be at: many at the first, if there is a crowd, and some at none."""
    instance = smooth(seed, 12, 4, 5, spare=1.2) if seed % 2 else broken(seed, 8)
    rng = np.random.default_rng(seed)
    home = rng.integers(-1, instance.num_brokers, instance.num_users)
    home[rng.random(instance.num_users) < crowd] = 0
    home[np.isinf(instance.access_price[np.arange(instance.num_users), home])] = -1
    return instance, home


@pytest.mark.parametrize("crowd", [0.0, 0.7])
@pytest.mark.parametrize("seed", range(60))
def test_seats_are_those_of_the_twin(seed, crowd):
    """The same users leave, and all end up where the plain twin says; a user that fits nowhere is refused by both."""
    instance, home = at_home(seed, crowd)
    plain, where = Plain(instance), [None if j < 0 else j for j in home.tolist()]
    assert sorted(leaving_users(instance, home).tolist()) == sorted(twin.leaving(plain, where))
    expected = twin.seat(plain, where)
    if expected is None:
        with pytest.raises(InfeasibleError):
            seat(instance, home)
        return
    found = seat(instance, home)
    assert found.tolist() == expected
    assert (loads(instance, found) <= instance.limit).all()


@pytest.mark.parametrize("seed", range(30))
def test_as_few_leave_as_possible(seed):
    """No smaller set of users relieves an overloaded broker, whichever users they are."""
    instance = smooth(seed, 9, 3, 5, spare=1.2)
    home = np.zeros(9, dtype=np.int64)
    left = leaving_users(instance, home)
    excess = instance.need.sum() - instance.limit[0]
    assert instance.need[left].sum() >= excess
    assert all(instance.need[list(some)].sum() < excess for some in combinations(range(9), len(left) - 1))


def test_somebody_makes_room():
    """The newcomer can reach only the first broker, which is full; one of its two users fits the second one."""
    instance = Instance([[2], [4], [2]], np.ones((3, 1)), [[1, 2], [1, 2], [1, np.inf]], [[0, 1], [1, 0]], [20, 9])
    assert instance.need.tolist() == [8, 8, 8]
    assert seat(instance, np.array([0, 0, -1])).tolist() == [1, 0, 0]
    with pytest.raises(InfeasibleError, match="has room for user '2', who needs 8"):
        seat(instance.replace(capacity=[20, 7]), np.array([0, 0, -1]))


def test_those_who_can_go_nowhere_else_may_be_too_many():
    """Both users of the broker can reach no other one, so the broker is named."""
    instance = Instance(np.ones((2, 1)), np.ones((2, 1)), [[1, np.inf], [1, np.inf]], [[0, 1], [1, 0]], [3, 3])
    with pytest.raises(InfeasibleError, match="Broker '0' has a load of 4, 1 above its capacity, from users that can"):
        seat(instance, np.array([0, 0]))


def test_brokers_are_found_by_name():
    """Unknown users, brokers that are gone and brokers out of reach all count as no broker."""
    instance = Instance(
        np.ones((4, 1)), np.ones((4, 1)), [[1, 1], [1, 1], [1, np.inf], [1, 1]], [[0, 1], [1, 0]], 99,
        users=["ann", "bob", "cat", "dan"], brokers=["Bern", "Kiel"],
    )  # fmt: skip
    assert current_brokers(instance, {"ann": "Kiel", "bob": "Rome", "cat": "Kiel"}).tolist() == [1, -1, -1, -1]
