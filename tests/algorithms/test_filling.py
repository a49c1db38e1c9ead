"""Links of contribution 0: the literal reading of MinMax-ODA and GPM."""

from __future__ import annotations

import numpy as np
import pytest

import topicweave as tw
from tests import instances
from topicweave.errors import ParameterError


@pytest.mark.parametrize("n", [10, 16, 24])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_low_lemma_1_as_printed(n, seed):
    """n(n − 2)/2 links, by matchings of all nodes, n − 2 of them; a link or two more or less depending on ties."""
    made = tw.design(instances.low_lemma_1(n), "minmax", fill=True, seed=seed)
    assert abs(made.overlay.num_edges - n * (n - 2) / 2) <= 2
    assert abs(made.overlay.maximum_degree - (n - 2)) <= 1


@pytest.mark.parametrize("ties", ["balanced", "random", "lexicographic"])
def test_no_link_fits_under_delta_before_it_rises(ties):
    """Of 61 nodes, three share no topic with any other; before each rise of Δ all nodes below it are linked."""
    sets = tw.workloads.synthetic(58, 20, subscriptions=(2, 6), seed=1)
    topics = {node: set(sets.topics_of(node)) for node in sets.nodes} | {f"x{i}": {f"of x{i}"} for i in range(3)}
    interest = tw.Interest.from_sets(topics)
    made = tw.design(interest, "minmax", fill=True, ties=ties, seed=4)
    assert tw.verify(interest, made.overlay).topic_connected
    degree, linked = np.zeros(interest.num_nodes, dtype=int), set()
    for u, v in made.overlay.edges.tolist():
        if max(degree[u], degree[v]) == degree.max():  # it raises Δ
            below = np.flatnonzero(degree < degree.max()).tolist()
            assert all((a, b) in linked for a in below for b in below if a < b)
        degree[[u, v]] += 1
        linked.add((u, v))
    assert (made.trace.contribution == 0).any()
    assert made.overlay.num_edges == len(linked)


def test_filling_costs_links_and_connects_no_more():
    interest = tw.workloads.synthetic(200, 60, subscriptions=(3, 9), seed=2)
    plain, literal = (tw.design(interest, "gpm", d=3, fill=fill) for fill in (False, True))
    assert literal.overlay.num_edges > plain.overlay.num_edges
    assert literal.overlay.maximum_degree == 3
    assert abs(literal.support - plain.support) < 0.02


def test_a_share_is_refused_beyond_all_pairs():
    """At once, before any of them is looked at."""
    many = tw.workloads.synthetic(20_001, 3, subscriptions=1)
    with pytest.raises(ParameterError, match=r"budget_ratio=0\.2 is a share .* 20,001 nodes have too many of; give d="):
        tw.design(many, "gpm", budget_ratio=0.2)
