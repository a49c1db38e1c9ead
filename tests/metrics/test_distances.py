"""Topic diameters and mean hops."""

from math import inf

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.plain import cases, topic_hops
from topicweave.errors import InputError, OverlayError, ParameterError
from topicweave.metrics import topic_diameters, topic_distances
from topicweave.model import Interest, Overlay
from topicweave.workloads import synthetic


def test_path_by_hand(path):
    """all's sub-overlay is the path itself: 5 hops, mean 7/3; the others are not connected inside."""
    found = topic_distances(*path)
    assert found.topics == ("all", "ends", "far", "odd")
    assert found.diameter.tolist() == [5, inf, inf, inf]
    assert found.mean_hops[0] == pytest.approx(7 / 3)
    assert found.mean_hops[1:].tolist() == [inf, inf, inf]


def test_path_through_the_whole_overlay(path):
    """GM §9's sense: ends are 5 apart, odd nodes 2 and 4, and 7 is out of reach."""
    found = topic_distances(*path, inside=False)
    assert found.diameter.tolist() == [5, 5, inf, 4]
    assert found.mean_hops[1] == 5
    assert found.mean_hops[3] == pytest.approx((2 + 2 + 4) / 3)


def test_less_than_two_subscribers_are_zero_apart(square):
    """dead has none, talk one."""
    interest, overlay = square
    found = topic_distances(interest, overlay)
    assert found.diameter.tolist() == [0, 2, inf, 0]
    assert found.mean_hops.tolist() == [0, pytest.approx(4 / 3), inf, 0]


@given(case=cases(), inside=st.booleans())
@settings(deadline=None, max_examples=150)
def test_agrees_with_a_plain_search(case, inside):
    interest, overlay = case
    found = topic_distances(interest, overlay, inside=inside)
    for place, topic in enumerate(interest.topics):
        hops = topic_hops(interest, overlay, topic, inside)
        assert found.diameter[place] == max(hops, default=0)
        assert found.mean_hops[place] == pytest.approx(sum(hops) / len(hops) if hops else 0)


@pytest.fixture(scope="module")
def wide():
    """150 nodes × 12 topics under a sparse random overlay: several machine words of sources, and long paths."""
    interest = synthetic(150, 12, popularity="uniform", subscriptions=8, seed=1)
    rng = np.random.default_rng(3)
    ring = [(n, (n + 1) % 150) for n in range(150)]
    chords = [tuple(sorted(rng.choice(150, 2, replace=False).tolist())) for _ in range(260)]
    edges = {tuple(sorted(edge)) for edge in [*ring, *chords]}
    return interest, Overlay(interest.nodes, np.array(sorted(edges)))


def test_agrees_with_networkx(wide):
    """Inside where a topic hangs together, and through the whole overlay."""
    interest, overlay = wide
    graph = overlay.to_networkx()
    hops = dict(networkx.all_pairs_shortest_path_length(graph))
    outside = topic_distances(interest, overlay, inside=False)
    within = topic_diameters(interest, overlay)
    for place, topic in enumerate(interest.topics):
        members = interest.subscribers_of(topic)
        apart = [hops[one][other] for one in members for other in members if one != other]
        assert outside.diameter[place] == max(apart)
        assert outside.mean_hops[place] == pytest.approx(np.mean(apart))
        part = graph.subgraph(members)
        assert within[place] == (networkx.diameter(part) if networkx.is_connected(part) else inf)
    assert np.isfinite(within).any()


def test_chunks_change_nothing(wide, monkeypatch):
    """One word of sources at a time, the least the memory bound allows."""
    from topicweave.metrics import hops

    at_once = topic_distances(*wide, inside=False)
    monkeypatch.setattr(hops, "MOST_WORDS", 1)
    piecemeal = topic_distances(*wide, inside=False)
    np.testing.assert_array_equal(piecemeal.diameter, at_once.diameter)
    np.testing.assert_array_equal(piecemeal.mean_hops, at_once.mean_hops)


def test_a_sample_bounds_from_below(wide):
    """Connectedness is reported exactly, the diameter from below, and a sample of all subscribers is not a sample."""
    interest, overlay = wide
    exact = topic_distances(interest, overlay, inside=False)
    few = topic_distances(interest, overlay, inside=False, sample=1, seed=1)
    assert (few.diameter <= exact.diameter).all()
    assert (few.diameter < exact.diameter).any()
    assert (few.diameter >= exact.diameter / 2).all()
    np.testing.assert_allclose(few.mean_hops, exact.mean_hops, rtol=0.25)
    everybody = topic_distances(interest, overlay, inside=False, sample=150)
    np.testing.assert_array_equal(everybody.diameter, exact.diameter)
    assert (
        np.isinf(topic_diameters(interest, overlay, sample=1)) == np.isinf(topic_diameters(interest, overlay))
    ).all()


def test_a_topic_does_not_depend_on_the_others_measured(wide):
    interest, overlay = wide
    everything = topic_distances(interest, overlay, inside=False, sample=3, seed=2)
    chosen = [interest.topics[7], interest.topics[2]]
    some = topic_distances(interest, overlay, inside=False, sample=3, seed=2, topics=chosen)
    assert some.topics == tuple(chosen)
    assert some.mean_hops.tolist() == everything.mean_hops[[7, 2]].tolist()


def test_no_topics_and_no_nodes():
    empty = Interest.from_pairs([])
    assert topic_diameters(empty, Overlay.empty(empty.nodes)).tolist() == []


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"sample": 0}, ParameterError, "sample must be a whole number, 1 or more, but is 0"),
        ({"sample": 1.5}, ParameterError, "sample must be a whole number, 1 or more, but is 1.5"),
        ({"sample": True}, ParameterError, "sample must be a whole number"),
        ({"sample": 3, "seed": -1}, ParameterError, "seed must be a whole number, 0 or more, but is -1"),
        ({"topics": ["nonsense"]}, InputError, "no topic 'nonsense'"),
    ],
)
def test_bad_parameters_are_named(square, arguments, error, words):
    """Each wrong value is refused in a sentence that names it."""
    with pytest.raises(error) as caught:
        topic_diameters(*square, **arguments)
    assert words in str(caught.value)


def test_other_nodes_are_refused(square):
    """Distances in an overlay of other nodes mean nothing."""
    with pytest.raises(OverlayError, match="unknown nodes"):
        topic_diameters(square[0], Overlay.from_pairs([("a", "zoe")]))
