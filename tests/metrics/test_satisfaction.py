"""Limits on degree and routing cost, asked of one overlay (GM §9)."""

from math import inf

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.metrics.plain import cases, fewest_strangers
from topicweave.errors import ParameterError
from topicweave.metrics import satisfies


def test_the_path_by_hand(path):
    """The row 1-2-…-6 and the unlinked 7: ten link ends over seven nodes, and 7 reaches no other node."""
    answer = satisfies(*path, average_degree=10 / 7, maximum_degree=2)
    assert answer
    assert answer.figures == {"average_degree": 10 / 7, "maximum_degree": 2}
    unreachable = satisfies(*path, maximum_diameter=100)
    assert not unreachable
    assert unreachable.violated == ("maximum_diameter",)
    assert unreachable.figures == {"maximum_diameter": inf}


def test_diameters_may_pass_through_nodes_that_do_not_subscribe(square):
    """In the ring a-b-c-d the subscribers a and c of sport are two hops apart, through b or d; talk has one node."""
    answer = satisfies(*square, maximum_diameter=2, average_diameter=4 / 3)
    assert answer
    assert answer.figures == {"maximum_diameter": 2, "average_diameter": 4 / 3}
    assert not satisfies(*square, average_diameter=1.33)


def test_without_limits_everything_is_satisfied(path):
    """No limit, no violation, and nothing is measured."""
    answer = satisfies(*path)
    assert answer
    assert answer.figures == {}


@pytest.mark.parametrize("limit", [-1, float("nan"), "3"])
def test_a_limit_must_be_a_number(path, limit):
    """Negative limits and texts are refused by name."""
    with pytest.raises(ParameterError, match="filtering"):
        satisfies(*path, filtering=limit)


@given(case=cases(), limit=st.integers(0, 6))
@settings(deadline=None, max_examples=150)
def test_filtering_is_decided_as_trying_all_sets_decides_it(case, limit):
    """Kept and exceeded are always true statements about the least cost; only "undecided" may leave it open."""
    interest, overlay = case
    least = sum(fewest_strangers(interest, overlay, topic) for topic in interest.topics)
    answer = satisfies(interest, overlay, filtering=limit)
    if answer:
        assert least <= limit
    if answer.violated:
        assert least > limit


@given(case=cases(), degree=st.integers(0, 4), hops=st.integers(0, 5))
@settings(deadline=None, max_examples=150)
def test_degrees_and_diameters_agree_with_networkx(case, degree, hops):
    """The four other limits, measured by networkx on the whole overlay."""
    interest, overlay = case
    graph = nx.Graph()
    graph.add_nodes_from(interest.nodes)
    graph.add_edges_from(overlay.pairs())
    away = dict(nx.all_pairs_shortest_path_length(graph))
    members = [interest.subscribers_of(topic) for topic in interest.topics if interest.subscribers_of(topic)]
    diameters = [max(away[one].get(other, inf) for one in some for other in some) for some in members]
    degrees = [count for _, count in graph.degree()]
    expected = {
        "average_degree": sum(degrees) / len(degrees) <= degree,
        "maximum_degree": max(degrees) <= degree,
        "average_diameter": sum(diameters) / max(1, len(diameters)) <= hops,
        "maximum_diameter": max(diameters, default=0) <= hops,
    }
    answer = satisfies(
        interest, overlay, average_degree=degree, maximum_degree=degree, average_diameter=hops, maximum_diameter=hops
    )
    assert set(answer.violated) == {name for name, kept in expected.items() if not kept}
