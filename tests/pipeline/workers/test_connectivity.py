"""How many failures topics survive, against networkx."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from topicweave.pipeline.workers.connectivity import cut_vertices, topic_connectivity


@st.composite
def graphs(draw):
    """A graph of up to nine vertices, connected or not."""
    size = draw(st.integers(1, 9))
    pairs = draw(st.sets(st.sampled_from(list(combinations(range(size), 2)) or [(0, 0)]), max_size=30))
    graph = nx.empty_graph(size)
    graph.add_edges_from(pair for pair in pairs if pair[0] != pair[1])
    return graph


def together(parts):
    """Several graphs as the topics of one bucket: links, and the topic of each membership."""
    whole = nx.disjoint_union_all(parts)
    topics = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    return np.array(list(whole.edges), dtype=np.int32).reshape(-1, 2).T, topics


def survives(graph, k):
    """By removing any k - 1 vertices; a graph of at most k vertices must be a clique."""
    n = len(graph)
    if n <= k:
        return graph.number_of_edges() == n * (n - 1) // 2
    return all(nx.is_connected(graph.subgraph(set(graph) - set(gone))) for gone in combinations(graph, k - 1))


@given(st.lists(graphs(), min_size=1, max_size=5))
@settings(max_examples=150, deadline=None)
def test_levels_are_those_found_by_removing_vertices(parts):
    """The largest k that the definition grants, for k up to 2 and up to 3."""
    pairs, topics = together(parts)
    expected = [sum(all(survives(part, j) for j in range(1, k + 1)) for k in (1, 2, 3)) for part in parts]
    assert topic_connectivity(pairs, topics, len(parts), 3).tolist() == expected
    assert topic_connectivity(pairs, topics, len(parts), 2).tolist() == [min(each, 2) for each in expected]


@pytest.mark.parametrize("seed", range(4))
def test_cut_vertices_of_sparse_graphs_are_those_of_networkx(seed):
    """Two hundred vertices with few links: many blocks, long paths, several components."""
    graph = nx.gnm_random_graph(200, 230, seed=seed)
    pieces, is_cut = cut_vertices(np.array(list(graph.edges), dtype=np.int64).T, 200)
    assert set(np.flatnonzero(is_cut)) == set(nx.articulation_points(graph))
    assert len(set(pieces.tolist())) == nx.number_connected_components(graph)
    assert is_cut.sum() > 20
