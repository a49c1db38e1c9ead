"""The parts of the loop over stars: rows of bits, neighbour counts and exact scores, against sets and fractions."""

from fractions import Fraction

import numpy as np
import pytest

import topicweave as tw
from topicweave.kernels import stars

RARE = "seen by two of many"


@pytest.fixture(scope="module")
def interest():
    """Some popular topics and one that is held as a list of its few subscribers, open and closed."""
    rng = np.random.default_rng(4)
    pairs = [(f"n{v:03}", f"t{t}") for v in range(200) for t in range(5) if rng.random() < 0.2]
    return tw.Interest.from_pairs([*pairs, ("n001", RARE), ("n150", RARE)])


def bits(seen):
    """The numbers of the bits that are set."""
    return {64 * word + bit for word in range(len(seen)) for bit in range(64) if int(seen[word]) >> bit & 1}


def test_popular_topics_are_rows_of_bits(interest):
    """One row for each topic with a subscriber in 64 nodes; the others have none."""
    start, nodes = interest.subscribers
    row_of, rows = stars.popular_rows(start, nodes, interest.num_nodes)
    for t, topic in enumerate(interest.topics):
        subscribers = set(nodes[start[t] : start[t + 1]].tolist())
        assert (row_of[t] >= 0) == (64 * len(subscribers) >= interest.num_nodes)
        assert row_of[t] < 0 or bits(rows[row_of[t]]) == subscribers
        assert row_of[t] >= 0 or topic == RARE


def test_neighbours_are_those_with_an_open_topic_in_common(interest):
    """Every node that shares open topics is counted once, however many it shares; closed topics count no one."""
    start, nodes = interest.subscribers
    row_of, rows = stars.popular_rows(start, nodes, interest.num_nodes)
    open_topic = np.array([topic not in ("t0", "t3") for topic in interest.topics])
    rare = [interest.node_numbers[name] for name in ("n001", "n150")]
    for v in [*rare, *range(0, interest.num_nodes, 20)]:
        topics = interest.indices[interest.indptr[v] : interest.indptr[v + 1]]
        seen = np.zeros((interest.num_nodes + 63) // 64, dtype=np.uint64)
        count = stars.mark_neighbours(topics, open_topic, start, nodes, row_of, rows, seen)
        shared = [set(nodes[start[t] : start[t + 1]].tolist()) for t in topics.tolist() if open_topic[t]]
        assert bits(seen) == set().union(*shared)
        assert count == len(bits(seen))


def test_the_heap_gives_the_highest_score_and_of_equals_the_lowest_number():
    """Scores are compared as fractions: 2/6 equals 1/3, and 10**9 + 1 over 10**9 is more than 1."""
    rng = np.random.default_rng(0)
    numerator, denominator = rng.integers(0, 4, 30), rng.integers(1, 4, 30)
    numerator[[3, 4, 5]], denominator[[3, 4, 5]] = [10**9 + 1, 10**9, 7], [10**9, 10**9, 7]
    heap, place = np.arange(30), np.arange(30)
    for v in range(30):
        stars.reposition(heap, place, numerator, denominator, v)
    for _ in range(40):
        score = [Fraction(int(a), int(b)) for a, b in zip(numerator, denominator, strict=True)]
        assert heap[0] == max(range(30), key=lambda v: (score[v], -v))
        assert place[heap].tolist() == list(range(30))
        changed = int(rng.integers(30))
        numerator[changed], denominator[changed] = rng.integers(0, 9), rng.integers(1, 9)
        stars.reposition(heap, place, numerator, denominator, changed)
