"""Interest: three ways to build it, one result; frozen; two views that agree."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests import instances
from topicweave.errors import InputError
from topicweave.model import Interest

PAIRS = [("b", "sport"), ("a", "news"), ("b", "news"), ("c", "sport")]
label_pairs = st.lists(st.tuples(st.integers(-3, 12), st.integers(0, 12)))


@pytest.fixture
def small() -> Interest:
    """Three nodes, two topics, four subscriptions."""
    return Interest.from_pairs(PAIRS)


class TestBuilding:
    def test_labels_are_numbered_in_sorted_order(self, small):
        """Not in the order they came."""
        assert small.nodes == ("a", "b", "c")
        assert small.topics == ("news", "sport")
        assert small.indptr.tolist() == [0, 1, 3, 4]
        assert small.indices.tolist() == [0, 0, 1, 1]
        assert (small.num_nodes, small.num_topics, small.num_subscriptions) == (3, 2, 4)

    def test_the_three_ways_agree(self, small):
        """Pairs, sets, a dense matrix and a sparse one, with rows and columns in another order."""
        matrix = np.array([[1, 0], [0, 1], [1, 1]])
        labels = {"nodes": ["c", "a", "b"], "topics": ["sport", "news"]}
        assert Interest.from_sets({"c": {"sport"}, "a": ["news"], "b": ("sport", "news")}) == small
        assert Interest.from_matrix(matrix, **labels) == small
        assert Interest.from_matrix(matrix.tolist(), **labels) == small
        assert Interest.from_matrix(sparse.coo_array(matrix), **labels) == small
        assert Interest.from_matrix(sparse.csr_matrix(matrix), **labels) == small

    @given(label_pairs, st.randoms(use_true_random=False))
    def test_order_and_repetition_do_not_matter(self, pairs, rnd):
        """Numbers become labels by str(); a pair listed twice counts once."""
        shuffled = pairs * 2
        rnd.shuffle(shuffled)
        interest = Interest.from_pairs(shuffled)
        assert interest == Interest.from_pairs(pairs)
        assert list(interest.pairs()) == sorted({(str(node), str(topic)) for node, topic in pairs})

    def test_labels_are_converted_by_str(self):
        """Whatever can be hashed may name something; its str() is the name."""
        interest = Interest.from_pairs([(7, 1.5), (Fraction(1, 2), ("x", 1)), (np.int64(7), True)])
        assert interest.nodes == ("1/2", "7")
        assert interest.topics == ("('x', 1)", "1.5", "True")
        assert interest.num_subscriptions == 3

    @pytest.mark.parametrize("values", [(1, 1.0, True), (1.0, True, 1), (True, 1, 1.0)])
    def test_equal_values_with_different_names_are_different_labels(self, values):
        """1 == 1.0 == True in Python, but their names differ, and which came first must not matter."""
        for interest in (
            Interest.from_pairs((value, value) for value in values),
            Interest.from_sets({str(value): [value] for value in values}),
        ):
            assert interest.nodes == interest.topics == ("1", "1.0", "True")

    def test_one_name_from_two_types_is_one_label(self):
        """7 and "7" are the same node, with the topics of both."""
        assert Interest.from_sets({7: ["x"], "7": ["y"]}).to_sets() == {"7": {"x", "y"}}

    @pytest.mark.parametrize("pair", [("a",), ("a", "x", "y"), 5, None, (), "ax"])
    def test_an_entry_that_is_no_pair(self, pair):
        """The entry is shown; a string of two letters is not a pair either."""
        with pytest.raises(InputError, match="pair") as caught:
            Interest.from_pairs([("a", "x"), pair])
        assert repr(pair) in str(caught.value)

    @pytest.mark.parametrize("wanted", ["news", 5, None])
    def test_topics_that_are_no_collection(self, wanted):
        """One string, a number and nothing are refused with the node's name."""
        with pytest.raises(InputError, match="'a'"):
            Interest.from_sets({"a": wanted})

    def test_nodes_without_topics_stay(self):
        """Through from_sets and from_matrix; from_pairs cannot name them."""
        assert Interest.from_sets({"a": [], "b": ["x"]}).indptr.tolist() == [0, 0, 1]
        assert Interest.from_matrix([[0], [1]], ["a", "b"], ["x"]) == Interest.from_sets({"a": [], "b": ["x"]})

    def test_unlabelled_matrix_sorts_as_numbers(self):
        """Eleven rows are called 00 .. 10, so that row 10 does not come after row 1."""
        interest = Interest.from_matrix(np.eye(11, 3))
        assert interest.nodes[2] == "02" and interest.nodes[10] == "10"
        assert interest.topics == ("0", "1", "2")

    def test_stored_zeros_are_no_subscriptions_and_the_matrix_is_left_alone(self):
        """The caller's sparse matrix, with a stored zero and a column order of its own, is not touched."""
        matrix = sparse.csr_array((np.array([2, 0, 3]), np.array([2, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))
        before = [array.copy() for array in (matrix.data, matrix.indices, matrix.indptr)]
        assert Interest.from_matrix(matrix).indices.tolist() == [2, 1]
        for array, kept in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
            assert array.tolist() == kept.tolist()

    def test_matrix_with_too_few_labels(self):
        """Both counts are in the message."""
        with pytest.raises(InputError, match="2 nodes but 1 labels"):
            Interest.from_matrix(np.eye(2), nodes=["a"])

    def test_matrix_with_a_label_twice(self):
        """Two rows of one name are not merged silently."""
        with pytest.raises(InputError, match=r"Two .*called"):
            Interest.from_matrix(np.eye(2), nodes=["a", "a"])

    def test_csr_rows_may_come_unsorted_and_with_duplicates(self, small):
        """They are put in order once."""
        assert Interest.from_csr(("a", "b", "c"), ("news", "sport"), [0, 1, 4, 5], [0, 1, 0, 1, 1]) == small

    @pytest.mark.parametrize(
        ("nodes", "indptr", "indices", "message"),
        [
            (("a",), [0, 1, 2], [0, 0], "row starts"),
            (("a", "b"), [0, 1, 2], [0, 5], "Topic numbers"),
            (("a", "b"), [0, 1, 2], [0, -1], "Topic numbers"),
            (("b", "a"), [0, 1, 2], [0, 0], "sorted"),
            (("a", "a"), [0, 1, 2], [0, 0], "Two nodes are called"),
        ],
    )
    def test_csr_that_does_not_fit(self, nodes, indptr, indices, message):
        """Wrong lengths, unknown topics and unsorted labels each have their sentence."""
        with pytest.raises(InputError, match=message):
            Interest.from_csr(nodes, ("x",), indptr, indices)

    def test_the_empty_interest_is_legal(self):
        """The last node may leave."""
        for empty in (Interest.from_pairs([]), Interest.from_sets({}), Interest.from_matrix(np.empty((0, 0)))):
            assert (empty.num_nodes, empty.num_topics, empty.num_subscriptions) == (0, 0, 0)
            assert empty.to_scipy().shape == (0, 0)
            assert empty.subscribers[0].tolist() == [0]
            assert list(empty.pairs()) == []
            assert empty == Interest.from_sets({})


class TestViews:
    @given(instances.interests())
    def test_the_two_views_agree(self, interest):
        """By node and by topic, the same subscriptions, each ascending."""
        starts, nodes = interest.subscribers
        by_topic = {(int(v), t) for t in range(interest.num_topics) for v in nodes[starts[t] : starts[t + 1]].tolist()}
        by_node = set()
        for v in range(interest.num_nodes):
            row = interest.indices[interest.indptr[v] : interest.indptr[v + 1]].tolist()
            assert row == sorted(set(row))
            by_node |= {(v, t) for t in row}
        for t in range(interest.num_topics):
            column = nodes[starts[t] : starts[t + 1]].tolist()
            assert column == sorted(set(column))
        assert by_topic == by_node
        assert len(nodes) == len(interest.indices) == len(by_node)

    @given(instances.interests())
    def test_scipy_round_trip(self, interest):
        """Boolean, columns sorted in each row, and back."""
        matrix = interest.to_scipy()
        assert matrix.dtype == bool and matrix.shape == (interest.num_nodes, interest.num_topics)
        assert matrix.has_sorted_indices and matrix.nnz == interest.num_subscriptions
        assert Interest.from_matrix(matrix, interest.nodes, interest.topics) == interest

    def test_the_scipy_matrix_is_the_callers_own(self, small):
        """Writing to it does not reach the interest."""
        matrix = small.to_scipy()
        matrix.data[:] = False
        matrix.indices[:] = 0
        assert small == Interest.from_pairs(PAIRS)

    def test_by_label(self, small):
        """Topics of a node, subscribers of a topic, all pairs, all sets."""
        assert small.topics_of("b") == {"news", "sport"}
        assert small.subscribers_of("sport") == {"b", "c"}
        assert list(small.pairs()) == [("a", "news"), ("b", "news"), ("b", "sport"), ("c", "sport")]
        assert small.to_sets() == {"a": {"news"}, "b": {"news", "sport"}, "c": {"sport"}}
        assert small.node_numbers == {"a": 0, "b": 1, "c": 2}
        assert small.topic_numbers == {"news": 0, "sport": 1}

    def test_unknown_labels_are_named(self, small):
        """With what to do about it."""
        with pytest.raises(InputError, match="no node 'z' among the 3 known; check"):
            small.topics_of("z")
        with pytest.raises(InputError, match="no topic 'z' among the 2 known; check"):
            small.subscribers_of("z")

    def test_repr_says_the_sizes(self, small):
        """Not the arrays."""
        assert repr(small) == "Interest(3 nodes, 2 topics, 4 subscriptions)"


class TestVariants:
    def test_restrict_keeps_topics_nobody_is_left_for(self, small):
        """Without b and c, sport has no subscriber but stays."""
        part = small.restrict(nodes=["a"])
        assert part.nodes == ("a",) and part.topics == ("news", "sport")
        assert part.to_sets() == {"a": {"news"}}
        assert small.restrict(topics=["sport"]).to_sets() == {"a": set(), "b": {"sport"}, "c": {"sport"}}
        assert small.restrict(nodes=["c", "b"], topics=["news"]).to_sets() == {"b": {"news"}, "c": set()}
        assert small.restrict() == small

    def test_restrict_to_nothing(self, small):
        """No nodes with all topics; no topics with all nodes."""
        assert small.restrict(nodes=[]).num_topics == 2
        assert small.restrict(topics=[]).num_nodes == 3

    def test_restrict_refuses_strangers(self, small):
        """Of either kind."""
        with pytest.raises(InputError, match="no node 'z'"):
            small.restrict(nodes=["z"])
        with pytest.raises(InputError, match="no topic 'z'"):
            small.restrict(topics=["z"])

    def test_add_and_remove(self, small):
        """A new interest each; the old one does not change."""
        more = small.add({9: ["art", "news"]})
        assert more.nodes == ("9", "a", "b", "c") and more.topics == ("art", "news", "sport")
        assert more.topics_of("9") == {"art", "news"}
        assert more.remove(["9"]) == small == Interest.from_pairs(PAIRS)
        assert small.remove(["b", "c"]).topics == ("news",)
        assert small.remove(["a", "b", "c"]) == Interest.from_sets({})

    def test_add_refuses_a_node_that_is_there(self, small):
        """Whatever type its label has."""
        with pytest.raises(InputError, match="'a' is already there"):
            small.add({"a": ["art"]})

    def test_add_takes_topics_as_from_sets_does(self, small):
        """One string is refused, not split into letters; two keys of one name are one node."""
        with pytest.raises(InputError, match="'art'"):
            small.add({"d": "art"})
        assert small.add({7: ["x"], "7": ["y"]}).topics_of("7") == {"x", "y"}

    def test_remove_refuses_strangers(self, small):
        """A misspelt node is not silently kept."""
        with pytest.raises(InputError, match="no node 'z'"):
            small.remove(["a", "z"])

    @given(instances.interests())
    def test_removing_and_adding_again_changes_nothing(self, interest):
        """As long as every topic has a subscriber, which from_sets sees to."""
        for node in interest.nodes[:3]:
            wanted = interest.topics_of(node)
            assert interest.remove([node]).add({node: wanted}) == interest


class TestFrozen:
    def test_attributes_cannot_be_set(self, small):
        """A frozen dataclass."""
        with pytest.raises(AttributeError):
            small.nodes = ("x",)

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_arrays_cannot_be_written(self, small, protocol):
        """Nor after a journey through pickle or deepcopy, with cached views used before or not."""
        _ = small.subscribers, small.node_numbers, small.topic_numbers
        again = pickle.loads(pickle.dumps(small, protocol))
        for interest in (small, again, copy.deepcopy(small)):
            for array in (interest.indptr, interest.indices, *interest.subscribers):
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 1
        assert again == small and again.node_numbers == small.node_numbers

    def test_the_arrays_given_stay_the_callers(self):
        """from_csr copies: writing to the source later changes nothing."""
        indptr, indices = np.array([0, 1, 2]), np.array([0, 1])
        labels: list = [1, "b"]
        interest = Interest.from_csr(labels, ("x", "y"), indptr, indices)
        indices[:] = 0
        labels[0] = "changed"
        assert interest.indices.tolist() == [0, 1]
        assert interest.nodes == ("1", "b")

    def test_pickle_does_not_carry_the_caches(self, small):
        """They are cheap to make again and would double what Spark sends."""
        plain = len(pickle.dumps(small))
        _ = small.subscribers, small.node_numbers
        assert len(pickle.dumps(small)) == plain

    def test_equality_is_by_content_and_there_is_no_hash(self, small):
        """Another object is not equal, nor comparable by accident."""
        assert small != Interest.from_pairs(PAIRS[:-1])
        assert small != "small"
        with pytest.raises(TypeError, match="unhashable"):
            hash(small)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Interest.from_matrix([1, 0, 1]), "1 dimensions"),
        (lambda: Interest.from_matrix([["a", "b"]]), "numbers"),
        (lambda: Interest.from_matrix([[np.nan, 1.0]]), "NaN"),
        (lambda: Interest.from_matrix([[1], [1, 2]]), "differ in length"),
        (lambda: Interest.from_csr(["a"], ["s", "t"], [0, 1], [0.5]), "whole numbers"),
        (lambda: Interest.from_csr([None], ["t"], [0, 1], [0]), "missing (None)"),
        (lambda: Interest.from_csr([float("nan")], ["t"], [0, 1], [0]), "missing (nan)"),
        (lambda: Interest.from_csr(["a", None], ["t"], [0, 1, 1], [0]), "missing (None)"),
        (lambda: Interest.from_csr([["a"]], ["t"], [0, 1], [0]), "cannot name anything"),
        (lambda: Interest.from_csr(["a"], ["t"], [0, 5], [0]), "row starts"),
        (lambda: Interest.from_csr(["a", "b"], ["t"], [0, 1, 0], [0]), "row starts"),
        (lambda: Interest.from_csr(["a"], ["t"], [0, 1], np.array([2**32])), "0..0"),
        (lambda: Interest(("a",), ("s", "t"), np.array([0, 2]), np.array([1, 0], dtype=np.int32)), "ascending"),
        (lambda: Interest.from_sets({"ab": ["t"]}).restrict(nodes="ab"), "put it in a list"),
        (lambda: Interest.from_matrix(np.eye(2), nodes="ab"), "put it in a list"),
        (lambda: Interest.from_matrix(np.eye(2), topics=5), "put it in a list"),
        (lambda: Interest.from_sets({"a": b"xy"}), "give a list or set"),
    ],
)
def test_malformed_arrays_are_answered_in_a_sentence(build, says):
    """No raw numpy or scipy error, and nothing silently misread."""
    with pytest.raises(InputError) as caught:
        build()
    assert says in str(caught.value)


