"""Numbers, names and choices are checked in one place, and a bad one is answered in one sentence."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

from topicweave.errors import ParameterError, UnknownAlgorithmError
from topicweave.parameters import (
    LARGEST,
    Deferred,
    Parameter,
    check_choice,
    check_flag,
    check_function,
    check_number,
    check_seed,
    check_whole,
    did_you_mean,
    fill,
    find_entry,
    parse_size,
    seeded_generator,
)


@pytest.mark.parametrize("value", [3, 3.0, np.int8(3), np.float32(3), Fraction(3)])
def test_whole_numbers_of_every_type_become_int(value):
    assert check_whole("n", value, 1, 5) == 3
    assert type(check_whole("n", value)) is int


@pytest.mark.parametrize(
    "value", [True, np.True_, "3", None, 2.5, math.nan, math.inf, -math.inf, 3 + 0j, [3], np.array([3, 4])]
)
def test_what_is_not_a_whole_number_is_refused(value):
    with pytest.raises(ParameterError, match="n must be a whole number, but is"):
        check_whole("n", value)


@pytest.mark.parametrize(
    ("minimum", "maximum", "says"),
    [
        (10, None, "a number, 10 or more"),
        (None, 1, "a number, 1 or less"),
        (0.5, 1, "a number from 0.5 to 1"),
    ],
)
def test_the_sentence_states_the_range(minimum, maximum, says):
    with pytest.raises(ParameterError) as caught:
        check_number("x", 4, minimum, maximum)
    assert str(caught.value) == f"x must be {says}, but is 4."
    assert caught.value.parameter == "x"
    assert caught.value.fields["value"] == 4


def test_infinity_is_a_number_unless_it_is_refused():
    assert check_number("x", math.inf, 0) == math.inf
    assert check_number("x", 10**400, 0) == math.inf  # too large for a float
    assert check_number("x", -(10**400)) == -math.inf
    with pytest.raises(ParameterError, match="x must be a finite number, 0 or more, but is inf"):
        check_number("x", math.inf, 0, is_finite=True)
    with pytest.raises(ParameterError, match="nan"):
        check_number("x", math.nan)


def test_seeds_may_be_of_any_size():
    assert check_seed(2**100) == 2**100
    with pytest.raises(ParameterError, match="seed must be a whole number, 0 or more, but is -1"):
        check_seed(-1)
    assert seeded_generator(np.int64(7)).integers(1000) == seeded_generator(7).integers(1000)


def test_texts_are_not_taken_for_truth_values():
    assert check_flag("trim", np.False_) is False
    with pytest.raises(ParameterError, match="trim must be True or False, but is 'no'"):
        check_flag("trim", "no")


def test_choices_are_listed_or_the_likeliest_is_named():
    assert check_choice("scale", "mass", ("width", "mass")) == "mass"
    assert check_choice("name", "anything", ()) == "anything"
    with pytest.raises(ParameterError, match="There is no scale 'mas'; did you mean 'mass'"):
        check_choice("scale", "mas", ("width", "mass"))
    with pytest.raises(ParameterError, match="There is no scale 5; choose one of: width, mass"):
        check_choice("scale", 5, ("width", "mass"))
    with pytest.raises(ParameterError, match="name must be a text, but is 5"):
        check_choice("name", 5, ())
    assert did_you_mean("GM", ["gm", "low"]) == "did you mean 'gm'?"


def test_functions_must_be_callable():
    """None stands for no function; a number is refused."""
    check_function("progress", None)
    check_function("progress", print)
    with pytest.raises(ParameterError, match="progress must be a function, but 5 was given; leave it out for none"):
        check_function("progress", 5)


PARAMETERS = (
    Parameter("m", int, "the most links", minimum=0, from_ratio="links"),
    Parameter("k", float, "a ratio", 3.0, minimum=1),
    Parameter("ties", str, "which of equals", "even", choices=("even", "odd"), noun="tie rule"),
    Parameter("trim", bool, "whether to trim", False),
    Parameter("passes", int, "how many", None, minimum=1),
    Parameter("start", object, "where to start from", None),
)


def test_fill_checks_what_is_given_and_adds_the_defaults():
    assert fill("toy", PARAMETERS, {"m": 3.0}) == {
        "m": 3, "k": 3.0, "ties": "even", "trim": False, "passes": None, "start": None,
    }  # fmt: skip
    given = {"m": 2**70, "k": 2, "ties": "odd", "trim": True, "passes": None, "start": [1]}
    assert fill("toy", PARAMETERS, given) == {**given, "m": LARGEST}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "'toy' needs m= or budget_ratio=: the most links."),
        ({"m": 1, "n": 2}, "'toy' has no parameter 'n'; its parameters are: m, k, ties, trim, passes, start."),
        ({"m": -1}, "m must be a whole number, 0 or more, but is -1."),
        ({"m": None}, "m must be a whole number, 0 or more, but is None."),
        ({"m": 1, "k": 0}, "k must be a number, 1 or more, but is 0."),
        ({"m": 1, "ties": "fair"}, "There is no tie rule 'fair'; choose one of: even, odd."),
        ({"m": 1, "trim": "no"}, "trim must be True or False, but is 'no'."),
    ],
)
def test_fill_says_what_is_wrong(given, says):
    with pytest.raises(ParameterError) as caught:
        fill("toy", PARAMETERS, given)
    assert str(caught.value) == says


def test_entries_are_found_by_name():
    assert find_entry("method", "best", {"best": 1}) == 1
    for name in ("bets", ["best"]):
        with pytest.raises(UnknownAlgorithmError, match="There is no method"):
            find_entry("method", name, {"best": 1})


def test_a_deferred_function_is_imported_when_it_is_called():
    missing = Deferred("topicweave.no_such_module:function")
    with pytest.raises(ModuleNotFoundError):
        missing()
    root = pickle.loads(pickle.dumps(Deferred("math:sqrt")))
    assert root(9) == 3
    assert root.load() is math.sqrt
    assert repr(root) == "Deferred('math:sqrt')"


@pytest.mark.parametrize(
    ("text", "size"),
    [("2G", 2 * 10**9), ("2g", 2 * 10**9), ("1.5 GiB", 3 * 2**29), ("500MB", 5 * 10**8), ("7", 7), ("4 KiB", 4096)],
)
def test_sizes_as_people_write_them(text, size):
    assert parse_size("memory_limit", text) == size


@pytest.mark.parametrize("text", ["", "G", "-1", "2 X", "1e9", "nan", "9" * 400])
def test_what_is_no_size(text):
    """A size that cannot be read is refused with two that can."""
    with pytest.raises(ParameterError, match="memory_limit must be a number of bytes such as 2000000000 or 2G"):
        parse_size("memory_limit", text)
