"""The papers' guarantees, checked against every possible overlay of a few hundred tiny interests.

Constants that a paper hides in O(·) are those of its proof.
"""

from functools import lru_cache
from itertools import pairwise
from math import e, floor, log, log2

import networkx as nx
import numpy as np
import pytest

import topicweave as tw
from tests.every_overlay import every_overlay
from tests.instances import interest_of
from tests.reference import topics_by_number

NUM_CASES = 300
SMALLEST, LARGEST = 4, 6


@lru_cache(maxsize=1)
def cases():
    """Interests of four to six nodes, from sparse to dense, each with all its overlays; at least one link is needed."""
    rng = np.random.default_rng(20)
    found = []
    while len(found) < NUM_CASES:
        num_nodes, num_topics = rng.integers(SMALLEST, LARGEST + 1), rng.integers(1, 7)
        wanted = rng.random((num_nodes, num_topics)) < rng.uniform(0.2, 0.8)
        topics_of = {node: set(np.flatnonzero(row).tolist()) for node, row in enumerate(wanted)}
        known = every_overlay(topics_of)
        if known.tcc[0] > known.tcc[-1]:
            found.append((interest_of(topics_of), known))
    return found


def links_of(interest, algorithm, **parameters):
    """The links of a design, in the order added, by node number."""
    return [tuple(edge) for edge in tw.design(interest, algorithm, **parameters).overlay.edges.tolist()]


def components_over_time(known, edges):
    """TCC before each link, and after the last."""
    return [int(known.tcc[known.number(edges[:count])]) for count in range(len(edges) + 1)]


def test_the_brute_force_agrees_with_networkx():
    """The brute force itself is checked: components of random overlays, counted by networkx."""
    rng = np.random.default_rng(3)
    for interest, known in cases()[:40]:
        topics_of = topics_by_number(interest)
        for overlay in rng.integers(len(known.tcc), size=5).tolist():
            links = [pair for bit, pair in enumerate(known.pairs) if overlay >> bit & 1]
            graph = nx.Graph(links)
            graph.add_nodes_from(topics_of)
            expected = sum(
                nx.number_connected_components(graph.subgraph([v for v in topics_of if t in topics_of[v]]))
                for t in set().union(*topics_of.values())
            )
            assert known.tcc[overlay] == expected
            assert known.links[overlay] == len(links)
            assert known.maximum_degree[overlay] == max(dict(graph.degree()).values())


def test_removed_components_are_monotone_and_submodular():
    """PART Eq. 16-17: more links never remove fewer components, and the gain of a link never grows when others are
    present.
    """
    for _, known in cases()[:100]:
        every = np.arange(len(known.tcc))
        for bit in range(len(known.pairs)):
            without = every[(every >> bit & 1) == 0]
            gain = known.tcc - known.tcc[every | 1 << bit]
            assert (gain >= 0).all()
            for other in range(bit):
                assert (gain[without | 1 << other] <= gain[without]).all()


def test_gm_lemma_6_5():
    """GM takes at most log2(C_start) times the fewest links; each link does its share of the optimum's work."""
    for interest, known in cases():
        fewest = known.links[known.is_tco].min()
        edges = links_of(interest, "gm")
        assert len(edges) <= fewest * log2(known.tcc[0])
        assert len(edges) <= floor(fewest * log(known.tcc[0] - known.tcc[-1])) + 1
        over_time = components_over_time(known, edges)
        for before, after in pairwise(over_time):
            assert before - after >= (before - known.tcc[-1]) / fewest


@pytest.mark.parametrize("k", [1, 1.5, 3, 10])
def test_low_theorem_1(k):
    """Low-ODA takes at most k·ln(C_start − C_end) times the fewest links, rounded up to a whole link."""
    for interest, known in cases():
        fewest = known.links[known.is_tco].min()
        edges = links_of(interest, "low", k=k)
        assert len(edges) <= floor(fewest * k * log(known.tcc[0] - known.tcc[-1])) + 1
        over_time = components_over_time(known, edges)
        for before, after in pairwise(over_time):
            assert before - after >= (before - known.tcc[-1]) / (fewest * k) - 1e-9


@pytest.mark.parametrize("k", [1, 3])
def test_low_theorem_2(k):
    """The maximum degree is at most h = n/(2k) + 1 times the number of sets R_i that the proof allows."""
    for interest, known in cases():
        least = known.maximum_degree[known.is_tco].min()
        most_sets = floor(3 * (least + 1) * log(known.tcc[0] - known.tcc[-1])) + 1
        edges = links_of(interest, "low", k=k)
        assert known.maximum_degree[known.number(edges)] <= (interest.num_nodes / (2 * k) + 1) * most_sets


@pytest.mark.parametrize("k", [1, 2, 3])
def test_low_lemma_5(k):
    """Each set R_i, the links added while Δ rises by h, removes a third of what the best matching would remove."""
    for interest, known in cases():
        is_matching = known.maximum_degree <= 1
        width = int(interest.num_nodes / (2 * k)) + 1
        edges = links_of(interest, "low", k=k)
        for before, after in _groups(known, edges, width):
            assert 3 * (known.tcc[before] - known.tcc[after]) >= known.gain(before)[is_matching].max()


def _groups(known, edges, width):
    """The overlays before and after each set of links that were added while Δ was within the same stretch of h."""
    overlays = [known.number(edges[:count]) for count in range(len(edges) + 1)]
    group_of = [(int(known.maximum_degree[overlay]) - 1) // width for overlay in overlays[1:]]
    ends = [0, *(at for at in range(1, len(edges)) if group_of[at] != group_of[at - 1]), len(edges)]
    return [(overlays[first], overlays[last]) for first, last in pairwise(ends)]


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_part_lemma_1(m):
    """GPA removes at least 1 − 1/e of the components that the best m links remove."""
    for interest, known in cases():
        best = (known.tcc[0] - known.tcc[known.links <= m]).max()
        edges = links_of(interest, "gpa", m=m)
        assert len(edges) <= m
        assert known.tcc[0] - known.tcc[known.number(edges)] >= (1 - 1 / e) * best


@pytest.mark.parametrize("d", [1, 2, 3])
def test_part_lemma_4(d):
    """GPM removes at least 1 − e^(−1/6) of the components that the best overlay of maximum degree d removes."""
    for interest, known in cases():
        best = (known.tcc[0] - known.tcc[known.maximum_degree <= d]).max()
        edges = links_of(interest, "gpm", d=d)
        made = known.number(edges)
        assert known.maximum_degree[made] <= d
        assert known.tcc[0] - known.tcc[made] >= (1 - e ** (-1 / 6)) * best


def test_part_lemma_5():
    """Each phase of GPM, the links added at one value of Δ, removes a third of what the best matching would remove."""
    for interest, known in cases():
        is_matching = known.maximum_degree <= 1
        for before, after in _groups(known, links_of(interest, "gpm", d=3), 1):
            assert 3 * (known.tcc[before] - known.tcc[after]) >= known.gain(before)[is_matching].max()
