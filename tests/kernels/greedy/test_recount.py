"""Counting all pairs anew, against sets, whichever words are counted from columns and whichever from lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave.algorithms.greedy import problem as build
from topicweave.kernels.greedy.membership import connect
from topicweave.kernels.greedy.pair_table import SEGMENT
from topicweave.kernels.greedy.recount import count_rows, plan
from topicweave.workloads import synthetic

NODES, TOPICS = 150, 260  # more than a segment, more than four words


def _state(seed, num_links):
    interest = synthetic(NODES, TOPICS, popularity="exponential", subscriptions=(2, 60), seed=seed)
    problem = build.reduce(interest, None)
    members = build.membership(problem)
    random = np.random.default_rng(seed)
    for _ in range(num_links):
        u, v = random.choice(problem.num_nodes, 2, replace=False)
        connect(members, np.int32(u), np.int32(v))
    return problem, members


def _counts(problem, members):
    """For every pair, by definition: the common topics in which one of the two is away from home."""
    topics, away = [], []
    for v in range(problem.num_nodes):
        own = range(problem.indptr[v], problem.indptr[v + 1])
        topics.append({int(problem.topics[s]) for s in own})
        away.append({int(problem.topics[s]) for s in own if members.label[s] != members.home[problem.topics[s]]})
    return {
        (u, v): len(topics[u] & topics[v] & (away[u] | away[v]))
        for u in range(problem.num_nodes)
        for v in range(u + 1, problem.num_nodes)
    }


@pytest.mark.parametrize("num_links", [0, 5, 300])
@given(seed=st.integers(0, 5), workers=st.integers(1, 3), data=st.data())
def test_every_bound_is_lowered_to_the_count(num_links, seed, workers, data):
    """Also the largest of each segment and row; a bound that was lower stays; nothing is there but pairs."""
    problem, members = _state(seed, num_links)
    by_columns = np.array(data.draw(st.lists(st.booleans(), min_size=problem.words, max_size=problem.words)))
    pairs = build.all_pairs(problem)
    fresh = num_links == 0
    if not fresh:
        build.unbound(pairs)
    struck = data.draw(st.integers(1, problem.num_nodes - 1))
    if not fresh:
        build.exclude(problem, pairs, problem.names[[[0, struck]]])
    columns, away = build.columns(members, by_columns)
    lists = build.subscriber_lists(problem, members, by_columns)
    middle = data.draw(st.sampled_from([0, 64, 128]))
    for first, last in ((0, middle), (middle, problem.num_nodes)):
        turn = np.zeros(1, dtype=np.int64)
        count_rows(columns, away, lists, members.rows, pairs, turn, first, last, fresh, workers)
    counts = _counts(problem, members)
    if not fresh:
        counts[0, struck] = 0
    for u in range(problem.num_nodes):
        row = pairs.bound[pairs.start[u] : pairs.start[u + 1]].reshape(-1, SEGMENT).astype(int)
        base = u // SEGMENT * SEGMENT
        expected = np.zeros_like(row)
        for v in range(u + 1, problem.num_nodes):
            expected[(v - base) // SEGMENT, (v - base) % SEGMENT] = counts[u, v]
        largest = expected.max(axis=1)
        assert row[largest > 0].tolist() == expected[largest > 0].tolist()
        for most in (pairs.most, pairs.most_open):
            assert most[pairs.segment[u] : pairs.segment[u + 1]].tolist() == largest.tolist()
        assert pairs.row_most[u] == pairs.row_open[u] == largest.max()


def test_the_plan_takes_lists_where_few_want_a_topic_and_columns_where_many_do():
    """Unless most of the many are at home already: then lists are short for these as well."""
    interest = synthetic(2000, 400, popularity="exponential", subscriptions=(20, 200), seed=0)
    problem = build.reduce(interest, None)
    members = build.membership(problem)
    sizes, num_pairs = problem.topic_sizes, problem.num_nodes**2 // 2
    assert sizes[:64].min() > sizes[-64:].max()
    cost, by_columns = plan(members, num_pairs, sizes, False)
    assert by_columns[0]
    assert not by_columns[-1]
    for u in range(problem.num_nodes - 1):
        connect(members, np.int32(u), np.int32(u + 1))
        connect(members, np.int32(0), np.int32(u + 1))
    cost_later, by_columns_later = plan(members, num_pairs, sizes, False)
    assert cost_later < cost
    assert by_columns_later.sum() < by_columns.sum()
