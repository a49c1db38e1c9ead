"""All figures in one record."""

from dataclasses import asdict
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings

from tests.metrics.plain import cases
from topicweave.metrics import (
    Measures,
    filtering_cost,
    measure,
    redundancy,
    topic_components,
    topic_distances,
    verify,
)
from topicweave.model import Interest, Overlay
from topicweave.workloads import synthetic


def test_square_by_hand(square):
    """Of the four topics only news is connected with two or more subscribers: diameter 2, mean 4/3."""
    assert measure(*square) == Measures(
        num_nodes=4,
        num_topics=4,
        num_subscriptions=7,
        num_edges=4,
        average_degree=2.0,
        maximum_degree=2,
        topic_connected=False,
        support=3 / 4,
        components=4,
        num_disconnected_topics=1,
        maximum_topic_diameter=inf,
        mean_topic_diameter=2.0,
        mean_topic_hops=4 / 3,
        mean_redundancy=1 / 12,
        filtering_cost=1.0,
    )


@given(case=cases())
@settings(deadline=None)
def test_says_what_the_single_metrics_say(case):
    interest, overlay = case
    found, report, hops = measure(interest, overlay), verify(interest, overlay), topic_distances(interest, overlay)
    sizes = np.array([len(interest.subscribers_of(topic)) for topic in interest.topics])
    joined = (sizes > 1) & (topic_components(interest, overlay) == 1)
    assert (found.topic_connected, found.support, found.components) == (
        report.topic_connected,
        report.support,
        report.components,
    )
    assert found.num_disconnected_topics == len(report.disconnected_topics)
    assert np.isfinite(found.maximum_topic_diameter) == report.topic_connected
    assert found.maximum_topic_diameter == hops.diameter.max()
    assert found.mean_topic_diameter == (pytest.approx(hops.diameter[joined].mean()) if joined.any() else 0)
    assert found.mean_topic_hops == (pytest.approx(hops.mean_hops[joined].mean()) if joined.any() else 0)
    if sizes.any():
        assert found.mean_redundancy == pytest.approx(redundancy(interest, overlay)[sizes > 0].mean())
    assert found.filtering_cost == filtering_cost(interest, overlay).sum()


def test_an_empty_interest_has_figures_too():
    empty = Interest.from_pairs([])
    found = measure(empty, Overlay.empty(empty.nodes))
    assert found.topic_connected
    assert set(asdict(found).values()) == {0, 1}


def test_a_sample_is_passed_on():
    """A long path: from one random subscriber the diameter is seen from below, repeatably for a seed."""
    interest = Interest.from_sets({f"{n:02d}": ["x"] for n in range(40)})
    overlay = Overlay(interest.nodes, np.array([(n, n + 1) for n in range(39)]))
    seen = [measure(interest, overlay, sample=1, seed=seed).maximum_topic_diameter for seed in range(5)]
    assert measure(interest, overlay).maximum_topic_diameter == 39
    assert all(20 <= one <= 39 for one in seen)
    assert len(set(seen)) > 1
    assert seen == [measure(interest, overlay, sample=1, seed=seed).maximum_topic_diameter for seed in range(5)]


def test_summary_for_people(square):
    """Names in front, figures in a column, and whether all is connected."""
    lines = measure(*square).summary().splitlines()
    assert lines[0] == "nodes                   4"
    assert "support                 0.7500" in lines
    assert "maximum topic diameter  inf" in lines
    joined = Overlay.from_pairs([*square[1].pairs(), ("a", "c")], labels=square[0].nodes)
    assert "1.0000 (topic-connected)" in measure(square[0], joined).summary()


def test_a_larger_case_holds_together():
    """1,000 nodes × 100 topics joined by per-topic chains: topic-connected, no filtering, every figure finite.

    Without the links of one node exactly its own topics fall apart.
    """
    interest = synthetic(1000, 100, seed=1)
    starts, subscribers = interest.subscribers
    chains = [subscribers[starts[t] : starts[t + 1]] for t in range(100)]
    links = np.concatenate([np.stack((chain[:-1], chain[1:]), axis=1) for chain in chains])
    overlay = Overlay(interest.nodes, np.unique(links, axis=0).astype(np.int64))
    found = measure(interest, overlay, sample=8)
    assert found.topic_connected
    assert found.filtering_cost == 0
    assert np.isfinite(list(asdict(found).values())).all()
    alone = Overlay(interest.nodes, overlay.edges[(overlay.edges != 500).all(axis=1)])
    assert verify(interest, alone).disconnected_topics == tuple(sorted(interest.topics_of("node-500")))
