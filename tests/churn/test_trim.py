"""What trim is worth."""

from __future__ import annotations

import topicweave as tw
from tests.churn.traces import trace
from topicweave.churn import Shadow


def test_trim_keeps_fewer_links():
    """With ``trim`` the same trace ends with fewer links, and every topic is still connected."""
    plain, _ = trace(150, 300)
    trimmed, _ = trace(150, 300, trim=True)
    assert plain.num_nodes == trimmed.num_nodes
    assert trimmed.num_edges < plain.num_edges
    assert tw.verify(trimmed.interest, trimmed.overlay).topic_connected


def test_a_link_that_a_join_makes_redundant_is_trimmed():
    """a - b carry t and u; x joins with both and could replace nothing, but y with all closes a cycle of three."""
    interest = tw.Interest.from_sets({"a": {"t"}, "b": {"t"}, "c": {"t"}})
    full = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("a", "c")], labels=interest.nodes)
    maintainer = Shadow(interest, full, trim=True)
    maintainer.join("d", {"t"})
    assert maintainer.num_edges == 3
    assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected
    kept = Shadow(interest, full)
    kept.join("d", {"t"})
    assert kept.num_edges == 4
