"""Adjacency: an unordered set of numbers for each key, such as the neighbours of each node; all sets share one array
(the pool).

Neighbours of a node, subscribers of a topic, backups of a node: each is an adjacency. A full set moves to the end of
the pool with twice its capacity. Kernels cannot enlarge the pool: they stop and return how far they came, and the
caller continues after :func:`enlarged`.
"""

from collections import namedtuple

import numpy as np

from topicweave.kernels.jit import njit

Adjacency = namedtuple(  # noqa: PYI024
    "Adjacency",
    [
        "pool",  # int32 (any length)
        "start",  # where the set of each key begins in the common memory (the pool) [int64 (keys)]
        "length",  # int32 (keys)
        "capacity",  # int32 (keys)
        "used",  # the end of the used part of the pool [int64 (1)]
    ],
)

SMALLEST = 4


def empty_adjacency(num_keys):
    """Make an adjacency whose sets are all empty."""
    return Adjacency(
        np.empty(1024 + SMALLEST * num_keys, np.int32),
        np.zeros(num_keys, np.int64),
        np.zeros(num_keys, np.int32),
        np.zeros(num_keys, np.int32),
        np.zeros(1, np.int64),
    )


@njit
def enlarged(adjacency, num_keys):
    """Return an adjacency with the same sets in a new pool, of which at least half is free, and with at least
    ``num_keys`` keys; the sets of new keys are empty.
    """
    count = max(num_keys, len(adjacency.start))
    start, length, capacity = np.zeros(count, np.int64), np.zeros(count, np.int32), np.zeros(count, np.int32)
    used = 0
    for key in range(len(adjacency.start)):
        length[key] = adjacency.length[key]
        capacity[key] = 0 if length[key] == 0 else max(SMALLEST, length[key] + length[key] // 2)
        start[key] = used
        used += capacity[key]
    # large enough that even the largest set can later move to the end of this pool with a larger capacity
    pool_size = 2 * used + 4 * (capacity.max() if count > 0 else 0) + SMALLEST * count + 1024
    pool = np.empty(pool_size, np.int32)
    for key in range(len(adjacency.start)):
        for i in range(length[key]):
            pool[start[key] + i] = adjacency.pool[adjacency.start[key] + i]
    return Adjacency(pool, start, length, capacity, np.full(1, used, np.int64))


@njit
def put(adjacency, key, x):
    """Add x to the set of a key, which must not contain it yet; returns False if the pool is full."""
    length = adjacency.length[key]
    if length == adjacency.capacity[key]:
        capacity = max(SMALLEST, 2 * length)
        first = adjacency.used[0]
        if first + capacity > len(adjacency.pool):
            return False
        for i in range(length):
            adjacency.pool[first + i] = adjacency.pool[adjacency.start[key] + i]
        adjacency.start[key] = first
        adjacency.capacity[key] = capacity
        adjacency.used[0] = first + capacity
    adjacency.pool[adjacency.start[key] + length] = x
    adjacency.length[key] = length + 1
    return True


@njit
def take(adjacency, key, x):
    """Remove x from the set of a key; returns False if it is not in the set."""
    first = adjacency.start[key]
    last = first + adjacency.length[key] - 1
    for i in range(first, last + 1):
        if adjacency.pool[i] == x:
            adjacency.pool[i] = adjacency.pool[last]
            adjacency.length[key] -= 1
            return True
    return False


@njit
def put_all(adjacency, keys, values, begin):
    """Add values[i] to the set of keys[i], from i = begin on; return the first i for which the pool was full, or
    ``len(keys)`` if all were added.
    """
    for i in range(begin, len(keys)):
        if not put(adjacency, keys[i], values[i]):
            return i
    return len(keys)


@njit
def take_all(adjacency, keys, values):
    """Remove values[i] from the set of keys[i], for all i."""
    for i in range(len(keys)):
        take(adjacency, keys[i], values[i])
