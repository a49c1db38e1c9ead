"""A refresh lowers bounds to the present, loses no pair of the level, and does so on any number of threads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave.algorithms.greedy.loop import Rule, Task, all_pairs, first_bounds, listed_pairs
from topicweave.algorithms.greedy.problem import membership, reduce
from topicweave.kernels.greedy.level_queue import Preferred, TieOrder, new_buffer
from topicweave.kernels.greedy.membership import bound_of, connect
from topicweave.kernels.greedy.pair_table import SEGMENT, Sought, refresh, take_bounds
from topicweave.kernels.jit import njit
from topicweave.workloads import synthetic

NODES = 150  # more than a segment


@njit
def refreshed(members, mask, pairs, names, level, num_threads):
    """Refresh all rows; return the pairs noted."""
    nobody = Preferred(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))
    buffer = new_buffer(len(pairs.bound), num_threads, TieOrder(names, np.zeros(2, np.uint64), nobody))
    for thread in range(num_threads):
        buffer.last[thread, 0] = ~np.uint64(0)
    sought = Sought(level, max(1, level - 2), True)
    refresh(members, mask, pairs, buffer, np.arange(len(names)), sought, num_threads)
    noted = np.empty((buffer.num.sum(), 2), np.int64)
    size = 0
    for thread in range(num_threads):
        for i in range(buffer.num[thread, 0]):
            candidate = buffer.candidate[thread, i]
            noted[size, 0], noted[size, 1] = candidate.u, candidate.v
            size += 1
    return noted


@pytest.mark.parametrize("is_listed", [False, True], ids=["all pairs", "listed pairs"])
@given(seed=st.integers(0, 3), level=st.integers(1, 12), num_threads=st.integers(1, 3))
def test_a_refresh_notes_the_open_pairs_that_could_be_at_the_level(is_listed, seed, level, num_threads):
    """No more than the bit rows allow and no fewer; segments know their largest bound; closed nodes are passed over."""
    interest = synthetic(NODES, 70, popularity="exponential", subscriptions=(2, 30), seed=seed)
    problem = reduce(interest, None)
    members = membership(problem)
    n = problem.num_nodes
    task = Task(problem, members, np.zeros(n + SEGMENT, np.int32), Rule(), 1, 0)
    given_pairs = np.array([(u, v) for u in range(NODES) for v in range(u + 1, NODES) if (u + v) % 3 == 0])
    pairs = first_bounds(task, given_pairs if is_listed else None, np.empty((0, 2), np.int64), is_fresh=True)
    random = np.random.default_rng(seed)
    for _ in range(200):  # now the bounds are stale
        u, v = random.choice(n, 2, replace=False)
        connect(members, u, v)
    kind = problem.bound_type
    mask = np.where(random.random(n + SEGMENT) < 0.9, np.iinfo(kind).max, 0).astype(kind)
    noted = {tuple(pair) for pair in refreshed(members, mask, pairs, problem.marks, level, num_threads).tolist()}
    expected, largest = set(), np.zeros(n, np.int64)
    for u in range(n):
        for v in range(u + 1, n):
            if is_listed and sum(problem.names[[u, v]]) % 3:
                continue
            bound = int(bound_of(members.rows, u, v))
            largest[u] = max(largest[u], bound)
            if bound >= level and mask[v]:
                expected.add((u, v))
    assert noted == expected
    assert (pairs.row_most >= largest).all()
    for u in range(n):
        assert pairs.row_most[u] == pairs.most[pairs.segment[u] : pairs.segment[u + 1]].max(initial=0)


def test_known_bounds_are_taken():
    """Bounds that were counted before stand at their pairs, and each row's largest is known."""
    interest = synthetic(300, 20, subscriptions=(2, 9), seed=0)
    problem = reduce(interest, None)
    pairs = listed_pairs(problem, np.array([(0, v) for v in range(1, 300)] + [(1, 2)]))
    bounds = np.arange(len(pairs.partners), dtype=np.int32)
    take_bounds(pairs, bounds)
    assert pairs.bound.tolist() == bounds.tolist()
    for u in range(problem.num_nodes):
        row = bounds[pairs.start[u] : pairs.start[u + 1]]
        assert pairs.row_most[u] == row.max(initial=0)
        for k, s in enumerate(range(pairs.segment[u], pairs.segment[u + 1])):
            assert pairs.most[s] == pairs.most_open[s] == row[k * SEGMENT : (k + 1) * SEGMENT].max()


def test_rows_of_the_dense_table_hold_every_later_node_once():
    problem = reduce(synthetic(200, 20, subscriptions=3, seed=0), None)
    pairs = all_pairs(problem)
    for u in range(problem.num_nodes):
        base = u // SEGMENT * SEGMENT
        length = pairs.start[u + 1] - pairs.start[u]
        assert length % SEGMENT == 0
        assert base + length >= problem.num_nodes
        assert length == SEGMENT * (pairs.segment[u + 1] - pairs.segment[u])
