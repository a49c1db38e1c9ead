"""The searches behind trees, against networkx: distances, roots in the middle, who has to relay."""

import numpy as np
import pytest

from topicweave.kernels.topic_links import neighbours_within
from topicweave.kernels.trees import NOBODY, central_root, choose_core, middle, search

nx = pytest.importorskip("networkx")


def random_graph(seed, weighted=False, num_nodes=14):
    """A connected graph, as networkx and as the kernels have it."""
    graph = nx.connected_watts_strogatz_graph(num_nodes, 4, 0.4, seed=seed)
    return graph, arrays_of(graph, np.random.default_rng(seed).random(graph.number_of_edges()) if weighted else None)


def arrays_of(graph, weight=None):
    """(start, near, by, weight) of a graph, whose links get their weights."""
    one, other = (np.array(ends, dtype=np.int32) for ends in zip(*graph.edges, strict=True))
    for number, (u, v) in enumerate(graph.edges):
        graph[u][v].update(number=number, weight=1.0 if weight is None else weight[number])
    return *neighbours_within(one, other, len(graph)), np.empty(0) if weight is None else weight


def room_for(graph):
    """Arrays that a search fills: distances, by which link reached, and in which order."""
    return np.empty(len(graph)), np.empty(len(graph), np.int32), np.empty(len(graph), np.int32)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_search_goes_through_the_core_only(seed, weighted):
    """Distances are those of networkx where members outside the core pass nothing on; nearer ones are reached first."""
    graph, arrays = random_graph(seed, weighted)
    core = np.random.default_rng(seed).random(len(graph)) < 0.6
    root, found = 2, room_for(graph)
    count = search(arrays, core, root, found)
    directed = nx.DiGraph()
    directed.add_nodes_from(graph)
    directed.add_edges_from((u, v, graph[u][v]) for u in graph for v in graph[u] if core[u] or u == root)
    expected = nx.single_source_dijkstra_path_length(directed, root)
    distance, reached_by, order = found
    assert {v: pytest.approx(far) for v, far in enumerate(distance.tolist()) if far >= 0} == expected
    assert sorted(order[:count].tolist()) == sorted(expected)
    assert (np.diff(distance[order[:count]]) >= 0).all()
    ends = {data["number"]: {u, v} for u, v, data in graph.edges(data=True)}
    assert all(v in ends[reached_by[v]] for v in expected if v != root)


@pytest.mark.parametrize("seed", range(5))
def test_the_root_is_within_one_hop_of_the_centre(seed):
    """The centre is found by trying every member; a graph in pieces has none."""
    graph, arrays = random_graph(seed)
    everybody = np.ones(len(graph), np.bool_)
    root = central_root(arrays, everybody, room_for(graph))
    assert nx.eccentricity(graph, root) <= nx.radius(graph) + 1
    torn = nx.Graph([(0, 1), (2, 3)])
    assert central_root(arrays_of(torn), np.ones(4, np.bool_), room_for(torn)) == NOBODY


@pytest.mark.parametrize("seed", range(5))
def test_the_middle_of_a_tree_is_one_of_its_centres(seed):
    """Of a tree's one or two centres."""
    graph = nx.random_labeled_tree(12, seed=seed)
    assert middle(arrays_of(graph), np.ones(12, np.bool_), room_for(graph)) in nx.center(graph)


@pytest.mark.parametrize("seed", range(8))
def test_few_others_relay_and_none_without_need(seed):
    """Receivers are connected through the core, everybody else touches it, and no relay can be left out."""
    graph, arrays = random_graph(seed, num_nodes=12)
    receives = np.random.default_rng(seed).random(12) < 0.4
    receives[0] = True
    core = np.empty(12, np.bool_)
    choose_core(arrays[0], arrays[1], receives, core)
    inner = set(np.flatnonzero(core).tolist())
    assert set(np.flatnonzero(receives).tolist()) <= inner
    assert serves(graph, inner)
    assert not any(serves(graph, inner - {v}) for v in inner if not receives[v])


def serves(graph, inner):
    """Whether these are connected among themselves, and every other member is next to one of them."""
    return nx.is_connected(graph.subgraph(inner)) and nx.is_dominating_set(graph, inner)


def test_with_nobody_to_deliver_to_everybody_may_relay():
    """Any tree is as good as another then."""
    graph, arrays = random_graph(0)
    core = np.empty(len(graph), np.bool_)
    choose_core(arrays[0], arrays[1], np.zeros(len(graph), np.bool_), core)
    assert core.all()