def test_roles_say_who_publishes_and_who_receives():
    """A publisher is a member; a pair in both lists has both roles."""
    interest = Interest.from_pairs([("a", "x"), ("b", "x")], publishers=[("b", "x"), ("c", "x"), ("c", "y")])
    assert interest.subscribers_of("x") == {"a", "b", "c"}
    assert interest.publishers_of("x") == {"b", "c"}
    assert interest.receives.tolist() == [True, True, False, False]
    assert interest.roles.tolist() == [1, 3, 2, 2]
    assert interest.remove(["a"]).roles.tolist() == [3, 2, 2]
    assert interest.add({"d": ["y"]}).publishers_of("y") == {"c"}
    assert interest.restrict(nodes=["b", "c"], topics=["x"]).roles.tolist() == [3, 2]
    assert interest != Interest.from_pairs(interest.pairs())
    assert pickle.loads(pickle.dumps(interest)) == interest


def test_roles_are_none_where_everybody_only_subscribes():
    interest = Interest.from_pairs([("a", "x"), ("b", "x")], publishers=[])
    assert interest.roles is None
    assert interest.publishers_of("x") == frozenset()


def test_roles_of_pairs_listed_twice_are_joined():
    interest = Interest.from_csr(["a"], ["x", "y"], [0, 3], [1, 0, 1], roles=[1, 1, 2])
    assert interest.roles.tolist() == [1, 3]


def test_roles_out_of_range_are_refused():
    with pytest.raises(InputError, match="roles must be 1 numbers"):
        Interest.from_csr(["a"], ["x"], [0, 1], [0], roles=[4])
