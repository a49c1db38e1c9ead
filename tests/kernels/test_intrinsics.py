"""Words of bits against plain Python, and the work counter that threads share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave.kernels.intrinsics import AT_A_TIME, at_least, list_bits, lowest, popcount, take_next, without_lowest
from topicweave.kernels.jit import njit, on_threads, prange

WORDS = st.integers(0, 2**64 - 1) | st.sets(st.integers(0, 63), max_size=12).map(lambda bits: sum(1 << b for b in bits))


@njit
def compiled_at_least(array, first, least):
    """Intrinsics are known to compiled code alone."""
    return at_least(array, np.uint64(first), array.dtype.type(least))


@njit
def compiled_word(word):
    return popcount(word), lowest(word), without_lowest(word)


@given(WORDS)
def test_word(word):
    """Counting bits, finding the first and taking it away agree with looking at each."""
    bits = [b for b in range(64) if word >> b & 1]
    count, first, rest = compiled_word(np.uint64(word))
    assert int(count) == len(bits)
    assert int(first) == (bits[0] if bits else 64)
    assert int(rest) == sum(1 << b for b in bits[1:])


@given(WORDS, st.integers(0, 1000), st.integers(0, 3))
def test_list_bits_goes_on_after_others(word, base, num_others):
    """The bits in ascending order, after existing entries."""
    listed = np.full(3 + 64 + AT_A_TIME, -1, dtype=np.int64)
    count = int(list_bits(np.uint64(word), np.uint64(base), listed, np.uint64(num_others)))
    assert listed[num_others:count].tolist() == [base + b for b in range(64) if word >> b & 1]
    assert (listed[:num_others] == -1).all()


@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
@given(data=st.data())
def test_at_least_compares_unsigned(kind, data):
    """Also where the highest bit is set, which would be a negative number."""
    largest = int(np.iinfo(kind).max)
    values = st.integers(0, largest) | st.sampled_from([0, 1, largest // 2, largest // 2 + 1, largest])
    array = np.array(data.draw(st.lists(values, min_size=64, max_size=70)), dtype=kind)
    first = data.draw(st.integers(0, len(array) - 64))
    least = data.draw(values)
    word = int(compiled_at_least(array, first, least))
    assert [bool(word >> i & 1) for i in range(64)] == [int(x) >= least for x in array[first : first + 64]]


@njit(cache=False)
def take_pieces(takers, counter):
    piece = take_next(counter)
    while piece < len(takers):
        takers[piece] += 1
        piece = take_next(counter)


@njit(parallel=True, cache=False)
def take_pieces_in_parallel(takers, counter, num_threads):
    for _ in prange(num_threads):
        take_pieces(takers, counter)


@pytest.mark.parametrize("num_threads", [1, 2, 5])
def test_every_piece_of_work_is_taken_once(num_threads):
    """By numba's threads and by our own."""
    takers, counter = np.zeros(10_000, np.int64), np.zeros(1, np.int64)
    take_pieces_in_parallel(takers, counter, num_threads)
    assert takers.tolist() == [1] * 10_000
    assert counter[0] == 10_000 + num_threads  # each found once that nothing is left
    on_threads(num_threads, take_pieces, takers)
    assert takers.tolist() == [2] * 10_000
