"""The pairs of a level come out in tie order, however many there are and whichever thread noted them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave.kernels.greedy.level_queue import (
    BALANCED,
    LEXICOGRAPHIC,
    RANDOM,
    RANK_BITS,
    empty_buffer,
    gather,
    line_up,
    new_batch,
    new_buffer,
    note,
    place_of,
    sift_down,
    sift_up,
    tie_key,
)
from topicweave.kernels.jit import njit

NODES = 40


@njit
def noted_and_gathered(pairs, threads, size, num_threads, ties):
    """Note these pairs, each by its thread, and gather a batch; return the batch and how many pairs it holds."""
    buffer, batch = new_buffer(size, num_threads, np.arange(NODES), ties), new_batch(size)
    empty_buffer(buffer)
    for i in range(len(pairs)):
        hits = np.full(1, pairs[i, 1], np.int64)
        note(buffer, threads[i], np.empty(0, np.int32), pairs[i, 0], np.int64(1000 * i), np.int64(0), hits, 1)
    return batch, gather(buffer, len(pairs), batch)


@njit
def formed_line(degree, batch, size):
    line_up(degree, batch, size)


@njit
def sorted_by_heap(numbers):
    heap, size = np.empty(len(numbers), np.int64), 0
    for number in numbers:
        sift_up(heap, number, size)
        size += 1
    out = np.empty(len(numbers), np.int64)
    for i in range(len(numbers)):
        out[i] = heap[0]
        size -= 1
        heap[0] = heap[size]
        sift_down(heap, size)
    return out


def drawn_pairs(data, most=120):
    ends = st.tuples(st.integers(0, NODES - 2), st.integers(1, NODES - 1)).filter(lambda pair: pair[0] < pair[1])
    pairs = data.draw(st.lists(ends, min_size=1, max_size=most, unique=True))
    return np.array(pairs, np.int64)


def key(pair, ties, seed=5):
    return int(tie_key(int(pair[0]), int(pair[1]), ties, np.uint64(seed)))


@pytest.mark.parametrize("ties", [LEXICOGRAPHIC, RANDOM, BALANCED])
@given(data=st.data(), num_threads=st.integers(1, 3))
def test_a_batch_holds_the_first_pairs_in_order(ties, data, num_threads):
    """All of them if they fit, else the first, at least half a batch; by whichever threads they were noted."""
    pairs = drawn_pairs(data)
    size = data.draw(st.sampled_from([8, 30, 200]))
    threads = np.array(
        data.draw(st.lists(st.integers(0, num_threads - 1), min_size=len(pairs), max_size=len(pairs))), np.int64
    )
    batch, count = noted_and_gathered(pairs, threads, size, num_threads, np.array([ties, 5], np.uint64))
    expected = sorted((key(pair, ties), *map(int, pair)) for pair in pairs)
    taken = [batch.candidate[i] for i in batch.order[:count]]
    assert [(int(c["key"]), int(c["u"]), int(c["v"])) for c in taken] == expected[:count]
    assert count == len(pairs) if len(pairs) <= size else size // 2 <= count <= size
    for c in taken:
        assert pairs[int(c["entry"]) // 1000].tolist() == [c["u"], c["v"]]
        assert int(c["entry"]) % 1000 == c["v"]


@given(st.data())
def test_the_line_is_by_degrees_and_then_by_rank(data):
    pairs = drawn_pairs(data)
    degree = np.array(data.draw(st.lists(st.integers(0, 2000), min_size=NODES, max_size=NODES)), np.int32)
    threads = np.zeros(len(pairs), np.int64)
    batch, count = noted_and_gathered(pairs, threads, 200, 1, np.array([BALANCED, 5], np.uint64))
    formed_line(degree, batch, count)
    ranks = [int(place) & (1 << RANK_BITS) - 1 for place in batch.line[:count]]
    taken = [batch.candidate[batch.order[rank]] for rank in ranks]
    degrees = [sorted((int(degree[c["u"]]), int(degree[c["v"]])), reverse=True) for c in taken]
    assert list(zip(degrees, ranks, strict=True)) == sorted(zip(degrees, ranks, strict=True))
    places = [int(place_of(*both, rank)) for both, rank in zip(degrees, ranks, strict=True)]
    assert places == batch.line[:count].tolist()
    assert sorted(ranks) == list(range(count))


@given(st.integers(0, 2**32 - 2), st.integers(1, 2**32 - 1), st.integers(0, 2**64 - 1))
def test_keys_of_pairs_differ(u, v, seed):
    """Scrambling is one-to-one: the neighbouring pairs have other keys."""
    around = {(u, v), (u + 1, v), (u, v - 1), (u + 1, v - 1)}
    for ties in (LEXICOGRAPHIC, RANDOM):
        assert len({int(tie_key(a, b, ties, np.uint64(seed))) for a, b in around}) == len(around)


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=60))
def test_the_heap_gives_the_least_first(numbers):
    assert sorted_by_heap(np.array(numbers, np.int64)).tolist() == sorted(numbers)
