"""From the placement of today to a plan, move by move."""

import numpy as np
import pytest

from tests.content.cases import broken, smooth
from topicweave.content import CORES, Instance, assign, cost, sparse_instance, transition
from topicweave.errors import InfeasibleError, InputError


def named(instance, broker):
    return {user: instance.brokers[b] for user, b in zip(instance.users, broker, strict=True)}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(12))
def test_each_move_saves_what_the_evaluator_says(seed, core):
    """One move after the other, from the present placement to the plan, never above a capacity that could be kept."""
    instance = (smooth(seed, 30, 5, 6, spare=1.4), sparse_instance(60, 20, seed=seed), broken(seed, 12))[seed % 3]
    try:
        found = assign(instance, "best", core=core, seed=seed)
        now = assign(instance, "random", seed=seed).broker.copy()
    except InfeasibleError:
        pytest.skip("too tight for random")
    moving = transition(found, named(instance, now))
    tree = found.routing.links
    total = cost(instance, now, core, tree=tree).total
    assert moving.cost_before == pytest.approx(total)
    overloaded = 0
    for user, origin, target, saved in zip(
        moving.moves.user, moving.moves.origin, moving.moves.target, moving.moves.saved, strict=True
    ):
        assert now[user] == origin != target
        now[user] = target
        reached = cost(instance, now, core, tree=tree)
        assert total - reached.total == pytest.approx(saved, abs=1e-9)
        total = reached.total
        overloaded += reached.load[target] > instance.limit[target]
    assert now.tolist() == found.broker.tolist()
    assert overloaded == moving.num_overloading
    assert total == pytest.approx(found.cost.total)


def test_the_move_that_saves_most_comes_first_unless_there_is_no_room():
    """User 0 saves most, but its place is taken until user 1 has left."""
    instance = Instance(
        [[1], [1]], [[1], [1]], access_price=[[9, 1], [1, 2]], core_price=[[0, 1], [1, 0]], capacity=[4, 2]
    )
    found = assign(instance, "exact")
    assert found.broker.tolist() == [1, 0]
    moving = transition(found, {"0": "0", "1": "1"})
    assert moving.moves.user.tolist() == [1, 0] and moving.num_overloading == 0
    swapped = transition(assign(instance.replace(capacity=2), "exact"), {"0": "0", "1": "1"})
    assert swapped.num_overloading == 1
    assert swapped.notes == ("Until others have left, 1 move will overload a broker.",)


def test_newcomers_and_those_out_of_reach_arrive_first():
    """Users that are not in the table, or whose broker is gone or unreachable, have nothing to move from."""
    instance = Instance(
        [[1], [1], [1], [1]], np.ones((4, 1)), [[1, 9], [1, 9], [1, np.inf], [1, 9]], [[0, 1], [1, 0]], 99,
        users=["ann", "bob", "cat", "dan"], brokers=["Bern", "Kiel"],
    )  # fmt: skip
    found = assign(instance, "exact")
    moving = transition(found, {"ann": "Kiel", "bob": "Rome", "cat": "Kiel", "eve": "Bern"})
    steps = moving.rows()
    assert [row[:4] for row in steps] == [
        (1, "bob", None, "Bern"), (2, "cat", None, "Bern"), (3, "dan", None, "Bern"), (4, "ann", "Kiel", "Bern"),
    ]  # fmt: skip
    assert steps[0][4] is None and steps[3][4] == pytest.approx(moving.cost_before - found.cost.total)
    assert moving.notes == (
        "3 users had no broker to move from: they are new, or cannot reach their old one.",
        "No longer publishing or subscribing: 1 user of the current placement.",
    )


def test_nothing_to_do():
    """From a placement to itself no user moves."""
    instance = smooth(1, 10)
    found = assign(instance, "greedy_packing")
    assert transition(found, named(instance, found.broker)).rows() == []
    with pytest.raises(InputError, match="needs an Assignment, but got a list"):
        transition([0], {})
