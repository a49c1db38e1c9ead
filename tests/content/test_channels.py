"""Cutting the content space, and histograms over it."""

import numpy as np
import pandas
import pytest

from topicweave.content import Channels, summarize
from topicweave.errors import InputError, ParameterError


def test_equal_width_and_equal_mass():
    values = np.array([0.0, 1, 1, 1, 2, 3, 4, 10])
    assert Channels.from_values({"v": values}, 2).edges["v"] == (0, 5, 10)
    by_mass = Channels.from_values({"v": values}, 4, "mass")
    assert by_mass.edges["v"] == (0, 1, 1.5, 3.25, 10)
    assert np.bincount(by_mass.numbers({"v": values})).tolist() == [1, 3, 2, 2]


def test_values_may_come_in_a_data_frame():
    frame = pandas.DataFrame({"v": [0.0, 5.0, 10.0]})
    assert Channels.from_values(frame, 2).edges["v"] == (0, 5, 10)
    with pytest.raises(ParameterError, match="The number of channels of attribute 'v' was not given"):
        Channels.from_values(frame, {"w": 2})


def test_one_value_that_holds_more_than_its_share_makes_fewer_channels():
    assert Channels.from_values({"v": [5.0] * 9 + [7.0]}, 4, "mass").num_channels == 1
    assert Channels.from_values({"v": [5.0, 5.0]}, 4).shape == (1,)


def test_a_range_touches_every_channel_it_reaches_into():
    channels = Channels({"v": (0, 1, 2, 3)})
    assert channels.covering({"v": (0.5, 1.0)}).tolist() == [True, True, False]
    assert channels.covering({"v": (-9, -8)}).tolist() == [True, False, False]
    assert channels.covering({}).tolist() == [True, True, True]


@pytest.mark.parametrize("seed", range(20))
def test_what_a_range_holds_is_in_its_channels(seed):
    """No publication inside a subscription's ranges may fall into a channel that the subscription does not cover."""
    rng = np.random.default_rng(seed)
    points = {"a": rng.random(200), "b": rng.random(200)}
    channels = Channels.from_values(points, {"a": 5, "b": 3}, ("width", "mass")[seed % 2])
    low, high = np.sort(rng.random((2, 2)), axis=0)
    covered = channels.covering({"a": (low[0], high[0]), "b": (low[1], high[1])})
    inside = (low[0] <= points["a"]) & (points["a"] <= high[0]) & (low[1] <= points["b"]) & (points["b"] <= high[1])
    assert covered[channels.numbers(points)[inside]].all()


def test_summarize_adds_amounts_and_divides_by_time():
    channels = Channels({"v": (0, 1, 2)})
    found = summarize([0, 0, 2], {"v": [0.5, 0.6, 1.5]}, channels, num_users=3, amounts=[10, 20, 30], duration=10)
    assert found.tolist() == [[3, 0], [0, 0], [0, 3]]


def test_labels_differ_even_where_borders_look_alike():
    assert len(set(Channels({"v": (1, 1.00000001, 1.00000002, 1.00000003)}).labels)) == 3


@pytest.mark.parametrize("borders", [(1,), (1, 1), (2, 1), (0, float("nan")), ()])
def test_bad_borders(borders):
    """Borders that do not rise, or are too few, are refused."""
    with pytest.raises(InputError, match="ascending"):
        Channels({"v": borders})


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: Channels(5), "mapping of attribute to borders, but got a int"),
        (lambda: Channels({"v": 5}), "'v' needs a list of numbers, but got a int"),
        (lambda: Channels({"v": "ab"}), "'v' needs a list of numbers, but got a str"),
        (lambda: Channels.from_values(None, 2), "mapping of attribute to values, but got a NoneType"),
        (lambda: Channels.from_values({"v": None}, 2), "'v' needs a list of numbers, but got a NoneType"),
        (
            lambda: Channels.from_values({"v": [1.0, 2]}, "two"),
            "count must be a whole number, 1 or more, but is 'two'",
        ),
        (lambda: Channels.from_values({"v": [1.0, 2]}, {"w": 2}), "attribute 'v' was not given"),
        (lambda: Channels.from_values({"v": [1.0, 2]}, 0, "mass"), "1 or more, but is 0"),
        (lambda: summarize([0], {"v": [0]}, {"v": (0, 1)}, num_users=1), "needs Channels, but got a dict"),
    ],
)
def test_wrong_kinds_are_answered_in_a_sentence(call, says):
    with pytest.raises(InputError, match=says):
        call()


def test_bad_questions():
    """Nothing to cut, and no way to cut it, are refused."""
    with pytest.raises(InputError, match="at least one attribute"):
        Channels({})
    with pytest.raises(ParameterError, match="no scale"):
        Channels.from_values({"v": [1.0, 2]}, 2, "log")
    with pytest.raises(InputError, match="no value"):
        Channels.from_values({"v": []}, 2)
    with pytest.raises(ParameterError, match="count must be a whole number, 1 or more"):
        Channels.from_values({"v": [1.0, 2]}, 0)
    with pytest.raises(InputError, match="no attribute 'v'"):
        Channels({"v": (0, 1)}).numbers({"w": [1]})
    with pytest.raises(ParameterError, match="span some time"):
        summarize([0], {"v": [0]}, Channels({"v": (0, 1)}), num_users=1, duration=0)
