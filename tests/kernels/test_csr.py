"""Lists by node and by topic, against sets."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topicweave.kernels import csr

NODES, TOPICS = 7, 9
SUBSCRIPTIONS = st.lists(st.sets(st.integers(0, TOPICS - 1)), min_size=NODES, max_size=NODES)


def arrays(sets):
    topics = np.array([t for own in sets for t in sorted(own)], np.int32)
    return csr.starts_of(np.array([len(own) for own in sets], np.int64)), topics


def rows(indptr, items):
    return [items[a:b].tolist() for a, b in pairwise(indptr)]


@given(SUBSCRIPTIONS)
def test_by_topic(sets):
    """The subscribers of each topic, ascending, are those of the sets."""
    indptr, topics = arrays(sets)
    sizes = csr.sizes_of(topics, TOPICS)
    expected = [[v for v in range(NODES) if t in sets[v]] for t in range(TOPICS)]
    assert sizes.tolist() == [len(row) for row in expected]
    assert rows(*csr.subscribers_of(indptr, topics, sizes)) == expected


@given(SUBSCRIPTIONS, st.sets(st.integers(0, TOPICS - 1)), st.permutations(range(NODES)))
def test_renumbered_without_some_topics(sets, left_out, order):
    """Rows in any order, topics renumbered and some of them left out, are those of the sets."""
    indptr, topics = arrays(sets)
    left = [t for t in range(TOPICS) if t not in left_out]
    number = np.array([left.index(t) if t in left else csr.LEFT_OUT for t in range(TOPICS)], np.int32)
    sizes = csr.sizes_left(indptr, topics, number)
    assert sizes.tolist() == [len(own - left_out) for own in sets]
    made = csr.renumber(indptr, topics, number, np.array(order, np.int64), sizes)
    assert rows(*made) == [[left.index(t) for t in sorted(sets[v] - left_out)] for v in order]


@given(SUBSCRIPTIONS, st.data())
def test_subscribers_away_are_those_whose_label_is_not_the_home(sets, data):
    indptr, topics = arrays(sets)
    label = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(topics), max_size=len(topics))), np.int32)
    home = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=TOPICS, max_size=TOPICS)), np.int32)
    owner = np.repeat(np.arange(NODES), np.diff(indptr))
    expected = [owner[(topics == t) & (label != home[t])].tolist() for t in range(TOPICS)]
    assert rows(*csr.subscribers_away(indptr, topics, label, home)) == expected
