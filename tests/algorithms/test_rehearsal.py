"""What is said about an algorithm before anything is read is what the verb would say afterwards."""

import pytest

import topicweave as tw
from topicweave.algorithms.rehearsal import check_arguments, rehearse

TWO = tw.Interest.from_pairs([("a", "t"), ("b", "t")])

BAD = [
    ("loww", {}, 0),
    ("low", {"k": 0.5}, 0),
    ("low", {"m": 3}, 0),
    ("gpa", {}, 0),
    ("gpa", {"m": -1}, 0),
    ("gpa", {"m": 3, "budget_ratio": 0.5}, 0),
    ("gm", {"budget_ratio": 0.5}, 0),
    ("gm", {"ties": "coin"}, 0),
    ("gm", {"candidates": "far"}, 0),
    ("gm", {"candidates": "near", "num_candidates": 0}, 0),
    ("ring", {"candidates": "near"}, 0),
    ("gm", {}, -1),
]


@pytest.mark.parametrize(("algorithm", "parameters", "seed"), BAD)
def test_bad_rules_are_refused_as_the_verb_refuses_them(algorithm, parameters, seed):
    with pytest.raises(tw.TopicweaveError) as real:
        tw.design(TWO, algorithm, seed=seed, **parameters)
    with pytest.raises(type(real.value)) as early:
        check_arguments(algorithm, parameters, seed)
    assert str(early.value) == str(real.value)


@pytest.mark.parametrize("algorithm", tw.ALGORITHMS)
def test_good_rules_pass(algorithm):
    needed = {"m": 1, "d": 1}
    parameters = {parameter.name: needed[parameter.name] for parameter in tw.ALGORITHMS[algorithm].parameters
                  if parameter.name in needed}  # fmt: skip
    check_arguments(algorithm, parameters, 0)
    rehearse(algorithm, parameters, 0)


def test_too_little_memory_for_anything_is_said_at_once():
    with pytest.raises(tw.InfeasibleError, match="memory_limit="):
        check_arguments("gm", {"memory_limit": 1, "ties": "random"}, 0)
    check_arguments("gm", {"memory_limit": 10**9}, 0)


def test_what_belongs_to_the_real_nodes_is_left_to_the_real_design():
    """An overlay to go on from, topics and pairs do not fit two nodes that stand for all others."""
    start = tw.Overlay.from_pairs([("x", "y")], labels=("x", "y", "z"))
    for parameters in ({"start": start}, {"topics": ["news"]}, {"pairs": [(0, 2)]}):
        check_arguments("gm", parameters, 0)
        rehearse("gm", parameters, 0)
