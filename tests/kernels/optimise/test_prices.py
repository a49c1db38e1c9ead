"""Price tables and trees, against networkx and definitions."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.instances import nonempty_interests
from tests.reference import topics_by_number
from tests.reference_optimise import projected
from topicweave.kernels.jit import on_threads
from topicweave.kernels.optimise.ascent import ascend, is_in_tree, project
from topicweave.kernels.optimise.dive import fix_links
from topicweave.kernels.optimise.prices import BLOCKED, FIXED, NO_PARENT, UNIT, cheapest_trees
from topicweave.optimise.tables import build_tables


def cell(prices, t, i, j):
    return int(prices.price[prices.start[t] + i * prices.stride[t] + j])


def trees(prices, threads=1):
    order = np.argsort(-np.diff(prices.topic_indptr), kind="stable")
    parent = np.empty(len(prices.members), np.uint16)
    cost = np.zeros(len(prices.stride), np.int64)
    on_threads(threads, cheapest_trees, prices, order, parent, cost)
    return order, parent, cost


@given(nonempty_interests(max_nodes=9), st.integers(0, 5))
def test_trees_cost_what_networkx_says(interest, seed):
    """Random prices, several topics."""
    prices = build_tables(interest)
    draw = np.random.default_rng(seed)
    for t in range(interest.num_topics):
        size = int(interest.topic_sizes[t])
        for i in range(size):
            for j in range(i):
                at = prices.start[t] + np.array([i * prices.stride[t] + j, j * prices.stride[t] + i])
                prices.price[at] = draw.integers(1, UNIT)
    _, parent, cost = trees(prices, 2)
    for t in range(interest.num_topics):
        size, first = int(interest.topic_sizes[t]), int(prices.topic_indptr[t])
        graph = networkx.Graph()
        graph.add_nodes_from(range(size))
        graph.add_weighted_edges_from((i, j, cell(prices, t, i, j) - 1) for i in range(size) for j in range(i))
        assert cost[t] == networkx.minimum_spanning_tree(graph).size(weight="weight")
        chosen = [(j, int(parent[first + j])) for j in range(size) if parent[first + j] != NO_PARENT]
        assert networkx.is_tree(networkx.Graph(chosen)) if size > 1 else not chosen
        assert all(is_in_tree(prices, parent, t, *pair) for pair in chosen)


@given(nonempty_interests(max_nodes=7))
def test_steps_keep_the_sum_of_every_pair(interest):
    """After an even split and three steps no pair's prices exceed a link, and none is below 0."""
    prices = build_tables(interest)
    target = np.full(interest.num_nodes, UNIT // 2, np.int64)
    used, norm = np.empty(len(prices.members), np.int64), np.zeros(interest.num_topics, np.int64)
    for _ in range(3):
        order, parent, _ = trees(prices)
        on_threads(1, ascend, prices, order, parent, target, UNIT << 14, used, norm)
    topics_of = topics_by_number(interest)
    for u in range(interest.num_nodes):
        for v in range(u):
            shared = sorted(topics_of[u] & topics_of[v])
            place = {t: [sum(t in topics_of[w] for w in range(node)) for node in (u, v)] for t in shared}
            values = [cell(prices, t, *place[t]) for t in shared]
            assert all(cell(prices, t, *place[t][::-1]) == value for t, value in zip(shared, values, strict=True))
            assert sum(value - 1 for value in values) <= UNIT and all(1 <= value < BLOCKED for value in values)


@given(st.lists(st.integers(-50, 200), min_size=1, max_size=8), st.integers(1, 100), st.integers(0, 7))
def test_projection_is_the_nearest_point(values, target, turn):
    """Whole numbers within one of the exact projection, with the exact sum."""
    found = np.array(values, dtype=np.int64)
    project(found, len(values), target, turn % len(values))
    assert found.sum() == target and (found >= 0).all()
    assert np.abs(found - projected(values, target)).max() <= 1 + 1e-6


@pytest.mark.parametrize("cap", [1, 5])
def test_fixed_links_are_in_all_trees_and_caps_block(cap):
    """Fixed links cost nothing; a node at its cap offers no further pair."""
    from topicweave.model import Interest

    interest = Interest.from_pairs([(node, topic) for node in "abcd" for topic in "xy"])
    prices = build_tables(interest)
    degree = np.zeros(4, np.int64)
    done = fix_links(prices, np.array([[0, 1], [1, 2]]), degree, np.full(4, cap))
    assert done.tolist() == [True, cap > 1] and degree.tolist() == ([1, 1, 0, 0] if cap == 1 else [1, 2, 1, 0])
    assert cell(prices, 0, 0, 1) == cell(prices, 1, 1, 0) == FIXED
    assert cell(prices, 0, 1, 3) == (BLOCKED if cap == 1 else 1 + UNIT // 2)
