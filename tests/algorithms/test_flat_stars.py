"""cd_max: two hops in every topic, few links at every node."""

import pytest

import topicweave as tw
from topicweave import Interest
from topicweave.algorithms.flat_stars import cd_max

INTEREST = tw.workloads.synthetic(num_nodes=40, num_topics=40, popularity="uniform", subscriptions=6, seed=0)


def test_two_hops_and_far_fewer_links_at_the_busiest_node():
    """The maximum degree is lower than with cd2, which only aims at few links."""
    overlay = tw.design(INTEREST, "cd_max").overlay
    assert tw.metrics.topic_diameters(INTEREST, overlay).max() <= 2
    assert overlay.maximum_degree < 0.6 * tw.design(INTEREST, "cd2").overlay.maximum_degree


def test_a_higher_limit_saves_links_and_is_kept():
    """The limit is a trade-off between the busiest node and the number of links."""
    lowest = tw.design(INTEREST, "cd_max").overlay
    limit = lowest.maximum_degree + 10
    relaxed = tw.design(INTEREST, "cd_max", delta=limit).overlay
    assert relaxed.maximum_degree <= limit and relaxed.num_edges <= lowest.num_edges
    assert tw.metrics.topic_diameters(INTEREST, relaxed).max() <= 2


def test_a_limit_that_cannot_be_kept_is_raised():
    """And a note says so."""
    interest = Interest.from_sets({node: ["t"] for node in "abcd"})
    made = tw.design(interest, "cd_max", delta=1)
    assert made.overlay.num_edges == 3 and "the limit became 3" in made.notes[0]
    assert cd_max(interest, delta=1).notes == made.notes


def test_topics_share_links():
    """Two topics of the same subscribers need one star."""
    interest = Interest.from_sets({node: ["s", "t"] for node in "abcd"})
    assert tw.design(interest, "cd_max", delta=3).overlay.num_edges == 3


@pytest.mark.parametrize("topics", [["t"], []])
def test_topics_of_one_node_need_no_star(topics):
    """Topics with a single subscriber need no link."""
    interest = Interest.from_sets({"a": ["t", "u"], "b": ["u"], "c": topics})
    assert tw.verify(interest, tw.design(interest, "cd_max").overlay).topic_connected
