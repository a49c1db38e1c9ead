"""Edge lists from whatever people have."""

import numpy as np
import pytest

from topicweave.errors import InputError, LabelError
from topicweave.model import Interest
from topicweave.workloads import EdgeList, as_edge_list


def test_pairs_keep_their_order_and_users_are_sorted():
    listed = as_edge_list([("b", "a"), ("c", "b"), ("b", "a")])
    assert listed.users == ("a", "b", "c")
    assert listed.ends.tolist() == [[1, 0], [2, 1], [1, 0]]
    assert list(listed) == [("b", "a"), ("c", "b"), ("b", "a")]
    assert repr(listed) == "EdgeList(3 users, 3 pairs)"


@pytest.mark.parametrize("kind", [np.int64, np.uint8, object, str])
def test_arrays_equal_the_same_pairs(kind):
    """Labels are str and sort as such: "10" comes before "9"."""
    pairs = [(9, 10), (10, 2)]
    listed = as_edge_list(np.array(pairs).astype(kind))
    assert listed == as_edge_list(pairs)
    assert listed.users == ("10", "2", "9")


def test_an_edge_list_is_taken_as_it_is():
    listed = as_edge_list([("a", "b")])
    assert as_edge_list(listed) is listed


def test_an_interest_becomes_its_pairs():
    """A node without topics stays as a user."""
    interest = Interest.from_sets({"ann": ["bob", "cid"], "bob": ["ann"], "dan": []})
    listed = as_edge_list(interest)
    assert listed.users == ("ann", "bob", "cid", "dan")
    assert list(listed) == [("ann", "bob"), ("ann", "cid"), ("bob", "ann")]


def test_to_interest_keeps_nodes_and_topics_apart():
    interest = as_edge_list([("u2", "jazz"), ("u1", "jazz"), ("u1", "rock"), ("u2", "jazz")]).to_interest()
    assert interest == Interest.from_pairs([("u1", "jazz"), ("u1", "rock"), ("u2", "jazz")])


def test_no_pairs_at_all():
    """An empty list has no users and is an interest without nodes."""
    listed = as_edge_list([])
    assert (listed.num_users, len(listed)) == (0, 0)
    assert listed.to_interest().num_nodes == 0


def test_ends_are_frozen():
    """The ends of an edge list cannot be changed by accident."""
    with pytest.raises(ValueError, match="read-only"):
        as_edge_list([("a", "b")]).ends[0, 0] = 1


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([("a", "b", "c")], "one entry is ('a', 'b', 'c')"),
        (["ab"], "one entry is 'ab'"),
        ([7], "one entry is 7"),
        ([b"ab"], "one entry is b'ab'"),
        (b"edges.txt", "to read a file use read_edge_list"),
        ("edges.txt", "to read a file use read_edge_list"),
        (5, "but 5 was given"),
        (np.arange(6), "has (6,)"),
        (np.arange(6).reshape(2, 3), "has (2, 3)"),
    ],
)
def test_what_is_no_edge_is_named(edges, words):
    with pytest.raises(InputError) as caught:
        as_edge_list(edges)
    assert words in str(caught.value)


def test_missing_labels_are_refused():
    """A user without a label is reported."""
    with pytest.raises(LabelError, match="user label is missing"):
        as_edge_list([("a", None)])


def test_numbers_must_mean_users():
    """Every number is a user's, and users are sorted and distinct."""
    with pytest.raises(InputError, match=r"must lie in 0\.\.1, but 0\.\.2"):
        EdgeList(("a", "b"), np.array([[0, 2]]))
    with pytest.raises(InputError, match="distinct and sorted"):
        EdgeList(("b", "a"), np.array([[0, 1]]))
