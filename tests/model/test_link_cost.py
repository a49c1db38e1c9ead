"""LinkCost: the forms in which costs may be given."""

import numpy as np
import pytest

from topicweave.errors import InputError
from topicweave.model import LinkCost


def test_one_direction_is_enough():
    """A cost given for one direction holds for both; gaps stay unknown and the diagonal is 0."""
    cost = LinkCost.of({("a", "b"): 3, ("b", "c"): 4})
    assert cost.names == ("a", "b", "c")
    assert np.array_equal(cost.table, [[0, 3, np.nan], [3, 0, 4], [np.nan, 4, 0]], equal_nan=True)


def test_both_directions_must_agree():
    """The error names both values."""
    with pytest.raises(InputError, match="3 in one direction and 5 in the other"):
        LinkCost.of({("a", "b"): 3, ("b", "a"): 5})


def test_a_square_table_with_places_is_read():
    """Such as prices read from a file of latencies."""
    from topicweave.content import Prices

    cost = LinkCost.of(Prices(("p", "q"), np.array([[0.0, 1.0], [1.0, 0.0]])))
    assert cost.names == ("p", "q") and cost.table.tolist() == [[0, 1], [1, 0]]


def test_equal_costs_are_equal():
    """Minus zero is zero; a matrix and a table with labels differ."""
    assert LinkCost.of([[0, 0.0], [-0.0, 0]]) == LinkCost.of([[0, 0], [0, 0]])
    assert LinkCost.of([[0, 1], [1, 0]]) != LinkCost.of({("a", "b"): 1})


def test_the_arrays_cannot_be_written():
    """The object is shared by everything that uses the requirements, and does not change with the caller's array."""
    given = np.array([[0.0, 1.0], [1.0, 0.0]])
    cost = LinkCost.of(given)
    given[0, 1] = 7
    assert cost.table[0, 1] == 1
    with pytest.raises(ValueError, match="read-only"):
        cost.table[0, 0] = 1
