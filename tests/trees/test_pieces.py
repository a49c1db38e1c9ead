"""The pieces of a tree, against networkx's components."""

import random

import networkx as nx
import pytest

from topicweave.trees.pieces import Pieces


@pytest.mark.parametrize("seed", range(20))
def test_pieces_are_the_components_of_the_links_that_are_left(seed):
    """Joined link by link; a copy that is joined further leaves the original as it was."""
    rng = random.Random(seed)
    nodes = [f"n{v}" for v in range(rng.randint(1, 10))]
    graph = nx.Graph()
    graph.add_nodes_from(nodes)
    pieces = Pieces(set(nodes), ())
    for _ in range(rng.randint(0, 8)):
        link = tuple(sorted((rng.choice(nodes), rng.choice(nodes))))
        is_new = not nx.has_path(graph, *link)
        assert pieces.is_joined(link) is not is_new
        assert pieces.join(link) is is_new
        graph.add_edge(*link)
    parts = sorted(nx.connected_components(graph), key=len)
    copy = pieces.copy()
    for node in nodes:
        copy.join((nodes[0], node))
    assert copy.number == 1
    assert pieces.number == len(parts)
    assert {node for node in nodes if pieces.is_alone(node)} == {v for part in parts if len(part) == 1 for v in part}
    outside = pieces.outside_largest()
    assert set(nodes) - outside in [part for part in parts if len(part) == len(parts[-1])]
    some = set(rng.sample(nodes, rng.randint(0, len(nodes))))
    assert pieces.connects(some) is any(some <= part for part in parts)
