"""Labels: what may name a node or a topic, and the sentence for what may not."""

from __future__ import annotations

import enum
import uuid
from datetime import date
from decimal import Decimal
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
import pytest

from topicweave.errors import InputError, LabelError, TopicweaveError
from topicweave.model import Interest, Overlay
from topicweave.model.labels import as_label, find_numbers, numbers_by_label, sorted_labels

MISSING = [None, float("nan"), np.float64("nan"), np.datetime64("NaT"), Decimal("NaN"), pd.NA, pd.NaT]


class Broker:
    """Has no text of its own: str() gives its address."""


class Colour(enum.Enum):
    RED = 1


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


@pytest.mark.parametrize("what", ["node", "topic"])
@pytest.mark.parametrize(
    ("value", "says"),
    [
        (b"a", "decode it to a string"),
        (np.bytes_(b"a"), "decode it to a string"),
        (object(), "use a string or a number"),
        (Broker(), "use a string or a number"),
        ((1, Broker()), "use a string or a number"),
        (lambda: "a", "use a string or a number"),
        (iter("ab"), "use a string or a number"),
        (memoryview(b"a"), "use a string or a number"),
    ],
    ids=lambda given: type(given).__name__,
)
def test_bytes_and_things_without_a_text_name_nothing(value, says, what):
    """str() would call them b'a', or by an address that is another one in the next run."""
    pair = (value, "x") if what == "node" else ("a", value)
    with pytest.raises(LabelError, match=f"A {what} label is a {type(value).__name__} .*{says}"):
        Interest.from_pairs([("a", "x"), pair])


@pytest.mark.parametrize("value", [None, pd.NA, [1], b"a"], ids=name)
def test_overlays_refuse_them_too(value):
    """At either end of a link."""
    for pair in [("a", value), (value, "a")]:
        with pytest.raises(LabelError, match="A node label is"):
            Overlay.from_pairs([pair])


def test_label_errors_are_input_errors():
    """So that the command line gives them exit code 2, and ``except ValueError`` catches them."""
    assert issubclass(LabelError, InputError) and issubclass(InputError, (TopicweaveError, ValueError))


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u3000", "\u200b", "\ufeff "])
@pytest.mark.parametrize("what", ["node", "topic"])
def test_blank_labels_name_nothing(blank, what):
    """In Python as in files, where such rows go to the quarantine; through whichever constructor they come."""
    pair = (blank, "x") if what == "node" else ("a", blank)
    with pytest.raises(LabelError, match=f"A {what} label is blank"):
        as_label(blank, what)
    for build in (lambda: Interest.from_pairs([pair, ("b", "x")]), lambda: Interest.from_sets({pair[0]: [pair[1]]})):
        with pytest.raises(LabelError, match=f"A {what} label is blank"):
            build()


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udcff"])
def test_lone_surrogates_are_refused(text):
    """No file could hold them: saving such a design would fail after all the work."""
    for build in (
        lambda: Interest.from_pairs([(text, "x"), ("é", "x")]),
        lambda: Interest.from_sets({"a": [text]}),
        lambda: Overlay.from_pairs([(text, "b")]),
        lambda: find_numbers([text], {"a": 0}, "node"),
    ):
        with pytest.raises(LabelError, match="contains a lone surrogate"):
            build()


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("a", "a"), (" a", " a"),
        (7, "7"), (-1.5, "-1.5"), (False, "False"), (np.int64(3), "3"), (np.float32(0.5), "0.5"),
        (" at 0x1", " at 0x1"), ((1, "a"), "(1, 'a')"), (frozenset({1}), "frozenset({1})"), (Colour.RED, "Colour.RED"),
        (date(2024, 2, 29), "2024-02-29"), (uuid.UUID(int=5), str(uuid.UUID(int=5))), (PurePosixPath("a/b"), "a/b"),
        (pd.Timestamp(0), "1970-01-01 00:00:00"), (Decimal("1.50"), "1.50"),
    ],
)  # fmt: skip
def test_as_label(value, label):
    """Strings stay; everything else that has a text of its own becomes its str()."""
    assert as_label(value, "node") == label


def test_sorting_and_numbering():
    """Labels sort as strings, so "10" comes before "9"."""
    labels = sorted_labels([9, 10, "9"], "node")
    assert labels == ("10", "9")
    assert numbers_by_label(labels) == {"10": 0, "9": 1}


@pytest.mark.parametrize("labels", [None, 5, "ab", b"ab"], ids=name)
@pytest.mark.parametrize(
    "build",
    [
        Overlay.empty,
        lambda labels: Overlay(labels, []),
        lambda labels: Overlay.from_scipy(np.zeros((2, 2)), labels),
        lambda labels: find_numbers(labels, {}, "node"),
        lambda labels: sorted_labels(labels, "node"),
    ],
)
def test_one_value_is_no_list_of_labels(labels, build):
    """Least of all a text, whose letters would become labels."""
    with pytest.raises(InputError, match=r"A list of nodes was asked for, but one value .*; put it in a list"):
        build(labels)


def test_find_numbers():
    """In the order asked for, repetition included; an unknown label is named."""
    numbers = {"a": 0, "7": 1}
    assert find_numbers([7, "a", "7"], numbers, "node").tolist() == [1, 0, 1]
    assert find_numbers([], numbers, "node").dtype == np.int64
    with pytest.raises(InputError, match="There is no topic 'b' among the 2 known"):
        find_numbers(["a", "b"], numbers, "topic")
