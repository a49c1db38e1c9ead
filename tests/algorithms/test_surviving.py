"""Overlays that survive failures, against the connectivity that networkx computes by flows."""

import networkx as nx
import pytest

import topicweave as tw
from topicweave.algorithms.surviving import harary_graph


@pytest.mark.parametrize("connectivity", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("size", [2, 3, 5, 6, 9, 12])
def test_harary_graphs_are_connected_as_promised_with_fewest_links(size, connectivity):
    """Half the product of size and connectivity, rounded up, is the least number possible (a tree for 1)."""
    links = harary_graph(size, connectivity)
    graph = nx.Graph(links.tolist())
    assert len(graph) == size and graph.number_of_edges() == len(links)
    if size <= connectivity:
        assert len(links) == size * (size - 1) // 2
        return
    assert nx.node_connectivity(graph) >= connectivity
    assert len(links) == (size - 1 if connectivity == 1 else -(-size * connectivity // 2))


@pytest.mark.parametrize(("name", "parameters"), [("gm2", {}), ("harary", {}), ("harary", {"connectivity": 3})])
def test_every_topic_survives(name, parameters):
    """The verifier confirms it by letting the nodes fail one after the other."""
    interest = tw.workloads.synthetic(num_nodes=40, num_topics=8, popularity="zipf", alpha=0.5, subscriptions=3, seed=0)
    overlay = tw.design(interest, name, **parameters).overlay
    survives = tw.Requirements(connectivity=parameters.get("connectivity", 2))
    assert tw.verify(interest, overlay, survives).satisfied


def test_gm2_needs_every_link():
    """Without any one of its links, some topic would not survive."""
    interest = tw.workloads.synthetic(num_nodes=20, num_topics=5, popularity="zipf", alpha=0.5, subscriptions=2, seed=1)
    pairs = tw.design(interest, "gm2").overlay.pairs()
    survives = tw.Requirements(connectivity=2)
    for left_out in pairs:
        rest = tw.Overlay.from_pairs([pair for pair in pairs if pair != left_out], labels=interest.nodes)
        assert not tw.verify(interest, rest, survives).satisfied


def test_a_harary_graph_per_topic_is_a_ring_for_two():
    """The same links as RingPT, whatever their order."""
    interest = tw.workloads.synthetic(num_nodes=30, num_topics=6, popularity="zipf", alpha=0.5, subscriptions=3, seed=0)
    both = [set(tw.design(interest, name).overlay.pairs()) for name in ("harary", "ring")]
    assert both[0] == both[1]
