"""A dive: links that connect everything, within caps, around those fixed before."""

from __future__ import annotations

import numpy as np
import pytest

import topicweave as tw
from tests.reference import topics_by_number
from tests.reference_optimise import fewest_links, is_connected
from topicweave.optimise.ascent import Ascent
from topicweave.optimise.dive import dive

FAST = (3, 0.1)


def dived(interest, cap=100, steps=100, pace=FAST, **given):
    ascent = Ascent(interest, float(tw.design(interest, "gm").overlay.num_edges))
    for _ in range(steps):
        ascent.step()
    return dive(ascent, np.full(interest.num_nodes, cap), lambda: False, pace=pace, **given)


def pairs(links):
    return {tuple(sorted(link)) for link in links.tolist()}


def test_it_connects_everything_with_few_links(small_interests):
    """Against enumeration: never below the optimum, above it on at most one of ten."""
    num_more = 0
    for interest in small_interests[:60]:
        topics_of = topics_by_number(interest)
        links = dived(interest, steps=40)
        assert is_connected(topics_of, pairs(links)) and len(pairs(links)) == len(links)
        best = fewest_links(topics_of)
        assert len(links) >= best
        num_more += len(links) > best
    assert num_more <= 6


@pytest.mark.compiled
def test_on_a_hundred_nodes_it_has_fewer_links_than_greedy_merge():
    interest = tw.workloads.synthetic(num_nodes=100, num_topics=100, subscriptions=10, seed=12)
    links = dived(interest, steps=300, pace=None)
    overlay = tw.Overlay(interest.nodes, links)
    assert tw.verify(interest, overlay).topic_connected
    assert overlay.num_edges < 0.96 * tw.design(interest, "gm").overlay.num_edges


@pytest.mark.parametrize("cap", [1, 2, 4])
def test_nobody_gets_more_links_than_allowed(cap):
    """Where the cap does not let everything be connected, the dive ends all the same."""
    interest = tw.workloads.synthetic(num_nodes=30, num_topics=15, subscriptions=4, seed=1)
    links = dived(interest, cap=cap)
    assert 0 < np.bincount(links.ravel()).max() <= cap


def test_fixed_links_stay_and_nothing_is_added_to_what_is_complete():
    interest = tw.workloads.synthetic(num_nodes=30, num_topics=15, subscriptions=4, seed=1)
    whole = tw.design(interest, "low").overlay.edges
    assert dived(interest, fixed=whole).tolist() == whole.tolist()
    some = whole[::3]
    links = dived(interest, fixed=some)
    assert pairs(some) < pairs(links)
    assert is_connected(topics_by_number(interest), pairs(links))


def test_leaving_out_finished_topics_changes_no_link(monkeypatch):
    """Trees of fixed links cannot change, so a dive that finds them again at every step ends with the same links; the
    next dive from the same prices has all topics again.
    """
    interest = tw.workloads.synthetic(num_nodes=60, num_topics=30, subscriptions=6, seed=3)
    links = dived(interest)
    left = []
    original = Ascent.leave_out_fixed_trees

    def leave_out(ascent):
        original(ascent)
        left.append(len(ascent.order))

    monkeypatch.setattr(Ascent, "leave_out_fixed_trees", leave_out)
    ascent = Ascent(interest, 200.0)
    ascent.step()
    dive(ascent, np.full(60, 100), lambda: False, pace=FAST)
    assert left[0] > left[-1] and left == sorted(left, reverse=True)
    ascent.restore_best()
    assert sorted(ascent.order) == list(range(30))
    monkeypatch.setattr(Ascent, "leave_out_fixed_trees", lambda _: None)
    assert dived(interest).tolist() == links.tolist()


def test_progress_counts_links(monkeypatch):
    """Called now and then: links so far, and the share done, which does not fall."""
    interest = tw.workloads.synthetic(num_nodes=30, num_topics=15, subscriptions=4, seed=1)
    clock = iter(range(10**6))
    monkeypatch.setattr("topicweave.optimise.dive.time.perf_counter", lambda: next(clock))
    told = []
    links = dived(interest, progress=told.append)
    assert [each.phase for each in told] == ["diving"] * len(told) and len(told) > 2
    assert [each.links for each in told] == sorted(each.links for each in told) and told[-1].links == len(links)
