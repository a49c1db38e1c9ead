"""A change: how it is counted, and how it is applied in two steps."""

from topicweave.churn import Change
from topicweave.trees import TreeChange

AB, BC, CD = ("a", "b"), ("b", "c"), ("c", "d")


def test_links_made_and_dropped_count_alike():
    """The repair edge number of SHADOW is the number of links that change."""
    assert Change(added=(AB, BC), removed=(CD,)).num_changed == 3
    assert Change().num_changed == 0


def test_between_two_steps_no_link_is_missing():
    """Everything is made before anything is dropped; both steps together are the change, and trees come last."""
    moved = TreeChange("news", AB, 0, True)
    change = Change(added=(AB,), removed=(BC, CD), trees=(moved,), visited_links=7)
    first, second = change.in_two_steps()
    before = {BC, CD}
    between = (before | set(first.added)) - set(first.removed)
    after = (between | set(second.added)) - set(second.removed)
    assert between == {AB, BC, CD} and after == {AB}
    assert (first.trees, second.trees) == ((), (moved,))
    assert first.visited_links == 7 and not second.added


def test_changes_are_equal_however_long_they_took():
    """Times and counters describe how a change was found, not what it is, so they do not count in comparisons."""
    assert Change(added=(AB,), seconds=1.0, shadow_size=3) == Change(added=(AB,), seconds=2.0)
    assert Change(added=(AB,)) != Change(removed=(AB,))
