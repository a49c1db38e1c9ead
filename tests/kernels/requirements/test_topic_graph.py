"""Hops and blocks inside a topic, against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.requirements.cases import NODES, PAIRS, link_sets, network_of
from topicweave.kernels.requirements import topic_graph
from topicweave.kernels.requirements.topic_graph import (
    build_graph,
    find_blocks,
    graph_for,
    is_met,
    is_within,
    weakest_member,
)

EVERYBODY = {node: {"t"} for node in NODES}


def graphs(links, members=NODES):
    """The graph of a topic as the kernel builds it, and in networkx."""
    network = network_of({node: {"t"} if node in members else {"other"} for node in NODES}, links)
    graph = graph_for(len(NODES), len(NODES), 32)
    n = build_graph(network.members, network.links, graph, network.interest.topics.index("t"))
    plain = nx.Graph([link for link in links if set(link) <= set(members)])
    plain.add_nodes_from(members)
    return graph, n, nx.relabel_nodes(plain, {node: place for place, node in enumerate(sorted(members))})


def blocks_of(graph, n, removed=-1):
    """What find_blocks returns and writes."""
    order, parent, block = (np.full(n, -9, dtype=np.int32) for _ in range(3))
    return *find_blocks(graph, n, removed, order, parent, block), order, parent, block


@given(link_sets, st.sets(st.sampled_from(NODES), min_size=1), st.integers(1, 7), st.integers(0, 7))
def test_hops_are_those_of_networkx(links, members, limit, centre):
    """Whichever member is the centre; links that leave the topic do not count."""
    graph, n, plain = graphs(links, members)
    expected = nx.is_connected(plain) and nx.diameter(plain) <= limit
    assert is_within(graph, n, limit, centre % n) == expected


def test_long_chains_are_measured_exactly():
    """Over more than one word of bits, and one by one if there were too many members for bits."""
    for n in (63, 64, 65, 130):
        graph = graph_for(n, n, n)
        graph.begin[: n + 1] = [0, *(1 + 2 * i for i in range(n - 1)), 2 * n - 2]
        graph.near[: 2 * n - 2] = [1, *(w for v in range(1, n - 1) for w in (v - 1, v + 1)), n - 2]
        few_bits = graph._replace(bits=graph.bits[:, :1])
        for either in (graph, few_bits):
            assert is_within(either, n, n - 1, 0) and not is_within(either, n, n - 2, n // 2)
            assert is_within(either, n, n, n // 2 - 1)


@given(link_sets, st.integers(-1, 7))
def test_blocks_are_those_of_networkx(links, removed):
    """Each block is its parent and the members that name it; parents come before their children in the order."""
    graph, n, plain = graphs(links)
    plain.remove_nodes_from([removed])
    pieces, count, order, parent, block = blocks_of(graph, n, removed)
    assert pieces == nx.number_connected_components(plain)
    found = [{v for v in range(n) if v != removed and block[v] == b} for b in range(count)]
    whole = sorted(sorted(part | {int(parent[min(part)])}) for part in found)
    assert whole == sorted(map(sorted, nx.biconnected_components(plain)))
    place = {int(v): i for i, v in enumerate(order[: len(plain)])}
    assert all(parent[v] < 0 or place[int(parent[v])] < place[v] for v in plain)


@given(link_sets, st.sets(st.sampled_from(NODES), min_size=1), st.integers(0, 5), st.integers(1, 3))
def test_a_topic_is_met_exactly_if_networkx_says_so(links, members, limit, connectivity):
    """Diameter and connectivity; a clique where there are few members."""
    graph, n, plain = graphs(links, members)
    scratch = (np.empty(n, dtype=np.int32) for _ in range(3))
    if n <= connectivity:
        expected = plain.number_of_edges() == n * (n - 1) // 2
    else:
        expected = nx.node_connectivity(plain) >= connectivity
        expected = expected and (not limit or nx.diameter(plain) <= limit)
    assert is_met(graph, n, limit, connectivity, 0, *scratch) == expected


@pytest.mark.parametrize("links", [[], PAIRS, [(NODES[i], NODES[(i + 1) % 8]) for i in range(8)]], ids=len)
def test_the_weakest_member_is_one_whose_failure_leaves_cuts(links):
    """In a ring any member, in a clique none."""
    graph, n, plain = graphs(links)
    weakest = weakest_member(graph, n, *(np.empty(n, dtype=np.int32) for _ in range(3)))
    if len(links) == len(PAIRS):
        assert weakest == -1
    else:
        plain.remove_node(weakest)
        assert not nx.is_biconnected(plain)


def test_large_topics_get_no_more_bits_than_the_limit():
    """Their distances are searched from each member."""
    assert graph_for(5000, 5000, 10).bits.shape == (2, topic_graph.MOST_WITH_BITS, topic_graph.MOST_WITH_BITS // 64)
