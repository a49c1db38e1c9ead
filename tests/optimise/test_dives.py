"""Several dives on one ascent: the best of the whole ones, and those around a node."""

from __future__ import annotations

import math

import numpy as np
import pytest

import topicweave as tw
from topicweave.optimise import dives as module
from topicweave.optimise.dives import Dives


def never():
    return False


@pytest.fixture
def interest():
    return tw.workloads.synthetic(num_nodes=60, num_topics=40, subscriptions=6, seed=3)


@pytest.fixture
def start(interest):
    return tw.design(interest, "gm").overlay


def dives_of(interest, start, seed=0):
    made = Dives(interest, start.num_edges, np.full(interest.num_nodes, start.maximum_degree), seed)
    for _ in range(200):
        made.ascent.step()
    return made


def test_least_links_is_the_bound_rounded_up(interest, start):
    made = dives_of(interest, start)
    value, certificate = made.ascent.certificate()
    assert made.least_links == math.ceil(certificate.value() - 1e-6) <= math.ceil(value)
    assert made.least_links <= tw.improve(interest, start, rounds=2).overlay.num_edges


def test_the_best_of_several_dives_is_taken_where_they_are_quick(interest, start, monkeypatch):
    """Three step lengths; a large table has to do with one dive."""
    lengths = []
    original = module.dive

    def dive(*given, **settings):
        found = original(*given, **settings)
        lengths.append(len(found))
        return found

    monkeypatch.setattr(module, "dive", dive)
    made = dives_of(interest, start)
    assert made.is_quick and len(made.dive(never, None)) == min(lengths) and len(lengths) == 3
    lengths.clear()
    monkeypatch.setattr(module, "QUICK_TABLE", 0)
    assert not made.is_quick and len(made.dive(never, None)) == lengths[0] and len(lengths) == 1


def test_out_of_time_there_is_nothing(interest, start):
    made = dives_of(interest, start)
    assert made.dive(lambda: True, None) is None
    assert made.dive_again(start.edges, lambda: True, None) is None


def test_a_later_dive_keeps_what_is_far_from_its_node(interest, start):
    """Half or seven tenths of the nodes keep the links among them; the choice depends on the seed alone."""
    found = [dives_of(interest, start, seed).dive_again(start.edges, never, None) for seed in (0, 0, 1)]
    assert found[0].tolist() == found[1].tolist() != found[2].tolist()
    before = set(map(tuple, start.edges.tolist()))
    for links in found:
        after = {tuple(sorted(link)) for link in links.tolist()}
        assert np.bincount(links.ravel()).max() <= start.maximum_degree
        lost = before - after
        assert lost and len(before & after) >= len(before) // 10
        near = set().union(*lost)
        assert len(near) < interest.num_nodes


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_the_nodes_around_one_are_the_nearest(interest, start, share):
    """As many as asked for, connected among themselves where the overlay is, and no node farther than one left out."""
    import networkx

    graph = networkx.Graph(start.edges.tolist())
    is_near = dives_of(interest, start)._around(start.edges, share)
    chosen = set(np.flatnonzero(is_near).tolist())
    assert len(chosen) == int(share * interest.num_nodes)
    assert networkx.is_connected(graph.subgraph(chosen))
    others = set(graph) - chosen
    assert not others or any(
        max(distance[v] for v in chosen) <= min(distance[v] for v in others)
        for distance in (networkx.single_source_shortest_path_length(graph, v) for v in chosen)
    )
