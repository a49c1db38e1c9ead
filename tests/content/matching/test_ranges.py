"""Ranges: invalid ranges are refused in one sentence, and both ends belong to the range."""

import math

import pytest

from topicweave.content.matching import as_point, as_ranges, is_inside
from topicweave.errors import InputError


def test_both_ends_belong_to_a_range_and_none_is_no_limit():
    """The form that subscriptions are given in."""
    assert as_ranges({"a": [1, 2], "b": (None, 3)}) == {"a": (1.0, 2.0), "b": (-math.inf, 3.0)}
    box = as_ranges({"a": (1, 2)})
    assert [is_inside({"a": value}, box) for value in (0.9, 1, 2, 2.1)] == [False, True, True, False]
    assert is_inside({}, {}) and is_inside({}, as_ranges({"a": (None, None)})) and not is_inside({"b": 1}, box)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([], "mapping"),
        ({1: (0, 1)}, "name of an attribute"),
        ({"a": 5}, "must be \\(low, high\\)"),
        ({"a": (1, 2, 3)}, "must be \\(low, high\\)"),
        ({"a": ("x", 2)}, "must be numbers"),
        ({"a": (True, 2)}, "must be numbers"),
        ({"a": (math.nan, 2)}, "finite"),
        ({"a": (0, 10**400)}, "finite"),
        ({"a": (2, 1)}, "ends at 1, below its start 2"),
    ],
)
def test_what_is_not_a_range_is_refused(given, words):
    """The message names the attribute and the value."""
    with pytest.raises(InputError, match=words):
        as_ranges(given)


@pytest.mark.parametrize("given", [None, {"a": "1"}, {"a": math.inf}, {1: 1}, {"a": False}, {"a": 10**400}])
def test_what_is_no_content_is_refused(given):
    """Content consists of finite numbers."""
    with pytest.raises(InputError):
        as_point(given)
