"""What an interest is built from: whatever is wrong is refused in a sentence with the value seen."""

import numpy as np
import pytest
from scipy import sparse

from topicweave.errors import InputError
from topicweave.model import interest_checks as checks


def test_pairs_become_sets():
    """Repeated pairs count once, and numbers are labels by their name."""
    assert checks.sets_of([("a", "x"), ("a", "x"), ("a", 1), (2, "x")]) == {"a": {"x", "1"}, "2": {"x"}}


@pytest.mark.parametrize("entry", ["ab", b"ab", {"a", "b"}, ("a",), ("a", "b", "c"), 5])
def test_what_only_looks_like_a_pair_is_refused(entry):
    """Two letters or a set of two would unpack as well, and mean something else."""
    with pytest.raises(InputError, match="A subscription is a"):
        checks.sets_of([entry])


@pytest.mark.parametrize(
    ("indptr", "indices", "says"),
    [
        ([0, 1], [0, 1], "do not describe 2 nodes"),
        ([0, 2, 1], [0, 1], "do not describe"),
        ([1, 1, 2], [0, 1], "do not describe"),
        ([0, 1, 2], [0.0, 1.0], "whole numbers, but float64"),
        ([0, 1, 2], [0, 3], r"in 0\.\.2, but 0\.\.3 were given"),
        ([0, 1, 2], [-1, 0], r"in 0\.\.2, but -1\.\.0 were given"),
    ],
)
def test_row_starts_and_topic_numbers_must_fit(indptr, indices, says):
    """Two nodes and three topics; SciPy takes the rows that are accepted for the same."""
    with pytest.raises(InputError, match=says):
        checks.check_csr(np.array(indptr), np.array(indices), 2, 3)
    good = sparse.csr_array(np.array([[1, 0, 1], [0, 1, 0]]))
    checks.check_csr(good.indptr.astype(np.int64), good.indices, 2, 3)


def test_rows_rise_each_for_itself():
    """A row may begin lower than the one before it has ended; within a row every number is higher than the last."""
    checks.check_rows_rise(np.array([0, 2, 4]), np.array([1, 2, 0, 2], np.int32))
    for row in ([1, 1], [2, 0]):
        with pytest.raises(InputError, match="distinct and in ascending order"):
            checks.check_rows_rise(np.array([0, 2, 4]), np.array([*row, 0, 2], np.int32))


def test_labels_are_sorted_and_told_apart():
    """Otherwise two orders of one input would give two interests."""
    checks.check_sorted(["a", "b"], "node")
    with pytest.raises(InputError, match="Two nodes are called 'a'"):
        checks.check_sorted(["a", "a"], "node")
    with pytest.raises(InputError, match="'a' follows 'b'"):
        checks.check_sorted(["b", "a"], "node")
    assert checks.names_or_numbers(None, 11, "node")[:2] == ["00", "01"]
    with pytest.raises(InputError, match="has 3 nodes but 2 labels"):
        checks.names_or_numbers(["a", "b"], 3, "node")


def test_roles_that_say_nothing_are_left_out():
    """Every node subscribes unless stated otherwise; a role is 1, 2 or 3."""
    indices = np.array([0, 1], np.int32)
    assert checks.checked_roles(np.array([1, 1], np.uint8), indices) is None
    roles = np.array([1, 3], np.uint8)
    assert checks.checked_roles(roles, indices) is roles
    for wrong in (np.array([1, 4], np.uint8), np.array([3, 0], np.uint8), np.array([1, 2]), np.array([2], np.uint8)):
        with pytest.raises(InputError, match="The roles must be 2 numbers"):
            checks.checked_roles(wrong, indices)


def test_nan_is_seen_in_any_kind_of_matrix():
    """A missing number is neither a subscription nor none."""
    dense = np.array([[0.0, np.nan]])
    assert checks.has_nan(dense) and checks.has_nan(sparse.csr_array(dense))
    assert not checks.has_nan(np.zeros((1, 2)))
