"""The problem is the part of an interest that links can change, in the order of the sweep, and nothing is lost."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import topicweave as tw
from topicweave.algorithms.greedy.problem import aligned, codes, membership, reduce
from topicweave.kernels.intrinsics import LINE_BYTES

INTERESTS = st.dictionaries(
    st.sampled_from("abcdefghij"), st.frozensets(st.sampled_from("pqrstuv"), max_size=7), min_size=1
)


@given(topics_of=INTERESTS, only=st.none() | st.frozensets(st.integers(0, 6)))
def test_what_links_can_change_is_kept_and_nothing_else(topics_of, only):
    """A topic stays if it is asked for and two nodes want it, a node if a topic of it stays."""
    interest = tw.Interest.from_sets(topics_of)
    chosen = None if only is None else [t for t in sorted(only) if t < interest.num_topics]
    wanted = {
        topic
        for number, topic in enumerate(interest.topics)
        if (chosen is None or number in chosen) and sum(topic in topics for topics in topics_of.values()) >= 2
    }
    problem = reduce(interest, None if chosen is None else np.array(chosen, dtype=np.int64))
    names = [topic for topic in interest.topics if topic in wanted]
    found = {
        interest.nodes[problem.names[v]]: {
            names[t] for t in problem.topics[problem.indptr[v] : problem.indptr[v + 1]].tolist()
        }
        for v in range(problem.num_nodes)
    }
    assert found == {node: set(topics) & wanted for node, topics in topics_of.items() if set(topics) & wanted}
    assert problem.topic_sizes.tolist() == [sum(name in topics for topics in topics_of.values()) for name in names]


@given(topics_of=INTERESTS)
def test_nodes_come_by_falling_number_of_topics(topics_of):
    """Equals stay in the order of the interest; ``position`` undoes ``names``."""
    problem = reduce(tw.Interest.from_sets(topics_of), None)
    sizes = np.diff(problem.indptr).tolist()
    assert sorted(zip((-size for size in sizes), problem.names.tolist(), strict=True)) == list(
        zip((-size for size in sizes), problem.names.tolist(), strict=True)
    )
    assert problem.position[problem.names].tolist() == list(range(problem.num_nodes))
    assert np.count_nonzero(problem.position < 0) == len(problem.position) - problem.num_nodes


def test_every_subscription_begins_as_a_component_of_its_own():
    problem = reduce(tw.workloads.synthetic(40, 90, subscriptions=(2, 20), seed=1), None)
    members = membership(problem)
    assert len(set(members.label.tolist())) == len(problem.topics)
    sizes = np.diff(problem.indptr)
    assert (members.away[: problem.num_nodes] == sizes).all()
    assert np.bitwise_count(members.rows[:, 0]).sum(axis=1).tolist() == sizes.tolist()


def test_arrays_begin_where_a_cache_line_does():
    for shape in ((1,), (7, 3), (5, 2, 9)):
        array = aligned(shape, np.uint64)
        assert array.shape == shape
        assert array.ctypes.data % LINE_BYTES == 0


def test_a_pair_has_one_code_whichever_end_comes_first():
    pairs = np.array([[3, 1], [1, 3], [0, 9]])
    assert codes(pairs, 10).tolist() == [13, 13, 9]
