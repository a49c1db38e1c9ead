"""Pairs found to be possibly at the present level, noted in passing by the threads that lower the bounds.

Each thread keeps a list of its own, twice as long as a lot. When it is full, the half that comes last in tie order is
dropped, and what else would have come there is not noted any more: a lot's worth of pairs, the first of the level in
tie order, are always among those kept, however many there are and whichever thread found them. So what comes out does
not depend on the number of threads.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.jit import njit

LEXICOGRAPHIC, RANDOM, BALANCED = 0, 1, 2  # tie rules


class Finds(NamedTuple):
    """The lists, and what the tie order needs."""

    entry: np.ndarray  # int64 (threads, room): place in the table of pairs
    u: np.ndarray  # int32 (threads, room)
    v: np.ndarray  # int32 (threads, room)
    key: np.ndarray  # uint64 (threads, room): place among its equals
    num: np.ndarray  # int64 (threads): pairs in the list
    last: np.ndarray  # uint64 (threads): the largest key still worth noting; pairs beyond it have been dropped
    names: np.ndarray  # int64 (n): node numbers by which ties are broken
    ties: np.ndarray  # uint64 (2): tie rule, seed


@njit
def room_for_finds(room, threads, names, ties, seed):
    """Empty lists, to fill a lot of this size."""
    rule = np.empty(2, np.uint64)
    rule[0], rule[1] = ties, seed
    return Finds(
        np.empty((threads, 2 * room), np.int64),
        np.empty((threads, 2 * room), np.int32),
        np.empty((threads, 2 * room), np.int32),
        np.empty((threads, 2 * room), np.uint64),
        np.zeros(threads, np.int64),
        np.empty(threads, np.uint64),
        names,
        rule,
    )


@njit
def forget(finds):
    """Begin the lists anew."""
    for thread in range(len(finds.num)):
        finds.num[thread], finds.last[thread] = 0, ~np.uint64(0)


@njit
def tie_key(u, v, ties, seed):
    """Where the pair of nodes u < v stands among its equals (before degrees, for ``balanced``)."""
    key = (np.uint64(u) << np.uint64(32)) | np.uint64(v)
    if ties == LEXICOGRAPHIC:
        return key
    # splitmix64: a bijection of 64 bits, so distinct pairs never tie
    key = key + np.uint64(seed)
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@njit
def note(entries, us, vs, keys, last, noted, names, ties, seed, u, first, base, partners, hits, at, num):
    """Add to a thread's list, which has ``noted`` pairs, pairs of u from the ``at``-th on, as many as fit.

    They are the entries ``first + hits``, with given partners or the nodes ``base + hits``. Return how many pairs the
    list has then, and how many of these have had their turn.
    """
    name = names[u]
    while at < num and noted < len(entries):
        entry = first + hits[at]
        v = partners[entry] if len(partners) > 0 else base + hits[at]
        key = tie_key(min(name, names[v]), max(name, names[v]), ties, seed)
        entries[noted], us[noted], vs[noted], keys[noted] = entry, u, v, key
        noted += key <= last
        at += 1
    return noted, at


@njit
def drop_half(entries, us, vs, keys):
    """Drop the pairs of a full list that come last; return how many stay, and the largest key still worth noting."""
    last = np.partition(keys, len(keys) // 2)[len(keys) // 2] - np.uint64(1)
    kept = 0
    for i in range(len(keys)):
        if keys[i] <= last:
            entries[kept], us[kept], vs[kept], keys[kept] = entries[i], us[i], vs[i], keys[i]
            kept += 1
    return kept, last
