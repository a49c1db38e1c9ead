"""Labels: what may name a node or a topic, and the sentence for what may not."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from topicweave.errors import InputError, LabelError, TopicweaveError
from topicweave.model import Interest, Overlay
from topicweave.model.labels import as_label, find_numbers, numbers_by_label, sorted_labels

MISSING = [None, float("nan"), np.float64("nan"), np.datetime64("NaT"), Decimal("NaN"), pd.NA, pd.NaT]
UNHASHABLE = [[1], {1}, {1: 2}, ([1],), np.array([1, 2]), np.array([]), np.array([1.0]), pd.Series([1, 2])]


def name(value: object) -> str:
    return f"{type(value).__name__}-{value!r}".replace("\n", " ")


@pytest.mark.parametrize("what", ["node", "topic"])
@pytest.mark.parametrize("value", MISSING, ids=name)
def test_missing_values_name_nothing(value, what):
    """None, NaN and the two of pandas, whichever constructor they come through."""
    pair = (value, "x") if what == "node" else ("a", value)
    with pytest.raises(LabelError, match=f"A {what} label is missing .*; drop the row"):
        as_label(value, what)
    with pytest.raises(LabelError, match=f"A {what} label is missing"):
        Interest.from_pairs([("a", "x"), pair])
    with pytest.raises(LabelError, match=f"A {what} label is missing"):
        Interest.from_sets({pair[0]: [pair[1]]})


@pytest.mark.parametrize("what", ["node", "topic"])
@pytest.mark.parametrize("value", UNHASHABLE, ids=name)
def test_unhashable_values_name_nothing(value, what):
    """The type is named, and what to use instead."""
    pair = (value, "x") if what == "node" else ("a", value)
    with pytest.raises(LabelError, match=f"(?s)A {what} label is a {type(value).__name__} .*use a string or a number"):
        Interest.from_pairs([("a", "x"), pair])


@pytest.mark.parametrize("value", [None, pd.NA, [1]], ids=name)
def test_overlays_refuse_them_too(value):
    """At either end of a link."""
    for pair in [("a", value), (value, "a")]:
        with pytest.raises(LabelError, match="A node label is"):
            Overlay.from_pairs([pair])


def test_label_errors_are_input_errors():
    """So that the command line gives them exit code 2, and ``except ValueError`` catches them."""
    assert issubclass(LabelError, InputError) and issubclass(InputError, (TopicweaveError, ValueError))


@pytest.mark.parametrize(("value", "label"), [("a", "a"), ("", ""), (7, "7"), (-1.5, "-1.5"), (False, "False")])
def test_as_label(value, label):
    """Strings stay; everything else becomes its str()."""
    assert as_label(value, "node") == label


def test_sorting_and_numbering():
    """Labels sort as strings, so "10" comes before "9"."""
    labels = sorted_labels([9, 10, "9"], "node")
    assert labels == ("10", "9")
    assert numbers_by_label(labels) == {"10": 0, "9": 1}


def test_find_numbers():
    """In the order asked for, repetition included; an unknown label is named."""
    numbers = {"a": 0, "7": 1}
    assert find_numbers([7, "a", "7"], numbers, "node").tolist() == [1, 0, 1]
    assert find_numbers([], numbers, "node").dtype == np.int64
    with pytest.raises(InputError, match="There is no topic 'b' among the 2 known"):
        find_numbers(["a", "b"], numbers, "topic")
