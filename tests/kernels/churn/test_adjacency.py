"""Adjacency: sets in one pool, compared with a dict of sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from topicweave.kernels.churn.adjacency import empty_adjacency, enlarged, put, put_all, take, take_all


def sets_of(adjacency, num_keys):
    first = adjacency.start
    return {
        key: set(adjacency.pool[first[key] : first[key] + adjacency.length[key]].tolist()) for key in range(num_keys)
    }


@settings(max_examples=50, deadline=None)
@given(steps=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 40)), max_size=300))
def test_putting_and_taking_equals_sets(steps):
    """A pool that is full is enlarged, and nothing is lost; what is not there is not taken."""
    adjacency, sets = enlarged(empty_adjacency(0), 6), {key: set() for key in range(6)}
    for key, x in steps:
        if x in sets[key]:
            assert take(adjacency, key, x)
            sets[key].remove(x)
        else:
            assert not take(adjacency, key, x)
            while not put(adjacency, key, x):
                adjacency = enlarged(adjacency, 0)
            sets[key].add(x)
    assert sets_of(adjacency, 6) == sets


def test_a_full_pool_says_how_far_it_came():
    """The caller then enlarges it and continues from there."""
    adjacency = enlarged(empty_adjacency(0), 3)
    keys = np.tile(np.arange(3, dtype=np.int32), 4000)
    values = np.repeat(np.arange(4000, dtype=np.int32), 3)
    done, stops = 0, 0
    while (done := put_all(adjacency, keys, values, done)) < len(keys):
        adjacency, stops = enlarged(adjacency, 0), stops + 1
    assert stops > 0
    assert sets_of(adjacency, 3) == {key: set(range(4000)) for key in range(3)}
    take_all(adjacency, keys[3:], values[3:])
    assert sets_of(adjacency, 3) == {key: {0} for key in range(3)}
