"""Placements: numbers for every user, within reach, or a sentence on what is wrong."""

import numpy as np
import pytest

from topicweave.content import Instance
from topicweave.content.placement import as_assignment
from topicweave.errors import InputError

REACH = [[1, 2, np.inf], [1, 1, 1]]
INSTANCE = Instance(
    [[1], [0]], [[0], [1]], REACH, np.ones((3, 3)) - np.eye(3), 9, users=["ann", "bob"], brokers=["x", "y", "z"]
)


@pytest.mark.parametrize("given", [[1, 2], (1, 2), np.array([1, 2], dtype=np.uint8), np.array([[9, 1, 2]])[0, 1:]])
def test_numbers_of_any_integer_kind_are_a_placement(given):
    found = as_assignment(INSTANCE, given)
    assert found.tolist() == [1, 2] and found.dtype == np.int64 and found.flags.c_contiguous


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([0], "one broker for each of the 2 users, but its shape is"),
        ([[0, 1]], "one broker for each of the 2 users, but its shape is"),
        ([[0], [1, 2]], "for some several were given"),
        ([0.0, 1.0], "is of kind float64; give integers"),
        (["x", "y"], "give integers"),
        ([0, 3], "User 'bob' is assigned to broker number 3; there are brokers 0..2"),
        ([-1, 0], "User 'ann' is assigned to broker number -1"),
        ([2, 2], "User 'ann' is assigned to broker 'z', which it cannot reach"),
    ],
)
def test_anything_else_is_refused_by_name(given, sentence):
    with pytest.raises(InputError, match=sentence):
        as_assignment(INSTANCE, given)
