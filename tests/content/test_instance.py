"""What an instance refuses, repairs and derives."""

import copy
import pickle

import numpy as np
import pytest

from tests.content.cases import dyadic
from tests.reference_content import Plain
from topicweave.content import Instance
from topicweave.errors import InfeasibleError, InputError

GOOD = {
    "publish": [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]],
    "subscribe": [[0, 1], [1, 0], [0, 1]],
    "access_price": [[1, 2], [2, 1], [1, 1]],
    "core_price": [[0, 3], [3, 0]],
    "capacity": 20,
}


def changed(**changes):
    return {**GOOD, **changes}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"publish": [1, 2]}, r"publish must be a matrix .* shape \(2,\)"),
        ({"publish": [["x", 1], [1, 1], [1, 1]]}, "publish must be a matrix of numbers"),
        ({"publish": [[1, -2], [0, 1], [1, 1]], "users": ["a", "b", "c"]}, "publish of user 'a' and channel '1' is -2"),
        ({"publish": [[1, np.nan], [0, 1], [1, 1]]}, "is nan"),
        ({"publish": [[1, np.inf], [0, 1], [1, 1]]}, "is inf"),
        ({"publish": np.empty((0, 2)), "access_price": np.empty((0, 2))}, "no user"),
        ({"subscribe": [[0, 1], [1, 0]]}, r"subscribe has shape \(2, 2\), but publish has \(3, 2\)"),
        (
            {"subscribe": [[0, 1], [1, 0], [0, 2]], "channels": ["x", "y"]},
            "subscribe of user '2' and channel 'y' is .*2",
        ),
        ({"access_price": [[1, 2], [2, 1]]}, "access_price has 2 rows, but publish is for 3 users"),
        (
            {"access_price": [[1, 2], [2, 1], [1, -1]], "brokers": ["p", "q"]},
            "access_price of user '2' and broker 'q' is -1",
        ),
        ({"core_price": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}, r"core_price has shape \(3, 3\)"),
        ({"core_price": [[0, -1], [3, 0]]}, "core_price of brokers '0' and '1' is -1"),
        ({"core_price": [[0, np.nan], [3, 0]]}, "is nan"),
        ({"core_price": [[0, np.inf], [np.inf, 0]]}, "cannot reach each other"),
        ({"capacity": [1, 2, 3]}, "capacity has shape"),
        ({"capacity": [-1, 2], "brokers": ["p", "q"]}, "capacity of broker 'p' is -1"),
        ({"users": ["a", "b"]}, "3 users but 2 user labels"),
        ({"users": "abc"}, "A list of users was asked for, but one value"),
        ({"channels": 5}, "A list of channels was asked for, but one value"),
        ({"users": ["a", "b", "a"]}, "label 'a' is given twice"),
    ],
)
def test_bad_input_is_one_clear_sentence(changes, says):
    with pytest.raises(InputError, match=says):
        Instance(**changed(**changes))


def test_too_little_capacity_says_by_how_much():
    need = Instance(**GOOD).need.sum()
    with pytest.raises(InfeasibleError, match=f"{need - 4:g} too much"):
        Instance(**changed(capacity=2))


def test_a_user_larger_than_every_broker_is_named():
    with pytest.raises(InfeasibleError, match=r"User '0' needs 4, but the largest broker it can reach can carry 3"):
        Instance(**changed(access_price=[[1] * 9] * 3, core_price=np.ones((9, 9)), capacity=3))


def test_asymmetric_prices_are_averaged_and_reported():
    found = Instance(**changed(core_price=[[5, 1], [3, 0]]))
    assert found.core_price.tolist() == [[0, 2], [2, 0]]
    assert "1 core prices differed by direction" in found.notes[0]


def test_traffic_takes_a_detour_where_it_is_cheaper_which_is_reported():
    """The link keeps its price: a tree over all brokers may need it."""
    prices = [[0, 1, 9], [1, 0, 1], [9, 1, 0]]
    found = Instance(**changed(access_price=[[1] * 3] * 3, core_price=prices))
    assert (found.core_price[0, 2], found.path_price[0, 2], found.path_before[0, 2]) == (9, 2, 1)
    assert found.notes == ("1 core prices were above the price of a detour; traffic takes the detour.",)


def test_missing_links_are_bridged():
    """Two brokers without a link of their own pay for the path over others, and a note says so."""
    inf = np.inf
    found = Instance(**changed(access_price=[[1] * 3] * 3, core_price=[[0, 1, inf], [1, 0, 1], [inf, 1, 0]]))
    assert (found.core_price[0, 2], found.path_price[0, 2]) == (inf, 2)
    assert found.notes == ("1 pairs of brokers have no link; what they exchange is relayed by others.",)


def test_a_user_who_can_reach_nobody_is_named():
    with pytest.raises(InfeasibleError, match="User '1' can reach no broker: every access price is infinite"):
        Instance(**changed(access_price=[[1, 2], [np.inf, np.inf], [1, 1]]))
    with pytest.raises(InfeasibleError, match="User 'b' and 1 more can reach no broker"):
        Instance(**changed(access_price=[[1, 2], [np.inf] * 2, [np.inf] * 2], users=["a", "b", "c"]))


def test_a_user_who_reaches_only_small_brokers_is_named():
    with pytest.raises(InfeasibleError, match=r"User '0' needs 4, but the largest broker it can reach can carry 1"):
        Instance(**changed(access_price=[[1, np.inf], [2, 1], [1, 1]], capacity=[1, 20]))


def test_metric_prices_are_left_alone():
    assert Instance(**GOOD).notes == ()


@pytest.mark.parametrize("seed", range(20))
def test_traffic_follows_its_definition(seed):
    """Rates and flows are sums of products, computed once more in plain Python."""
    instance = dyadic(seed)
    plain = Plain(instance)
    assert instance.rate.tolist() == plain.g
    assert instance.outflow.tolist() == plain.out
    assert instance.inflow.tolist() == plain.into


def test_what_nobody_else_wants_is_dropped():
    found = Instance([[1, 1], [0, 1]], [[1, 0], [0, 0]], [[1], [1]], [[0]], 9)
    assert found.rate.tolist() == [[0, 0], [0, 0]]


def test_arrays_are_frozen_and_copies_stay_so():
    for found in (Instance(**GOOD), copy.deepcopy(Instance(**GOOD)), pickle.loads(pickle.dumps(Instance(**GOOD)))):
        with pytest.raises(ValueError, match="read-only"):
            found.publish[0, 0] = 9
    given = np.array(GOOD["publish"])
    Instance(**changed(publish=given))
    given[0, 0] = 7  # the instance has its own copy
