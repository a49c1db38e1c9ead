"""Hashes of labels: known values, and the twin's own for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reference
from topicweave.kernels.labels import label_hashes


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=9), max_size=8))
def test_the_twins_hashes(labels):
    """Also of texts beyond ASCII, of empty ones, and of lone surrogates, which file names may hold."""
    assert label_hashes(labels).tolist() == [reference.label_hash(label) for label in labels]


@pytest.mark.parametrize(
    ("label", "value"), [("", 0xF52A15E9A9B5E89B), ("node-0001", 0xEF282BBE2D81F58A), ("Köln", 0x61B78A0E49CBB78C)]
)
def test_hashes_stay_what_they_were(label, value):
    """Designs of an earlier version are only made again link by link if these never change."""
    assert int(label_hashes([label])[0]) == value
