"""Failures that cut a topic, against flows: a graph is k-connected if no k - 1 nodes cut it (Menger)."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave import Interest
from topicweave.metrics.failures import separating_nodes, topic_graphs

EVERY_PAIR = list(combinations(range(6), 2))


@given(st.sets(st.sampled_from(EVERY_PAIR)), st.integers(2, 6), st.sampled_from([2, 3]))
def test_a_topic_is_cut_exactly_if_flows_say_so(links, size, connectivity):
    """And the nodes named do cut it; a topic with few subscribers needs every link."""
    interest = Interest.from_sets({str(v): ["t"] if v < size else ["else"] for v in range(6)})
    edges = np.array(sorted(links), dtype=np.int64).reshape(-1, 2)
    graph = nx.Graph([link for link in links if max(link) < size])
    graph.add_nodes_from(range(size))
    found = [cut for cut in separating_nodes(interest, edges, connectivity) if cut[0] == interest.topics.index("t")]
    if size <= connectivity:
        assert bool(found) == (graph.number_of_edges() < size * (size - 1) // 2)
    else:
        assert bool(found) == (nx.node_connectivity(graph) < connectivity)
    for _, nodes, is_missing in found:
        if is_missing:
            assert not graph.has_edge(*nodes)
        else:
            assert len(nodes) < connectivity
            graph.remove_nodes_from(nodes)
            assert not nx.is_connected(graph)


@pytest.mark.parametrize("links", [[], [(0, 1)], [(0, 1), (1, 2), (0, 3)]])
def test_graphs_of_topics_are_those_inside_the_topic(links):
    """Links with only one end in the topic are not among its links."""
    interest = Interest.from_sets({"0": ["s", "t"], "1": ["t"], "2": ["t"], "3": ["s"]})
    edges = np.array(links, dtype=np.int64).reshape(-1, 2)
    inside = {topic: (nodes.tolist(), inner.tolist()) for topic, nodes, inner in topic_graphs(interest, edges)}
    s_links = [[0, 1]] if (0, 3) in links else []
    assert inside[0] == ([0, 3], s_links)
    assert inside[1] == ([0, 1, 2], [[u, v] for u, v in links if v < 3])
