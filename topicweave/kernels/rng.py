"""Random numbers for kernels: a xorshift64 generator whose state is an array of the caller.

Numba's own generator is per thread and cannot be passed, so a result would depend on what ran before.
"""

import numpy as np

from topicweave.kernels.jit import njit


@njit
def next_word(state):
    """Return 64 random bits and advance the state, uint64 (1), which must not be 0.

    Xorshift64 (Marsaglia 2003) has period 2⁶⁴ - 1. Its low bits are the weaker ones: a caller that needs few bits
    should take the high ones.
    """
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return x


@njit
def random_below(state, bound):
    """A random whole number below the bound, taken from the generator's high bits; the state is that of
    ``next_word``.
    """
    return np.int64((next_word(state) >> np.uint64(33)) % np.uint64(bound))
