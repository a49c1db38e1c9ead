"""docs/papers.md names modules, tests and rows of the claims that exist."""

import re
from pathlib import Path

import pytest

from experiments.table import EXPERIMENTS

CHECKOUT = Path(__file__).resolve().parents[1]
TEXT = (CHECKOUT / "docs" / "papers.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?|test_\w+\.py)`", TEXT))))
def test_every_file_that_is_named_is_there(name):
    """Modules stand below topicweave/, tests below tests/, benchmarks where they are."""
    places = [CHECKOUT / "topicweave" / name, CHECKOUT / "tests" / name, CHECKOUT / name]
    assert any(place.exists() for place in places)


def test_every_row_that_is_named_is_judged():
    """GM-2 and the like are ids of claims; "to" stands for the numbers between."""
    ids = {claim.id for experiment in EXPERIMENTS for claim in experiment.claims}
    named = set(
        re.findall(r"\b(?:GM|LOW|PART|SHADOW|CONTENT)-[\w.]+(?:[,-]\d)?", TEXT.replace("SHADOW-2,3,", "SHADOW-2,3 "))
    )
    assert {name.rstrip(".") for name in named} <= ids
    assert len(named) > 20
