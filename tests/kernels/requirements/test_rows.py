"""The greedy loop over rows takes the links of its naive twin, one by one."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.requirements.cases import NODES, interests, labelled, link_sets, network_of, numbered
from tests.reference_requirements import components, is_met, permitted_greedy
from topicweave.kernels.requirements.permission import rank_of, weight_of
from topicweave.kernels.requirements.potential import BLOCKS, HOPS, MERGING


def twin(network, topics_of, penalty, prefer, ties):
    """What the naive greedy rule does with the same weights and ranks."""
    resolved = network.resolved
    pairs = {pair: numbered([pair])[0] for pair in [(u, v) for u in NODES for v in NODES if u < v]}
    return permitted_greedy(
        topics_of,
        lambda u, v: bool(resolved.permits(numbered([(u, v)]))[0]),
        lambda u, v: weight_of(network.permission, *pairs[u, v]),
        dict(zip(NODES, resolved.caps.tolist(), strict=True)),
        lambda u, v: int(rank_of(network.permission, *pairs[u, v])),
        penalty,
        [set(pair) for pair in prefer],
        counts_loads=ties == "balanced",
    )


@settings(max_examples=40)
@given(
    interests,
    st.sampled_from([1.0, 1.5, 3.0, math.inf]),
    st.sampled_from(["balanced", "lexicographic"]),
    link_sets,
    link_sets,
    st.dictionaries(st.sampled_from(NODES), st.integers(1, 4)),
    st.booleans(),
)
def test_permitted_links_are_taken_in_the_order_of_the_rule(
    topics_of, penalty, ties, prefer, forbidden, caps, has_costs
):
    """Under gm, low and minmax, with forbidden links, caps and costs."""
    cost = {node: (i * i % 5, i % 3) for i, node in enumerate(NODES)} if has_costs else None
    given_caps = caps or None
    network = network_of(
        topics_of, ties=ties, prefer=prefer, forbidden=forbidden, max_degree=given_caps, link_cost=cost, cost_weight=0.7
    )
    assert labelled(network.extend(MERGING, penalty)) == twin(network, topics_of, penalty, prefer, ties)


@given(interests, link_sets, st.sampled_from([2, 3, 4, 6]))
def test_hops_are_met_with_any_links_permitted(topics_of, links, limit):
    """Every topic that is connected, and every other one too, because links to the centre always help."""
    network = network_of(topics_of, links, max_hops=limit)
    network.choose_centres()
    made = [set(pair) for pair in [*links, *labelled(network.extend(HOPS, 1.0))]]
    assert all(is_met(topics_of, made, topic, max_hops=limit) for topic in "wxyz" if len(_of(topics_of, topic)) > 1)


@given(interests, link_sets, st.sampled_from([2, 3]))
def test_failures_are_survived_where_topics_are_connected(topics_of, links, connectivity):
    """Merging blocks ends with one block, or with three independent paths between any two members."""
    network = network_of(topics_of, links, connectivity=connectivity)
    first = labelled(network.extend(MERGING, 1.0))
    made = [set(pair) for pair in [*links, *first, *labelled(network.extend(BLOCKS, 1.0))]]
    for topic in "wxyz":
        assert is_met(topics_of, made, topic, connectivity=connectivity) or not _of(topics_of, topic)
        assert len(components(topics_of, made, topic)) <= 1


@pytest.mark.parametrize("penalty", [1.0, 3.0])
def test_caps_are_never_exceeded(penalty):
    """Neither by links for hops nor by those for failures; what cannot be met stays unmet."""
    everybody = {node: {"w"} for node in NODES}
    network = network_of(everybody, max_degree=2, max_hops=2, connectivity=2)
    network.extend(MERGING, penalty)
    network.choose_centres()
    network.extend(HOPS, penalty)
    network.extend(BLOCKS, penalty)
    assert network.degree.max() <= 2 and not network.met().all()


def _of(topics_of, topic):
    return [node for node, topics in topics_of.items() if topic in topics]
