"""Counting all pairs again, against sets, whichever words are counted from columns and whichever from lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.instances import interests
from topicweave.algorithms.greedy.loop import all_pairs, columns
from topicweave.algorithms.greedy.problem import membership, reduce
from topicweave.kernels.greedy.membership import connect, num_away
from topicweave.kernels.greedy.pair_table import SEGMENT
from topicweave.kernels.greedy.recount import COLUMN_COST, count_rows_on_threads, list_subscribers, plan
from topicweave.workloads import synthetic

NODES, TOPICS = 150, 260  # more than a segment, more than four words


def _state(seed, num_edges):
    interest = synthetic(NODES, TOPICS, popularity="exponential", subscriptions=(2, 60), seed=seed)
    problem = reduce(interest, None)
    members = membership(problem)
    random = np.random.default_rng(seed)
    for _ in range(num_edges):
        u, v = random.choice(problem.num_nodes, 2, replace=False)
        connect(members, u, v)
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


@pytest.mark.parametrize("num_edges", [0, 5, 300])
@settings(max_examples=40)
@given(seed=st.integers(0, 5), num_threads=st.integers(1, 3), data=st.data())
def test_every_bound_is_lowered_to_the_count(num_edges, seed, num_threads, data):
    """Also the largest of each segment and row; a bound that was lower stays; nothing is there but pairs."""
    problem, members = _state(seed, num_edges)
    by_columns = np.array(data.draw(st.lists(st.booleans(), min_size=problem.words, max_size=problem.words)))
    pairs = all_pairs(problem)
    fresh = num_edges == 0
    excluded = data.draw(st.integers(1, problem.num_nodes - 1))
    if not fresh:
        for bounds in (pairs.bound, pairs.most, pairs.most_open, pairs.row_most):
            bounds.fill(np.iinfo(bounds.dtype).max)
        pairs.bound[excluded] = 0
    views = list_subscribers(members, problem.topic_sizes, *columns(members, by_columns), by_columns)
    middle = data.draw(st.sampled_from([0, 64, 128]))
    for first, last in ((0, middle), (middle, problem.num_nodes)):
        count_rows_on_threads(views, members.rows, pairs, first, last, fresh, np.zeros(1, np.int64), num_threads)
    counts = _counts(problem, members)
    if not fresh:
        counts[0, excluded] = 0
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
    problem = reduce(interest, None)
    members = membership(problem)
    sizes, num_pairs = problem.topic_sizes, problem.num_nodes**2 // 2
    assert sizes[:64].min() > sizes[-64:].max()
    cost, by_columns = plan(members, num_pairs, sizes, COLUMN_COST)
    assert by_columns[0]
    assert not by_columns[-1]
    for u in range(problem.num_nodes - 1):
        connect(members, u, u + 1)
        connect(members, 0, u + 1)
    cost_later, by_columns_later = plan(members, num_pairs, sizes, COLUMN_COST)
    assert cost_later < cost
    assert by_columns_later.sum() < by_columns.sum()


@given(interests(), st.data())
def test_lists_hold_the_subscribers_of_topics_that_are_not_connected(interest, data):
    """After some links: all subscribers of such a topic, those of them that are away, and no others."""
    problem = reduce(interest, None)
    members = membership(problem)
    if problem.num_nodes > 1:
        ends = st.lists(st.integers(0, problem.num_nodes - 1), min_size=2, max_size=2, unique=True)
        for u, v in data.draw(st.lists(ends, max_size=8)):
            connect(members, u, v)
    by_columns = np.array(data.draw(st.lists(st.booleans(), min_size=problem.words, max_size=problem.words)))
    listed = list_subscribers(members, problem.topic_sizes, *columns(members, by_columns), by_columns)
    away = num_away(members, problem.topic_sizes)
    for t in range(problem.num_topics):
        wanting, strayed = [], []
        for v in range(problem.num_nodes):
            for s in range(problem.indptr[v], problem.indptr[v + 1]):
                if problem.topics[s] == t:
                    wanting.append(v)
                    if members.label[s] != members.home[t]:
                        strayed.append(v)
        assert len(strayed) == away[t]
        if by_columns[t >> 6]:
            wanting = strayed = []
        assert _list(listed.topic_indptr, listed.subscribers, t) == (wanting if strayed else [])
        assert _list(listed.away_indptr, listed.away_subscribers, t) == strayed
        assert bool(int(listed.some_away[t >> 6]) >> (t & 63) & 1) == bool(strayed)


def _list(indptr, nodes, t):
    return nodes[indptr[t] : indptr[t + 1]].tolist()
