"""The pairs of a level come out in tie order, however many there are and whichever thread noted them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reference
from topicweave.kernels.greedy.level_queue import (
    BALANCED,
    LEXICOGRAPHIC,
    RANDOM,
    RANK_BITS,
    Preferred,
    TieOrder,
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
from topicweave.kernels.labels import label_hashes

NODES = 40
NUMBERS, MARKS = np.arange(NODES, dtype=np.uint64), label_hashes([f"n{node}" for node in range(NODES)])
NOBODY = np.empty((0, 2), np.int64)


def names_for(ties):
    return NUMBERS if ties == LEXICOGRAPHIC else MARKS


def rows_of(pairs):
    """Pairs as rows of the lower end; their turns are as they come."""
    turns = {tuple(pair): turn for turn, pair in enumerate(pairs.tolist())}
    ordered = sorted(turns)
    start = np.searchsorted([low for low, _ in ordered], np.arange(NODES + 1)).astype(np.int64)
    partners = np.array([high for _, high in ordered], np.int32)
    return Preferred(start, partners, np.array([turns[pair] for pair in ordered], np.int64))


@njit
def noted_and_gathered(pairs, threads, size, num_threads, names, ties, preferred):
    """Note these pairs, each by its thread, and gather a batch; return it, how many it holds, and the buffer."""
    buffer, batch = new_buffer(size, num_threads, TieOrder(names, ties, preferred)), new_batch(size)
    empty_buffer(buffer)
    for i in range(len(pairs)):
        hits = np.full(1, pairs[i, 1], np.int64)
        note(buffer, threads[i], np.empty(0, np.int32), pairs[i, 0], np.int64(1000 * i), np.int64(0), hits, 1)
    count = gather(buffer, len(pairs), batch)
    return batch, count, buffer


@njit
def formed_line(degree, buffer, batch, size):
    return line_up(degree, buffer, batch, size)


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
    names = names_for(ties)
    return int(tie_key(names[pair[0]], names[pair[1]], ties, np.uint64(seed)))


@pytest.mark.parametrize("ties", [LEXICOGRAPHIC, RANDOM, BALANCED])
@given(data=st.data(), num_threads=st.integers(1, 3))
def test_a_batch_holds_the_first_pairs_in_order(ties, data, num_threads):
    """All of them if they fit, else the first, at least half a batch; by whichever threads they were noted."""
    pairs = drawn_pairs(data)
    size = data.draw(st.sampled_from([8, 30, 200]))
    threads = np.array(
        data.draw(st.lists(st.integers(0, num_threads - 1), min_size=len(pairs), max_size=len(pairs))), np.int64
    )
    liked = data.draw(st.sampled_from([NOBODY, pairs[::3], pairs]))
    batch, count, _ = noted_and_gathered(
        pairs, threads, size, num_threads, names_for(ties), np.array([ties, 5], np.uint64), rows_of(liked)
    )
    turn = {tuple(pair): at for at, pair in enumerate(liked.tolist())}
    expected = sorted(
        (tuple(pair) not in turn, turn.get(tuple(pair), key(pair, ties)), *pair) for pair in pairs.tolist()
    )
    taken = [batch.candidate[i] for i in batch.order[:count]]
    assert [(int(c["u"]), int(c["v"])) for c in taken] == [(u, v) for _, _, u, v in expected[:count]]
    assert count == len(pairs) if len(pairs) <= size else size // 2 <= count <= size
    for c in taken:
        assert pairs[int(c["entry"]) // 1000].tolist() == [c["u"], c["v"]]
        assert int(c["entry"]) % 1000 == c["v"]


@given(st.data())
def test_the_line_is_by_degrees_and_then_by_rank(data):
    pairs = drawn_pairs(data)
    degree = np.array(data.draw(st.lists(st.integers(0, 2000), min_size=NODES, max_size=NODES)), np.int32)
    threads = np.zeros(len(pairs), np.int64)
    liked = data.draw(st.sampled_from([NOBODY, pairs[::3], pairs]))
    batch, count, buffer = noted_and_gathered(
        pairs, threads, 200, 1, MARKS, np.array([BALANCED, 5], np.uint64), rows_of(liked)
    )
    num_preferred = formed_line(degree, buffer, batch, count)
    assert num_preferred == len(liked)
    ranks = [int(place) & (1 << RANK_BITS) - 1 for place in batch.line[:count]]
    taken = [batch.candidate[batch.order[rank]] for rank in ranks]
    degrees = [sorted((int(degree[c["u"]]), int(degree[c["v"]])), reverse=True) for c in taken]
    are_liked = set(map(tuple, liked.tolist()))
    in_line = [
        (True, both, rank) if (c["u"], c["v"]) not in are_liked else (False, [0, 0], rank)
        for c, both, rank in zip(taken, degrees, ranks, strict=True)
    ]
    assert in_line == sorted(in_line)
    places = [int(place_of(*both, rank, num_preferred)) for both, rank in zip(degrees, ranks, strict=True)]
    assert places == batch.line[:count].tolist()
    assert sorted(ranks) == list(range(count))


@given(st.integers(0, 2**31 - 3), st.integers(1, 2**31 - 2))
def test_keys_of_numbers_are_in_their_order(u, v):
    """The lower number first, then the higher, whichever is given first; the highest bit stays free."""
    around = [(u, v), (u, v + 1), (u + 1, v), (u + 1, v + 1)]
    keys = [int(tie_key(np.uint64(a), np.uint64(b), LEXICOGRAPHIC, np.uint64(0))) for a, b in around]
    assert [key for _, key in sorted((sorted(pair), key) for pair, key in zip(around, keys, strict=True))] == sorted(
        keys
    )
    assert max(keys) < 2**63
    assert keys[1] == tie_key(np.uint64(v + 1), np.uint64(u), LEXICOGRAPHIC, np.uint64(0))


@given(st.text(max_size=6), st.text(max_size=6), st.integers(0, 2**64 - 1))
def test_keys_of_labels_are_the_twins(one, other, seed):
    """Hashes of the labels, added and scrambled; by code of the test's own, on numbers of any size."""
    marks = label_hashes([one, other])
    assert marks.tolist() == [reference.label_hash(one), reference.label_hash(other)]
    for ties in (RANDOM, BALANCED):
        assert int(tie_key(*marks, ties, np.uint64(seed))) == reference.tie_key(one, other, seed)


def test_equal_hashes_do_not_depend_on_threads():
    """Labels whose hashes are equal do not occur by chance; should they, the pair that is first in the table is."""
    pairs = np.array([(u, v) for u in range(10) for v in range(u + 1, 10)], np.int64)
    names, ties = np.zeros(NODES, np.uint64), np.array([RANDOM, 5], np.uint64)
    found = []
    for threads in (np.arange(len(pairs)) % 3, np.arange(len(pairs))[::-1] // 20):
        batch, count, _ = noted_and_gathered(pairs, threads, 200, 3, names, ties, rows_of(NOBODY))
        found.append([int(batch.candidate[i]["entry"]) for i in batch.order[:count]])
    assert found[0] == found[1] == sorted(found[0])


@given(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=60))
def test_the_heap_gives_the_least_first(numbers):
    assert sorted_by_heap(np.array(numbers, np.int64)).tolist() == sorted(numbers)
