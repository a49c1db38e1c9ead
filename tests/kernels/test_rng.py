"""The generator against plain whole numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topicweave.kernels.rng import next_word

WORD = 2**64 - 1


@given(st.integers(1, WORD))
def test_words_are_those_of_xorshift64(seed):
    """With the shifts 13, 7, 17 of Marsaglia's paper; the state is the last word."""
    state, x = np.array([seed], np.uint64), seed
    for _ in range(5):
        x ^= x << 13 & WORD
        x ^= x >> 7
        x ^= x << 17 & WORD
        assert int(next_word(state)) == int(state[0]) == x


def test_no_word_comes_twice_soon():
    state = np.ones(1, np.uint64)
    assert len({int(next_word(state)) for _ in range(10_000)}) == 10_000
