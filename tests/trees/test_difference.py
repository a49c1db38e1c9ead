"""What changes between trees, and the directions of links."""

import topicweave as tw
from topicweave.trees.difference import carried


def test_a_leaf_that_only_publishes_sends_and_never_receives():
    interest = tw.Interest.from_pairs([("a", "x"), ("b", "x")], publishers=[("c", "x"), ("b", "x")])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]))
    assert carried(found) == {("x", ("a", "b")): "both", ("x", ("b", "c")): "backward"}


def test_changes_list_what_ceases_before_what_begins():
    before = {("x", ("a", "b")): "both", ("x", ("b", "c")): "both"}
    after = {("x", ("a", "b")): "both", ("x", ("a", "c")): "forward"}
    changes = tw.deploy.tree_changes(before, after)
    assert changes == (
        tw.deploy.TreeChange("x", ("b", "c"), "both", False),
        tw.deploy.TreeChange("x", ("a", "c"), "forward", True),
    )
