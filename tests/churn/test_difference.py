"""What an event changes, against differences of sets."""

import numpy as np
import pytest

import topicweave as tw
from topicweave.churn.difference import losses_and_gains, union, without
from topicweave.churn.overlay_state import OverlayState

BEFORE = {"a": {"x", "y"}, "b": {"x"}, "c": {"y", "z"}}


@pytest.fixture
def state():
    """Three nodes; a is linked to both others."""
    interest = tw.Interest.from_sets(BEFORE)
    return OverlayState.from_overlay(interest, tw.Overlay.from_pairs([("a", "b"), ("a", "c")], interest.nodes))


@pytest.mark.parametrize(
    "after",
    [{"a": None}, {"a": {"x"}}, {"a": {"x", "z"}}, {"d": {"x", "new"}}, {"nobody": None}, {"b": {"x"}},
     {"a": None, "b": {"y"}, "d": {"z"}}],
)  # fmt: skip
def test_losses_and_gains_are_differences_of_sets(state, after):
    """A node that leaves loses all topics, a new one gains all, and one that keeps all topics is not mentioned."""
    named = {label: None if topics is None else frozenset(topics) for label, topics in after.items()}
    losses, gains = losses_and_gains(state, named)

    def told(parts):
        return {state.nodes.name(p.node): {state.topics.name(t) for t in p.topics.tolist()} for p in parts}

    lost = {label: BEFORE[label] - (topics or set()) for label, topics in after.items() if label in BEFORE}
    gained = {label: (topics or set()) - BEFORE.get(label, set()) for label, topics in after.items()}
    assert told(losses) == {label: topics for label, topics in lost.items() if topics}
    assert told(gains) == {label: topics for label, topics in gained.items() if topics}
    for loss in losses:
        label = state.nodes.name(loss.node)
        assert loss.leaves == (after[label] is None)
        near = {"a": {"b", "c"}, "b": {"a"}, "c": {"a"}}[label]
        assert {state.nodes.name(v) for v in loss.neighbours.tolist()} == near


def test_union_and_without_are_those_of_sets():
    """For ascending numbers, whether one is left out or several."""
    parts = [np.array([1, 4, 6], np.int32), np.array([2, 4], np.int32), np.array([], np.int32)]
    assert union(parts).tolist() == [1, 2, 4, 6]
    assert union(parts[:1]).tolist() == [1, 4, 6]
    assert without(parts[0], [4]).tolist() == [1, 6]
    assert without(parts[0], [4, 6, 7]).tolist() == [1]
