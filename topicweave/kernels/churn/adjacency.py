"""Bags: many small unordered sets of numbers that grow and shrink, in one pool of memory.

A bag that is full moves to the end of the pool with twice the room. Kernels cannot enlarge the pool; they stop, say how
far they came, and the caller goes on after :func:`roomier`.
"""

from collections import namedtuple

import numpy as np

from topicweave.kernels.jit import njit

Bags = namedtuple(  # noqa: PYI024
    "Bags",
    [
        "pool",  # int32 (room)
        "start",  # int64 (bags): where a bag lies in the pool
        "length",  # int32 (bags)
        "capacity",  # int32 (bags)
        "used",  # int64 (1): the pool is taken up to here
    ],
)

SMALLEST = 4


def empty_bags(num_bags):
    """Bags without content."""
    return Bags(
        np.empty(1024 + SMALLEST * num_bags, np.int32),
        np.zeros(num_bags, np.int64),
        np.zeros(num_bags, np.int32),
        np.zeros(num_bags, np.int32),
        np.zeros(1, np.int64),
    )


@njit
def roomier(bags, num_bags):
    """The same content, in order, in a new pool with as much free room again; at least so many bags."""
    count = max(num_bags, len(bags.start))
    start, length, capacity = np.zeros(count, np.int64), np.zeros(count, np.int32), np.zeros(count, np.int32)
    used = 0
    for b in range(len(bags.start)):
        length[b] = bags.length[b]
        capacity[b] = 0 if length[b] == 0 else max(SMALLEST, length[b] + length[b] // 2)
        start[b] = used
        used += capacity[b]
    # The largest bag must be able to move once more.
    room = 2 * used + 4 * (capacity.max() if count > 0 else 0) + SMALLEST * count + 1024
    pool = np.empty(room, np.int32)
    for b in range(len(bags.start)):
        for i in range(length[b]):
            pool[start[b] + i] = bags.pool[bags.start[b] + i]
    return Bags(pool, start, length, capacity, np.full(1, used, np.int64))


@njit
def put(bags, b, x):
    """Put x, which is not in it, into bag b; False if the pool is full."""
    length = bags.length[b]
    if length == bags.capacity[b]:
        capacity = max(SMALLEST, 2 * length)
        first = bags.used[0]
        if first + capacity > len(bags.pool):
            return False
        for i in range(length):
            bags.pool[first + i] = bags.pool[bags.start[b] + i]
        bags.start[b] = first
        bags.capacity[b] = capacity
        bags.used[0] = first + capacity
    bags.pool[bags.start[b] + length] = x
    bags.length[b] = length + 1
    return True


@njit
def take(bags, b, x):
    """Take x out of bag b; False if it is not there."""
    first = bags.start[b]
    last = first + bags.length[b] - 1
    for i in range(first, last + 1):
        if bags.pool[i] == x:
            bags.pool[i] = bags.pool[last]
            bags.length[b] -= 1
            return True
    return False


@njit
def holds(bags, b, x):
    """Whether x is in bag b."""
    first = bags.start[b]
    for i in range(first, first + bags.length[b]):
        if bags.pool[i] == x:
            return True
    return False


@njit
def put_all(bags, keys, values, begin):
    """Put values[i] into bag keys[i] from i = begin on; return how far it came."""
    for i in range(begin, len(keys)):
        if not put(bags, keys[i], values[i]):
            return i
    return len(keys)


@njit
def take_all(bags, keys, values):
    """Take values[i] out of bag keys[i]."""
    for i in range(len(keys)):
        take(bags, keys[i], values[i])
