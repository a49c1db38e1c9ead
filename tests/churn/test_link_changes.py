"""LinkChanges: the net effect of links made and dropped, and its undoing."""

from __future__ import annotations

import numpy as np
import pytest

import topicweave as tw
from topicweave.churn.link_changes import LinkChanges, star
from topicweave.churn.overlay_state import OverlayState


@pytest.fixture
def state():
    """Four nodes of one topic in a line: 0 - 1 - 2 - 3."""
    interest = tw.Interest.from_sets({node: ["t"] for node in "abcd"})
    return OverlayState.from_overlay(
        interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d")], interest.nodes)
    )


def links(*pairs):
    return np.array(pairs, dtype=np.int32).reshape(-1, 2)


def test_what_is_made_and_dropped_again_is_in_neither(state):
    changes = LinkChanges(state)
    changes.link(links((0, 2), (3, 0)))
    changes.unlink(links((2, 0), (1, 2)))
    assert (list(changes.added), list(changes.removed)) == ([(0, 3)], [(1, 2)])
    assert changes.num_changed == 2
    assert changes.new_ends == {0, 3}
    assert state.links().tolist() == [[0, 1], [0, 3], [2, 3]]


def test_undo_leaves_the_links_as_they_were(state):
    before = state.links().tolist()
    changes = LinkChanges(state)
    changes.unlink(star(1, state.content("neighbours", 1)))
    changes.link(links((0, 3)))
    changes.undo()
    assert state.links().tolist() == before
    assert changes.num_changed == 0


def test_later_changes_can_be_absorbed(state):
    """A later change that undoes an earlier one counts for neither."""
    changes, later = LinkChanges(state), LinkChanges(state)
    changes.link(links((0, 2), (0, 3)))
    later.unlink(links((0, 2), (2, 3)))
    assert changes.num_changed_with(later) == 2
    changes.absorb(later)
    assert (list(changes.added), list(changes.removed)) == ([(0, 3)], [(2, 3)])
    assert changes.num_changed == 2
