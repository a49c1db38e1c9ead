"""Pieces of topics after losses, against components found by networkx."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicweave as tw
from tests.instances import interests
from topicweave.churn.overlay_state import OverlayState
from topicweave.kernels.churn.pieces import is_redundant


def graph_of(interest, overlay, topic):
    members = [node for node in interest.nodes if topic in interest.topics_of(node)]
    graph = nx.Graph()
    graph.add_nodes_from(members)
    graph.add_edges_from((a, b) for a, b in overlay.pairs() if a in graph and b in graph)
    return graph


@pytest.mark.parametrize("extra", [0, 3])
@settings(max_examples=60, deadline=None)
@given(interest=interests(), data=st.data())
def test_a_link_is_redundant_if_every_common_topic_stays_connected_without_it(extra, interest, data):
    """Of a topic-connected overlay, with some further links that no topic needs."""
    overlay = tw.design(interest, "gm").overlay if interest.num_subscriptions else tw.Overlay.empty(interest.nodes)
    links = set(overlay.pairs())
    for _ in range(extra if interest.num_nodes > 1 else 0):
        a, b = data.draw(st.lists(st.sampled_from(interest.nodes), min_size=2, max_size=2, unique=True))
        if interest.topics_of(a) & interest.topics_of(b):
            links.add((min(a, b), max(a, b)))
    overlay = tw.Overlay.from_pairs(sorted(links), interest.nodes)
    state = OverlayState.from_overlay(interest, overlay)
    for a, b in links:
        rest = tw.Overlay.from_pairs(sorted(links - {(a, b)}), interest.nodes)
        common = interest.topics_of(a) & interest.topics_of(b)
        expected = all(nx.is_connected(graph_of(interest, rest, topic)) for topic in common)
        u, v = state.nodes.number[a], state.nodes.number[b]
        assert is_redundant(state.rows, state.neighbours, u, v, state.search) == expected
