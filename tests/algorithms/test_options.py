"""The arguments of design() are checked once, before anything is read, and design_with() trusts them."""

from __future__ import annotations

import inspect

import pytest

import topicweave as tw
from topicweave.algorithms.design import design_with, rehearse
from topicweave.algorithms.greedy import loop
from topicweave.algorithms.options import SHARED, TIES, Options, check_options, shared_parameters
from topicweave.errors import InfeasibleError, InputError

BAD = [
    ("loww", {}),
    ("low", {"k": 0.5}),
    ("low", {"m": 3}),
    ("gpa", {}),
    ("gpa", {"m": -1}),
    ("gpa", {"m": 3, "budget_ratio": 0.5}),
    ("gpa", {"budget_ratio": float("inf")}),
    ("gm", {"budget_ratio": 0.5}),
    ("gm", {"ties": "coin"}),
    ("gm", {"candidates": "far"}),
    ("gm", {"candidates": "near", "num_candidates": 0}),
    ("gm", {"memory_limit": -1}),
    ("gm", {"start": [[0, 1]]}),
    ("ring", {"candidates": "near"}),
    ("ring", {"topics": ["t"]}),
    ("gm", {"seed": -1}),
]


@pytest.mark.parametrize(("algorithm", "parameters"), BAD)
def test_bad_options_are_refused_without_an_interest(algorithm, parameters):
    """The messages are those of design()."""
    with pytest.raises(InputError) as early:
        check_options(algorithm, **parameters)
    with pytest.raises(type(early.value)) as late:
        tw.design(tw.Interest.from_pairs([("a", "t"), ("b", "t")]), algorithm, **parameters)
    assert str(early.value) == str(late.value)


def test_the_default_is_low_with_k_3(four_brokers):
    options = check_options()
    assert (options.algorithm, options.parameters) == ("low", {"k": 3.0})
    made = tw.design(four_brokers)
    assert (made.algorithm, made.parameters["k"]) == ("low", 3.0)


def test_defaults_in_the_signature_are_those_of_the_table():
    """The signature repeats them for readers."""
    written = inspect.signature(tw.design).parameters
    assert {one.name: written[one.name].default for one in SHARED} == {one.name: one.default for one in SHARED}


def test_tie_rules_are_those_of_the_loop():
    assert set(TIES) == set(loop.TIES)


def test_shared_parameters_name_who_takes_them():
    takers = {offer.parameter.name: offer.takers for offer in shared_parameters()}
    assert takers["ties"] == ("gm", "minmax", "low", "gpa", "gpm")
    assert takers["budget_ratio"] == ("gpa", "gpm", "random_avg", "random_max", "spidercast_max")


def test_options_are_checked_once(four_brokers, monkeypatch):
    """design_with() does not look at the parameters again."""
    options = check_options("gpm", d=2, ties="random", seed=3)
    monkeypatch.setattr("topicweave.parameters.check_whole", lambda *_: pytest.fail("checked again"))
    made = design_with(four_brokers, options)
    monkeypatch.undo()
    assert made.overlay.pairs() == tw.design(four_brokers, "gpm", d=2, ties="random", seed=3).overlay.pairs()


def test_a_budget_by_its_share_is_not_among_the_parameters_yet():
    options = check_options("gpa", budget_ratio=0.5)
    assert options.parameters == {}
    assert options.budget is not None and options.budget.name == "m"
    assert check_options("gpa", m=3).budget is None


@pytest.mark.parametrize(
    ("given", "num_nodes", "near"),
    [
        ({}, 20_000, None),
        ({}, 20_001, 16),
        ({"pairs": [[0, 1]]}, 20_001, None),
        ({"candidates": "all"}, 20_001, None),
        ({"candidates": "near"}, 2, 16),
        ({"num_candidates": 5}, 2, 5),
    ],
)
def test_how_many_near_candidates_a_node_gets(given, num_nodes, near):
    assert check_options("gm", **given).num_near(num_nodes) == near


@pytest.mark.parametrize("algorithm", tw.ALGORITHMS)
def test_every_algorithm_can_be_rehearsed(algorithm):
    needed = {"m": 1, "d": 1}
    names = {parameter.name for parameter in tw.ALGORITHMS[algorithm].parameters}
    rehearse(check_options(algorithm, **{name: value for name, value in needed.items() if name in names}))


def test_a_rehearsal_says_that_there_is_too_little_memory_for_anything():
    with pytest.raises(InfeasibleError, match="memory_limit="):
        rehearse(check_options("gm", memory_limit=1))
    rehearse(check_options("gm", memory_limit=10**9, topics=["of the real input"]))


def test_options_can_be_built_by_hand_from_checked_ones():
    assert isinstance(check_options(), Options)
    assert check_options("low", k=2) == check_options("low", k=2.0)


def test_a_budget_that_leaves_topics_in_pieces_is_told():
    """An overlay without links must not look like a good result."""
    planned = tw.design(tw.Interest.from_pairs([("a", "x"), ("b", "x"), ("c", "x")]), "gpm", d=0)
    assert planned.overlay.num_edges == 0
    assert "2 topic components are left unconnected, because of the budget." in planned.summary()
