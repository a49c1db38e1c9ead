"""Topic diameters, against networkx."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from topicweave.pipeline.workers.diameters import topic_diameters


@st.composite
def graphs(draw):
    """Something of everything: trees, rings, dense and sparse random graphs, in one or several pieces."""
    size, seed = draw(st.integers(1, 90)), draw(st.integers(0, 10**6))
    kind = draw(st.sampled_from(["tree", "ring", "sparse", "dense", "path"]))
    if kind == "tree":
        return nx.random_labeled_tree(size, seed=seed)
    if kind == "ring":
        return (
            nx.Graph(edge for edge in nx.cycle_graph(size).edges if edge[0] != edge[1])
            if size > 2
            else nx.empty_graph(size)
        )
    if kind == "path":
        return nx.path_graph(size)
    return nx.gnm_random_graph(size, size * (1 if kind == "sparse" else 4), seed=seed)


def together(parts):
    """Several topics' graphs as memberships."""
    pairs, topics, base = [], [], 0
    for topic, graph in enumerate(parts):
        graph = nx.convert_node_labels_to_integers(graph)
        pairs += [(a + base, b + base) for a, b in graph.edges]
        topics += [topic] * len(graph)
        base += len(graph)
    return np.array(pairs, dtype=np.int32).reshape(-1, 2).T, np.array(topics, dtype=np.int64)


def widest(graph):
    return max(nx.diameter(graph.subgraph(part)) for part in nx.connected_components(graph))


@settings(max_examples=40)
@given(st.lists(graphs(), min_size=1, max_size=4))
def test_exact(parts):
    """With room to search, every diameter is exact."""
    diameters, exact = topic_diameters(*together(parts), len(parts))
    assert diameters.tolist() == [widest(graph) for graph in parts]
    assert exact.all()


@settings(max_examples=40)
@given(st.lists(graphs(), min_size=1, max_size=4))
def test_without_room_lower_bounds_are_marked(parts):
    """With three searches only, no diameter is too large, and those called exact are."""
    diameters, exact = topic_diameters(*together(parts), len(parts), steps=0)
    for found, sure, graph in zip(diameters, exact, parts, strict=True):
        assert found <= widest(graph)
        assert found == widest(graph) or not sure
