"""Near candidates: with enough of them the links are the twins' own; with few, everything still gets connected."""

from __future__ import annotations

import time

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topicweave as tw
from tests import instances, reference
from tests.algorithms.greedy.test_rules import run, tasks, twin_options
from topicweave import Interest, design, workloads
from topicweave.algorithms.greedy import near, problem
from topicweave.metrics import topic_components

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


@given(tasks())
def test_with_a_candidate_for_every_node_the_links_are_the_twins(task):
    """Lists this short are walked whole, so nothing that all pairs would show is missed."""
    case, prefer, rule, parameters = task
    case, parameters = case._replace(pairs=None), {key: value for key, value in parameters.items() if key != "fill"}
    expected = reference.greedy(
        reference.topics_by_number(case.interest),
        reference.RULES[rule](**{key: value for key, value in parameters.items() if key != "passes"}),
        passes=parameters.get("passes", 1),
        **twin_options(case, prefer),
    )
    made = run(case, prefer, rule, parameters, ties="lexicographic", candidates="near", num_candidates=40)
    assert [tuple(edge) for edge in made.overlay.edges[len(case.start) :].tolist()] == expected.edges
    assert made.trace.contribution.tolist() == expected.contributions


BUDGETS = st.one_of(
    st.tuples(st.just("gpa"), st.fixed_dictionaries({"m": st.integers(0, 12)})),
    st.tuples(st.just("gpm"), st.fixed_dictionaries({"d": st.integers(0, 4)})),
)


@given(instances.cases(max_nodes=12), BUDGETS)
def test_a_budget_ends_the_rounds_where_it_ends_the_twin(case, budgeted):
    """This holds even if topics are left unconnected and some nodes have no room for another link."""
    rule, parameters = budgeted
    expected = reference.greedy(reference.topics_by_number(case.interest), reference.RULES[rule](**parameters))
    made = tw.design(
        case.interest, rule, ties="lexicographic", candidates="near", num_candidates=40, **parameters
    )  # fmt: skip
    assert [tuple(edge) for edge in made.overlay.edges.tolist()] == expected.edges


@pytest.mark.parametrize(("rule", "parameters"), [("gpa", {"m": 300}), ("gpm", {"d": 2}), ("gpm", {"d": 0})])
def test_a_budget_ends_the_rounds_also_where_lists_are_long(monkeypatch, rule, parameters):
    """With small windows, a node cannot know that nothing more can be found."""
    monkeypatch.setattr(problem, "MOST_BITS", 0)
    monkeypatch.setattr(near, "LIMITS", near.LIMITS._replace(whole=0, head=2, window=4))
    made = tw.design(workloads.synthetic(300, 20, subscriptions=5), rule, candidates="near", **parameters)
    assert made.overlay.num_edges <= parameters.get("m", 300)
    assert made.overlay.maximum_degree <= parameters.get("d", 300)
    assert made.notes and made.support < 1


@given(
    instances.cases(max_nodes=12),
    st.sampled_from([("gm", {}), ("minmax", {}), ("low", {"k": 2.0})]),
    st.integers(1, 2),
    st.integers(0, 3),
)
def test_one_candidate_a_round_connects_everything(case, rule, num_candidates, seed):
    name, parameters = rule
    made = tw.design(
        case.interest, name, candidates="near", num_candidates=num_candidates, seed=seed, **parameters
    )  # fmt: skip
    assert tw.verify(case.interest, made.overlay).topic_connected


@pytest.mark.parametrize("rule", [("gm", {}), ("low", {"k": 3.0})])
def test_long_lists_seen_through_small_windows(monkeypatch, rule):
    """The head and a window of each list, two threads or one: connected, near the links of all pairs, the same."""
    if numba.config.DISABLE_JIT:
        pytest.skip("too slow when kernels are interpreted")
    monkeypatch.setattr(problem, "MOST_BITS", 0)
    monkeypatch.setattr(near, "LIMITS", near.LIMITS._replace(whole=0, head=8, window=24))
    name, parameters = rule
    interest = workloads.synthetic(600, 40, subscriptions=6, seed=1)
    everything = tw.design(interest, name, **parameters).overlay.num_edges
    made = []
    before = numba.get_num_threads()
    try:
        for threads in (1, before):
            numba.set_num_threads(threads)
            made.append(tw.design(interest, name, candidates="near", seed=3, **parameters))
    finally:
        numba.set_num_threads(before)
    assert (made[0].overlay.edges == made[1].overlay.edges).all()
    assert tw.verify(interest, made[0].overlay).topic_connected
    assert made[0].overlay.num_edges < 1.25 * everything
    assert made[0].parameters["candidates"] == "near"


def test_auto_means_near_beyond_a_number_of_nodes(monkeypatch):
    interest = instances.four_brokers()
    assert "candidates" not in tw.design(interest, "gm").parameters
    monkeypatch.setattr("topicweave.algorithms.options.AUTO_NODES", 3)
    assert tw.design(interest, "gm").parameters["candidates"] == "near"
    assert "candidates" not in tw.design(interest, "gm", candidates="all").parameters
    assert "candidates" not in tw.design(interest, "gm", pairs=[[0, 1]]).parameters


@pytest.mark.parametrize(
    ("algorithm", "options", "message"),
    [
        ("gm", {"candidates": "nere"}, "did you mean 'near'"),
        ("gm", {"candidates": "near", "num_candidates": 0}, "num_candidates must be a whole number, 1 or more"),
        ("gm", {"candidates": "all", "num_candidates": 3}, "give one"),
        ("gm", {"candidates": "near", "pairs": [[0, 1]]}, "give one"),
        ("ring", {"candidates": "near"}, "does not choose from candidates"),
        (
            "minmax",
            {"candidates": "near", "fill": True},
            "fill=True makes links .* needs all pairs and not near candid",
        ),
        ("gpm", {"num_candidates": 3, "fill": True, "d": 2}, "needs all pairs and not near candidates"),
        ("minmax", {"pairs": [[0, 1]], "fill": True}, "needs all pairs and not pairs=; leave one of them out"),
    ],
)
def test_what_does_not_fit_is_said(algorithm, options, message):
    with pytest.raises(tw.errors.ParameterError, match=message):
        tw.design(instances.four_brokers(), algorithm, **options)


@pytest.mark.parametrize(
    ("algorithm", "parameters", "num_edges"),
    [
        ("minmax", {}, 199_999),
        ("gm", {}, 199_999),
        ("low", {}, 199_999),
        ("gpm", {"d": 2}, 199_999),
        ("gpa", {"m": 7}, 7),
    ],
)
def test_one_topic_of_very_many_is_linked_in_a_row(algorithm, parameters, num_edges):
    """All partners are equally good, so no node searches: it takes a few hundredths of a second, and no node has more
    than two links.
    """
    names = tuple(f"{number:06d}" for number in range(200_000))
    interest = Interest.from_csr(names, ("t",), np.arange(200_001), np.zeros(200_000, dtype=np.int64))
    before = time.process_time()
    made = design(interest, algorithm, **parameters)
    assert time.process_time() - before < 20, "it took minutes"
    assert made.overlay.num_edges == num_edges and made.overlay.maximum_degree == 2
    assert topic_components(interest, made.overlay).tolist() == [200_000 - num_edges]
    assert made.components == 200_000 - num_edges


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
