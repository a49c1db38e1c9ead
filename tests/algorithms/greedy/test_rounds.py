"""The rounds of near candidates: how many there are, who searches before each, and that neither costs links."""

from __future__ import annotations

import numpy as np
import pytest

import topicweave as tw
from topicweave import design, workloads

SPARSE = {"num_nodes": 3000, "num_topics": 300, "popularity": "zipf", "alpha": 0.5, "subscriptions": 20}


def searches(made):
    return sum(one.searching for one in made.trace.rounds)


def friends(num_users, per_user, seed=0):
    """Who follows whom if newcomers prefer users that many follow already; topics are the followed users."""
    rng = np.random.default_rng(seed)
    followed, pairs = [0], []
    for user in range(1, num_users):
        chosen = sorted({followed[place] for place in rng.integers(0, len(followed), per_user)})
        pairs += [(f"u{user}", f"t{other}") for other in chosen] + [(f"u{other}", f"t{user}") for other in chosen]
        followed += [*chosen, user]
    return tw.Interest.from_pairs(pairs)


@pytest.mark.parametrize(("algorithm", "parameters"), [("low", {"k": 3}), ("minmax", {}), ("gpm", {"d": 6})])
def test_rules_that_look_at_degrees_take_few_rounds_and_lose_nothing(algorithm, parameters):
    """Δ begins near what the design needs, so it takes few rounds; links, Δ and support are those of all pairs."""
    interest = workloads.synthetic(num_nodes=3000, num_topics=300, popularity="zipf", alpha=0.5, subscriptions=20)
    whole = design(interest, algorithm, candidates="all", **parameters)
    made = design(interest, algorithm, candidates="near", **parameters)
    assert len(made.trace.rounds) <= 12
    assert made.overlay.num_edges <= 1.012 * whole.overlay.num_edges
    assert made.overlay.maximum_degree <= whole.overlay.maximum_degree + 1
    assert tw.verify(interest, made.overlay).support >= tw.verify(interest, whole.overlay).support - 0.005


def test_very_unequal_sizes_raise_the_maximum_degree_step_by_step():
    """Beginning at a high Δ, large nodes would use up their links on each other: here gpm would lose three points."""
    interest = workloads.synthetic(
        num_nodes=1000, num_topics=1000, popularity="zipf", alpha=2.0, subscriptions=(20, 600), seed=3
    )
    whole = design(interest, "gpm", d=4, candidates="all")
    made = design(interest, "gpm", d=4, candidates="near")
    assert tw.verify(interest, made.overlay).support >= tw.verify(interest, whole.overlay).support - 0.01


@pytest.mark.parametrize(("algorithm", "parameters"), [("low", {"k": 3}), ("minmax", {}), ("gpm", {"d": 6})])
def test_rules_that_look_at_degrees_search_little_more_than_the_one_that_does_not(algorithm, parameters):
    """While all nodes are open, one search fills both shortlists; later, all nodes are searched only if need be."""
    interest = workloads.synthetic(**SPARSE)
    made = design(interest, algorithm, candidates="near", **parameters)
    assert searches(made) <= 1.6 * searches(design(interest, "gm", candidates="near"))


def test_where_the_maximum_degree_rises_step_by_step_few_nodes_search_again():
    """Around hubs Δ rises very often, with one round each; only nodes open again, or short of partners, search."""
    interest = friends(1500, 4)
    made = design(interest, "low", k=3, candidates="near")
    rounds = made.trace.rounds
    assert len(rounds) > 40
    assert searches(made) <= 8 * interest.num_nodes
    whole = design(interest, "low", k=3, candidates="all")
    assert made.overlay.num_edges <= 1.012 * whole.overlay.num_edges
    assert made.overlay.maximum_degree <= 1.05 * whole.overlay.maximum_degree + 1
    assert tw.verify(interest, made.overlay).topic_connected
