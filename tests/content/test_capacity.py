"""Every refusal for lack of capacity names who, how much, and what to do."""

import numpy as np
import pytest

from topicweave.content import Instance, assign
from topicweave.content.capacity import equal_capacity
from topicweave.errors import InfeasibleError


def three_users(capacity):
    """Three users who publish to each other, and two brokers: each user needs 3."""
    return Instance(np.ones((3, 1)), np.ones((3, 1)), np.ones((3, 2)), [[0, 1], [1, 0]], capacity, users=list("abc"))


def test_a_user_who_fits_nowhere_is_named():
    with pytest.raises(InfeasibleError) as refused:
        assign(three_users([5, 5]), "greedy_packing")
    assert str(refused.value) == (
        "No broker has room for user 'c', who needs 3: the most room is 2, at broker '0'; "
        "add capacity, or try another method or seed."
    )


def test_a_start_above_capacity_is_refused():
    with pytest.raises(InfeasibleError, match="The start gives broker '1' a load of 9, 3 above its capacity"):
        assign(three_users([6, 6]), "migrate", start=[1, 1, 1])


def test_equal_capacities_follow_from_the_demand():
    instance = three_users(np.inf)
    assert equal_capacity(instance, 2.0) == 9.0
    assert equal_capacity(instance, 0.1) == 3.0  # every user fits somewhere
