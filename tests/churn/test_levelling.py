"""Levelling: degrees stay near those of a new design, and everything else is as without it."""

from __future__ import annotations

import numpy as np
import pytest

import topicweave as tw
from tests.churn.traces import trace
from topicweave.churn import Event, Naive, Shadow, load, replay, save
from topicweave.churn.levelling import LEAST_CAP, NO_CAP, cap_of
from topicweave.churn.overlay_state import OverlayState


def test_degrees_stay_near_those_of_a_new_design():
    """After four times as many events as there are nodes; without levelling both degrees have drifted far away."""
    plain, _ = trace(150, 600)
    levelled, done = trace(150, 600, levelling=2)
    fresh = tw.design(levelled.interest, "low", k=3).overlay
    assert tw.verify(levelled.interest, levelled.overlay).topic_connected
    assert levelled.maximum_degree <= 1.5 * fresh.maximum_degree
    assert levelled.maximum_degree < plain.maximum_degree
    assert levelled.average_degree <= fresh.average_degree + 0.5 < plain.average_degree
    assert done.changed.mean() <= 15


def test_naive_has_it_too():
    """Levelling keeps Naive's degrees near its cap and leaves fewer links than without."""
    interest = tw.workloads.synthetic(80, 30, popularity="uniform", subscriptions=(3, 12), seed=3)
    newcomers = tw.workloads.synthetic(100, 30, popularity="uniform", subscriptions=(3, 12), seed=4)
    events = [Event.from_record(row) for row in tw.workloads.random_churn(interest, newcomers, 200, seed=5)]
    plain, levelled = Naive(interest), Naive(interest, levelling=2)
    replay(plain, events)
    replay(levelled, events)
    assert levelled.maximum_degree <= cap_of(levelled.state, 2) + 1
    assert levelled.num_edges < plain.num_edges
    assert tw.verify(levelled.interest, levelled.overlay).topic_connected


def test_a_maximum_degree_that_was_given_falls():
    """An overlay with a hub linked to every node: the hub's links move elsewhere as other nodes come and go."""
    interest = tw.workloads.synthetic(60, 10, popularity="uniform", subscriptions=(2, 6), seed=1)
    hub = interest.nodes[0]
    links = {*tw.design(interest, "low", k=3).overlay.pairs()}
    links |= {(hub, other) for other in interest.nodes[1:] if interest.topics_of(hub) & interest.topics_of(other)}
    levelled = Shadow(interest, tw.Overlay.from_pairs(sorted(links), interest.nodes), levelling=2)
    before = levelled.maximum_degree
    for number in range(40):
        levelled.join(f"z{number}", interest.topics_of(interest.nodes[number]))
    assert before > 25
    assert levelled.maximum_degree <= 12


def test_a_snapshot_goes_on_as_if_it_had_not_been(tmp_path):
    """Whom levelling asks depends on what a snapshot holds, and on nothing else."""
    interest = tw.workloads.synthetic(80, 30, popularity="uniform", subscriptions=(3, 12), seed=3)
    rows = tw.workloads.random_churn(interest, interest, 120, seed=5)
    events = [Event.from_record(row) for row in rows]
    one = Shadow(interest, levelling=1.2)
    replay(one, events[:60])
    save(one, tmp_path / "snapshot")
    other = load(tmp_path / "snapshot")
    assert other.parameters["levelling"] == 1.2
    replay(one, events[60:])
    replay(other, events[60:])
    assert one.overlay == other.overlay


@pytest.mark.parametrize("off", [0, np.inf])
def test_off(off):
    """Without a cap no node is full; 0 turns levelling off and is the default."""
    state = OverlayState.from_overlay(*_ring(10))
    assert cap_of(state, off) == NO_CAP
    assert Shadow(_ring(10)[0]).parameters["levelling"] == 0


def test_the_cap_follows_the_average_degree():
    state = OverlayState.from_overlay(*_ring(10))
    assert cap_of(state, 2) == 4
    assert cap_of(state, 2.1) == 5
    assert cap_of(state, 0.5) == LEAST_CAP
    assert cap_of(OverlayState(), 2) == NO_CAP


def _ring(num_nodes):
    """One topic, every node with two links."""
    interest = tw.Interest.from_sets({f"n{v}": ["t"] for v in range(num_nodes)})
    links = sorted(tuple(sorted((v, (v + 1) % num_nodes))) for v in range(num_nodes))
    return interest, tw.Overlay(interest.nodes, links)
