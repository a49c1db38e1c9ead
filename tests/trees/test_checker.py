"""The checker of trees finds every fault that is put into a tree."""

import pytest

import topicweave as tw

INTEREST = tw.Interest.from_pairs([(node, "t") for node in "abcd"] + [("e", "u"), ("d", "u")])
OVERLAY = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d"), ("d", "e")])
GOOD = {"t": [("b", "a"), ("b", "c"), ("c", "d")], "u": [("d", "e")]}


def test_good_trees_have_no_fault():
    assert tw.deploy.check_trees(INTEREST, OVERLAY, GOOD) == []


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ([("b", "a"), ("b", "c"), ("c", "d"), ("d", "a")], "has a cycle"),
        ([("b", "a"), ("b", "c")], "does not reach 'd'"),
        ([("b", "a"), ("b", "c"), ("c", "d"), ("d", "e")], "passes 'e'"),
        ([("b", "a"), ("b", "c"), ("b", "d")], "not a link of the overlay"),
        ([("b", "a"), ("b", "c"), ("c", "d"), ("c", "d")], "lists a link twice"),
        ([("b", "a"), ("c", "b"), ("d", "c"), ("d", "a")], "has a cycle"),
    ],
)
def test_a_fault_is_named(tree, message):
    """Each way in which links are no tree of their topic has its sentence."""
    assert any(message in what for what in tw.deploy.check_trees(INTEREST, OVERLAY, {**GOOD, "t": tree}))


def test_a_missing_and_an_unknown_tree_are_named():
    wrong = tw.deploy.check_trees(INTEREST, OVERLAY, {"t": GOOD["t"], "v": []})
    assert wrong == ["topic 'u' has no tree", "there is a tree for 'v', which is not a topic"]
