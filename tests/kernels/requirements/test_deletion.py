"""Reverse deletion removes what its naive twin removes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.requirements.cases import interests, labelled, link_sets, network_of, numbered
from tests.reference_requirements import is_met, reverse_deletion


@settings(max_examples=40)
@given(interests, link_sets, st.sampled_from([None, 2, 3, 4]), st.sampled_from([1, 2, 3]))
def test_needless_links_go_in_the_order_given(topics_of, links, limit, connectivity):
    """Topics that do not meet the requirements keep all their links."""
    network = network_of(topics_of, links, max_hops=limit, connectivity=connectivity)
    order = numbered(links)[::-1]
    gone = network.delete(order)
    expected = reverse_deletion(topics_of, sorted(links), labelled(order), limit or 0, connectivity)
    assert set(labelled(order[~gone])) == expected
    left = [set(link) for link in expected]
    for t, topic in enumerate(network.interest.topics):
        assert network.met()[t] == is_met(topics_of, left, topic, limit or 0, connectivity)
