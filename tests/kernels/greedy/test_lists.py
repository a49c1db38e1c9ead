"""Subscriber lists, against sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.instances import interests
from topicweave.algorithms.greedy import problem as build
from topicweave.kernels.greedy.membership import connect, num_away


@given(interests(), st.data())
def test_lists_hold_the_subscribers_of_topics_that_are_not_connected(interest, data):
    """After some links: everybody who wants such a topic, those of them that are away, and nobody else."""
    problem = build.reduce(interest, None)
    members = build.membership(problem)
    if problem.num_nodes > 1:
        ends = st.lists(st.integers(0, problem.num_nodes - 1), min_size=2, max_size=2, unique=True)
        for u, v in data.draw(st.lists(ends, max_size=8)):
            connect(members, np.int32(u), np.int32(v))
    left_out = np.array(data.draw(st.lists(st.booleans(), min_size=problem.words, max_size=problem.words)))
    listed = build.subscriber_lists(problem, members, left_out)
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
        if left_out[t >> 6]:
            wanting = strayed = []
        assert _list(listed.topic_indptr, listed.subscribers, t) == (wanting if strayed else [])
        assert _list(listed.away_indptr, listed.away_subscribers, t) == strayed
        assert bool(int(listed.some_away[t >> 6]) >> (t & 63) & 1) == bool(strayed)


def _list(indptr, nodes, t):
    return nodes[indptr[t] : indptr[t + 1]].tolist()
