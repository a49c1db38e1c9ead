"""adapt(): what changed, from which earlier placement, and what is reported about it."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.content.cases import smooth
from topicweave.content import CORES, Instance, adapt, assign, cost, evaluation_instance, sparse_instance
from topicweave.errors import InfeasibleError, InputError, ParameterError


def changed(market, num_users, num_brokers, seed, share=0.05):
    """Two instances of equal capacity: this share of the users is gone in the second one, and as many are new."""
    new = round(share * num_users)
    whole = market(num_users + new, num_brokers, seed=seed)
    names = [f"user {number}" for number in range(num_users + new)]

    def part(first, last):
        return whole.replace(
            publish=whole.publish[first:last], subscribe=whole.subscribe[first:last],
            access_price=whole.access_price[first:last], users=names[first:last], capacity=np.inf,
        )  # fmt: skip

    parts = part(0, num_users), part(new, num_users + new)
    capacity = max(2 * max(one.need.sum() for one in parts) / num_brokers, whole.need.max())
    return [one.replace(capacity=capacity) for one in parts]


def moved(found):
    return {(row[1], row[2], row[3]) for row in found.rows() if row[2] is not None}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(4))
def test_the_moves_lead_from_the_earlier_brokers_to_the_new_ones(seed, core):
    """Replayed on the evaluator: every saving is right, they add up, new users come first, and the cost is the sum."""
    market = (sparse_instance, evaluation_instance)[seed % 2]
    before, after = changed(market, 60, 4, seed, share=0.1)
    earlier = assign(before, "migrate", core=core, seed=seed)
    found = adapt(after, earlier)
    made = found.assignment
    assert made.core == core and made.method == "adapt"
    assert {after.users[i] for i in found.arrivals} == set(after.users) - set(before.users)
    now, tree = made.broker.copy(), made.routing.links
    for user, origin in zip(found.moves.user, found.moves.origin, strict=True):
        assert earlier.broker_of(after.users[user]) == after.brokers[origin]
        now[user] = origin
    total = cost(after, now, core, tree=tree).total
    assert total == pytest.approx(found.cost_before)
    for user, target, saved in zip(found.moves.user, found.moves.target, found.moves.saved, strict=True):
        now[user] = target
        reached = cost(after, now, core, tree=tree).total
        assert total - reached == pytest.approx(saved, abs=1e-9)
        total = reached
    assert total == pytest.approx(made.cost.total)
    assert (made.cost.load <= after.limit).all()
    assert "No longer publishing or subscribing: 6 users" in " ".join(found.notes)


@pytest.mark.parametrize("market", [sparse_instance, evaluation_instance])
def test_a_few_new_users_cost_little_more_than_starting_afresh(market):
    """After 5 % of the users changed, the cost is on average within 2 % of what ``best`` finds from scratch."""
    ratios = []
    for seed in range(4):
        before, after = changed(market, 200, 5, seed)
        found = adapt(after, assign(before, "best", seed=seed))
        ratios.append(found.assignment.cost.total / assign(after, "best", seed=seed).cost.total)
    assert np.mean(ratios) < 1.02


def test_users_and_brokers_are_matched_by_name():
    """The same placement, whatever the order of users and brokers, and however it is given."""
    instance = smooth(5, 12, 3, 4).replace(users=list("abcdefghijkl"), brokers=["Bern", "Kiel", "Rome"])
    earlier = assign(instance, "migrate")
    users, brokers = np.random.default_rng(1).permutation(12), [2, 0, 1]
    other = Instance(
        instance.publish[users], instance.subscribe[users], instance.access_price[users][:, brokers],
        instance.core_price[brokers][:, brokers], instance.capacity,
        users=[instance.users[i] for i in users], brokers=[instance.brokers[j] for j in brokers],
    )  # fmt: skip
    found = adapt(other, earlier, max_moves=0)
    assert len(found.rows()) == 0
    assert all(found.assignment.broker_of(user) == earlier.broker_of(user) for user in "abcdefghijkl")


def test_the_earlier_placement_may_be_a_table_or_a_plan_folder(tmp_path):
    """A mapping, a data frame, a file and the folder of a plan mean the same."""
    instance = smooth(3, 8, 3, 4)
    current = {user: instance.brokers[j] for user, j in zip(instance.users, assign(instance).broker, strict=True)}
    table = pa.table({"user": list(current), "broker": list(current.values())})
    pq.write_table(table, tmp_path / "assignment.parquet")
    for given in (current, table.to_pandas(), tmp_path, tmp_path / "assignment.parquet"):
        assert len(adapt(instance, given, max_moves=0).rows()) == 0
    with pytest.raises(InputError, match="the broker of user '0' is both '0' and '1'; list it once"):
        adapt(instance, pd.DataFrame({"user": ["0", "0"], "broker": ["0", "1"]}))


def test_a_dead_broker_costs_no_moves():
    """Its users have nothing to move from, so they are placed although nobody may move."""
    instance = smooth(7, 12, 3, 4, spare=3.0)
    earlier = assign(instance, "clustering")
    dead = int(np.bincount(earlier.broker).argmax())
    rest = [j for j in range(3) if j != dead]
    left = instance.replace(
        access_price=instance.access_price[:, rest], core_price=instance.core_price[rest][:, rest],
        capacity=instance.capacity[rest], brokers=[instance.brokers[j] for j in rest],
    )  # fmt: skip
    found = adapt(left, earlier, max_moves=0)
    assert sorted(found.arrivals) == np.flatnonzero(earlier.broker == dead).tolist() and not moved(found)


def test_an_overloaded_broker_is_relieved():
    """Five users at a broker with room for two: three leave; if that is too many, the error says how many it takes."""
    instance = Instance(np.ones((5, 1)), np.ones((5, 1)), [[1, 2, 3]] * 5, np.ones((3, 3)) - np.eye(3), [10, 10, 10])
    crowd = dict.fromkeys(instance.users, "0")
    found = adapt(instance, crowd, max_moves=3)
    assert len(found.moves) == 3 and (found.assignment.cost.load <= instance.limit).all()
    assert found.assignment.notes == (
        "1 broker would have carried more than its capacity without moves.",
        "No more than 3 moves were allowed; more may save more.",
    )
    with pytest.raises(InfeasibleError, match=r"3 users must move so that .* more than max_moves=2 allows; allow more"):
        adapt(instance, crowd, max_moves=2)
    assert len(adapt(instance, crowd).moves) >= 3


def test_new_users_do_not_open_a_broker_that_is_not_needed():
    """The empty broker is nearer to the new user, but then everything published would have to go there, too."""
    instance = Instance(np.ones((4, 1)), np.ones((4, 1)), [[1, 0.9]] * 4, [[0, 5], [5, 0]], 100)
    found = adapt(instance, dict.fromkeys("012", "0"), max_moves=0)
    assert found.assignment.broker.tolist() == [0, 0, 0, 0]


def test_a_new_broker_is_used():
    """All users live next to it, and as many move there as are allowed."""
    instance = Instance(np.ones((6, 1)), np.ones((6, 1)), [[9, 1]] * 6, [[0, 1], [1, 0]], 100, brokers=["far", "near"])
    current = dict.fromkeys(instance.users, "far")
    assert len(moved(adapt(instance, current, max_moves=2))) == 2
    assert adapt(instance, current).assignment.broker.tolist() == [1] * 6


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"max_moves": -1}, ParameterError, "max_moves must be a whole number, 0 or more, but is -1"),
        ({"max_moves": 1.5}, ParameterError, "max_moves must be a whole number"),
        ({"core": "ring"}, ParameterError, "core"),
        ({"earlier": ["0"]}, InputError, "The placement must be a mapping of user to broker"),
        ({"instance": 3}, InputError, r"adapt\(\) needs an Instance, but got an? int"),
    ],
)
def test_what_cannot_be_is_refused(options, error, says):
    with pytest.raises(error, match=says):
        adapt(**{"instance": smooth(1), "earlier": {}, **options})


def test_without_an_earlier_placement_everybody_arrives():
    """An empty table is allowed: it is an assignment from nothing."""
    found = adapt(smooth(1), {})
    assert len(found.arrivals) == 6 and len(found.moves) == 0
