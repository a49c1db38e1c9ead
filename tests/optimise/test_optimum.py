"""optimum: never above Greedy Merge, near the bound, and within a cap on the degree."""

from __future__ import annotations

import pytest

import topicweave as tw
from tests import reference, reference_optimise
from topicweave.errors import InfeasibleError


@pytest.mark.compiled
@pytest.mark.parametrize("seed", [101, 102])
def test_it_comes_near_the_certified_bound(seed):
    """Within 2 % on 100 nodes, where Greedy Merge is 8 % above; never more links at a node."""
    interest = tw.workloads.synthetic(num_nodes=100, num_topics=100, subscriptions=10, seed=seed)
    greedy = tw.design(interest, "gm").overlay
    made = tw.design(interest, "optimum", rounds=5).overlay
    bound = tw.lower_bound(interest, rounds=60)
    assert tw.verify(interest, made).topic_connected
    assert bound.gap(made.num_edges) < 0.02 < 0.08 < bound.gap(greedy.num_edges)
    assert made.maximum_degree <= greedy.maximum_degree


def test_the_least_degree_of_small_instances(small_interests):
    """Between the bound and what enumeration finds there is at most one link; the cap is kept."""
    for interest in small_interests[:30]:
        least = reference_optimise.least_degree(reference.topics_by_number(interest))
        made = tw.design(interest, "optimum", rounds=1, least_degree=True)
        assert least <= made.overlay.maximum_degree <= least + 1
        assert tw.verify(interest, made.overlay).topic_connected


def test_the_fewest_links_under_a_cap_of_small_instances(small_interests):
    """With every cap from the least: what enumeration finds, or one link more on one of twenty."""
    num_tried = num_more = 0
    for interest in small_interests[:30]:
        topics_of = reference.topics_by_number(interest)
        least = reference_optimise.least_degree(topics_of)
        for cap in range(max(least, 1), interest.num_nodes):
            best = reference_optimise.fewest_links(topics_of, cap)
            try:
                made = tw.design(interest, "optimum", rounds=1, max_degree=cap).overlay
            except InfeasibleError:
                assert cap == least  # what no search found is told; with a link more there must be one
                num_more += 1
                continue
            bound = tw.lower_bound(interest, max_degree=cap, rounds=20)
            assert bound.check() - 1e-9 <= best <= made.num_edges <= best + 1
            assert made.maximum_degree <= cap and tw.verify(interest, made).topic_connected
            num_tried += 1
            num_more += made.num_edges > best
    assert num_tried > 40 and num_more <= num_tried // 20


@pytest.mark.compiled
def test_a_cap_below_greedy_merge():
    interest = tw.workloads.synthetic(num_nodes=100, num_topics=100, subscriptions=10, seed=11)
    cap = tw.design(interest, "gm").overlay.maximum_degree - 1
    made = tw.design(interest, "optimum", rounds=1, max_degree=cap).overlay
    assert made.maximum_degree <= cap and tw.verify(interest, made).topic_connected


def test_a_cap_that_cannot_be_kept_is_told():
    interest = tw.Interest.from_pairs([(f"n{i}", "news") for i in range(5)])
    with pytest.raises(InfeasibleError, match="at most 1 links"):
        tw.design(interest, "optimum", rounds=1, max_degree=1)
