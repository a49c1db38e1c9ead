"""What trim and reoptimise are worth, and that the search for what broke is bounded."""

from __future__ import annotations

import topicweave as tw
from topicweave.churn import Event, Shadow, replay
from topicweave.workloads import random_churn


def trace(num_nodes, num_events, seed=0, **options):
    interest = tw.workloads.synthetic(num_nodes, 40, popularity="uniform", subscriptions=(3, 15), seed=seed)
    newcomers = tw.workloads.synthetic(num_events, 40, popularity="uniform", subscriptions=(3, 15), seed=seed + 1)
    events = [Event.from_record(row) for row in random_churn(interest, newcomers, num_events, seed=seed)]
    maintainer = Shadow(interest, **options)
    return maintainer, replay(maintainer, events)


def test_trim_keeps_fewer_links():
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


def test_reoptimise_wins_links_back_within_its_budget():
    maintainer, _ = trace(150, 300)
    before = maintainer.num_edges
    change = maintainer.reoptimise(40)
    assert 0 < change.num_changed <= 40
    assert maintainer.num_edges < before
    assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected


def test_visited_links_do_not_grow_with_the_overlay():
    """A leave looks at few links, however many there are: four times the nodes, far less than four times the links."""
    small, few = trace(200, 100)
    large, many = trace(800, 100)
    left = few.visited_links[few.where("leave")].mean(), many.visited_links[many.where("leave")].mean()
    assert large.num_edges > 3 * small.num_edges
    assert 0 < left[1] < 2.5 * left[0]


def test_replay_counts_what_happened():
    maintainer, found = trace(60, 50)
    assert len(found.actions) == len(found.seconds) == 50
    assert found.nodes[-1] == maintainer.num_nodes
    assert found.maximum_degree[-1] == maintainer.maximum_degree
    assert found.average_degree[-1] == maintainer.average_degree
    assert (found.changed == found.added + found.removed).all()
