"""The best links of one node, against the twin."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicweave as tw
from tests import reference_churn
from tests.instances import interest_of, interests
from topicweave.churn.overlay_state import OverlayState
from topicweave.kernels.churn.star import ROOM, best_star


def overlay_with(interest, extra, data):
    """A design, and some links that it does not need."""
    overlay = (
        tw.design(interest, "low", k=3).overlay if interest.num_subscriptions else tw.Overlay.empty(interest.nodes)
    )
    links = {tuple(pair) for pair in overlay.edges.tolist()}
    for _ in range(extra if interest.num_nodes > 1 else 0):
        numbers = st.lists(st.integers(0, interest.num_nodes - 1), min_size=2, max_size=2, unique=True)
        links.add(tuple(sorted(data.draw(numbers))))
    return tw.Overlay(interest.nodes, sorted(links)) if links else overlay


def star_of(state, v, cap):
    found = best_star(v, state.rows, len(state.nodes.label), state.neighbours, state.subscribers, cap, state.search)
    return found.tolist()


@pytest.mark.parametrize("extra", [0, 6])
@settings(max_examples=80, deadline=None)
@given(interest=interests(), cap=st.integers(1, 9), data=st.data())
def test_the_links_are_those_of_the_twin_in_its_order(extra, interest, cap, data):
    overlay = overlay_with(interest, extra, data)
    state = OverlayState.from_overlay(interest, overlay)
    topics_of = {v: set(state.topics_of(v).tolist()) for v in range(interest.num_nodes)}
    links = {tuple(pair) for pair in overlay.edges.tolist()}
    rows = state.rows.copy()
    for v in topics_of:
        assert star_of(state, v, cap) == reference_churn.best_star(v, topics_of, links, cap, ROOM)
    assert (state.rows == rows).all()


def test_one_link_to_a_node_with_both_topics_replaces_two():
    """Node 0 is linked to one subscriber of each of its topics; node 3 has both."""
    interest = interest_of({0: {0, 1}, 1: {0}, 2: {1}, 3: {0, 1}})
    state = OverlayState.from_overlay(interest, tw.Overlay(interest.nodes, [(0, 1), (0, 2), (1, 3), (2, 3)]))
    assert star_of(state, 0, 9) == [3]
    assert star_of(state, 0, 2) == [1, 2]  # node 3 is full
