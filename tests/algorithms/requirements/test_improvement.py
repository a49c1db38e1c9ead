"""Exchanging links after reverse deletion pays, and stops where it would take too long."""

import pytest

import topicweave as tw
from topicweave import Requirements
from topicweave.algorithms.requirements import improvement

INTEREST = tw.workloads.synthetic(num_nodes=60, num_topics=15, popularity="zipf", alpha=0.5, subscriptions=5, seed=0)
POINTS = {node: (v * v % 11, v % 7) for v, node in enumerate(INTEREST.nodes)}


def designed(monkeypatch, steps, **made):
    """A design whose exchange may take so many steps, and the report about it."""
    monkeypatch.setattr(improvement, "MOST_STEPS", steps)
    requirements = Requirements(**made)
    overlay = tw.design(INTEREST, "gm", requirements=requirements).overlay
    report = tw.verify(INTEREST, overlay, requirements)
    assert report.satisfied
    return overlay, report


def test_topics_that_survive_failures_get_shorter_with_fewer_links(monkeypatch):
    """And no node gets more links than the busiest had."""
    before, _ = designed(monkeypatch, 0, connectivity=2)
    after, _ = designed(monkeypatch, 10_000_000, connectivity=2)
    across = [tw.metrics.topic_diameters(INTEREST, overlay).mean() for overlay in (before, after)]
    assert after.num_edges < before.num_edges and across[1] < across[0]
    assert after.maximum_degree <= before.maximum_degree


def test_links_with_costs_get_cheaper(monkeypatch):
    """By exchanging a few of them."""
    _, before = designed(monkeypatch, 0, link_cost=POINTS)
    _, after = designed(monkeypatch, 10_000_000, link_cost=POINTS)
    assert after.cost < 0.99 * before.cost


@pytest.mark.parametrize("made", [{"connectivity": 2}, {"link_cost": POINTS}, {"connectivity": 2, "max_hops": 5}])
def test_no_link_can_be_left_out(monkeypatch, made):
    """After the exchange, too, every link is needed by some topic."""
    overlay, _ = designed(monkeypatch, 1_000_000, **made)
    for pair in overlay.pairs()[::9]:
        rest = tw.Overlay.from_pairs([other for other in overlay.pairs() if other != pair], INTEREST.nodes)
        assert not tw.verify(INTEREST, rest, Requirements(**made)).satisfied


def test_required_and_preferred_links_stay(monkeypatch):
    """Only the others are exchanged."""
    some = tw.Overlay.from_pairs(designed(monkeypatch, 0, connectivity=2)[0].pairs()[:40], INTEREST.nodes)
    requirements = Requirements(connectivity=2, required=[(INTEREST.nodes[0], INTEREST.nodes[59])])
    monkeypatch.setattr(improvement, "MOST_STEPS", 10_000_000)
    kept = [
        len(set(some.pairs()) & set(tw.design(INTEREST, "gm", prefer=one, requirements=requirements).overlay.pairs()))
        for one in (None, some)
    ]
    assert kept[1] > 1.2 * kept[0]
    made = tw.design(INTEREST, "gm", requirements=requirements).overlay
    assert (INTEREST.nodes[0], INTEREST.nodes[59]) in made.pairs()
