"""RangeIndex finds the same subscriptions as a comparison with every one of them."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference_content import matching_by_scan
from topicweave.content.matching import RangeIndex
from topicweave.errors import InputError

VALUES = st.one_of(st.integers(-3, 3), st.floats(-3, 3), st.just(1e300), st.just(-1e300))
ENDS = st.one_of(VALUES, st.none())
NAMES = st.sampled_from(["a", "b", "c"])


@st.composite
def ranges(draw):
    """A conjunction of up to three ranges, some of them open on one side or both."""
    found = {}
    for name in draw(st.sets(NAMES)):
        low, high = draw(ENDS), draw(ENDS)
        if low is not None and high is not None and low > high:
            low, high = high, low
        found[name] = low, high
    return found


@settings(deadline=None)
@given(st.lists(st.tuples(ranges(), st.booleans()), max_size=200), st.lists(st.dictionaries(NAMES, VALUES), max_size=8))
def test_it_finds_what_a_scan_finds(subscriptions, publications):
    """While subscriptions come and go, with missing values and new attributes."""
    index, kept = RangeIndex(), {}
    for key, (box, is_removed) in enumerate(subscriptions):
        index.add(key, box)
        kept[key] = box
        if is_removed and key % 2:
            index.remove(key // 2) if key // 2 in kept else None
            kept.pop(key // 2, None)
    assert len(index) == len(kept)
    for content in publications:
        assert sorted(index.match(content)) == matching_by_scan(kept, content)


@pytest.mark.parametrize("seed", range(3))
def test_thousands_of_subscriptions_over_several_sizes_of_the_index(seed):
    """Ends coincide with each other and with values, and the index is sorted several times while it grows."""
    rng = random.Random(seed)
    index, kept = RangeIndex(), {}
    for key in range(5_000):
        box = {}
        for name in rng.sample(["a", "b", "c"], rng.randint(0, 3)):
            low = rng.randrange(50)
            box[name] = low, low + rng.choice([0, 1, 5, 50])
        index.add(key, box)
        kept[key] = box
        if rng.random() < 0.2:
            gone = rng.choice(list(kept)[-50:])
            index.remove(gone)
            del kept[gone]
        if key % 250 == 249:  # a match may sort them, too
            content = {name: rng.randrange(50) for name in "abc" if rng.random() < 0.9}
            assert sorted(index.match(content)) == matching_by_scan(kept, content)


def test_a_key_is_given_once_and_only_what_exists_is_removed():
    """Two subscriptions under one key would be found together, and one of them could never be removed."""
    index = RangeIndex()
    index.add("ann", {})
    with pytest.raises(InputError, match="'ann' already"):
        index.add("ann", {"a": (0, 1)})
    with pytest.raises(InputError, match="no subscription under the key 'bob'"):
        index.remove("bob")
    assert "ann" in index and "bob" not in index and index.attributes == ()


@pytest.mark.parametrize("content", [{"a": "x"}, 5, {"a": 10**400}, {"a": [1]}])
def test_content_that_has_no_place_is_refused(content):
    """A value that is not a number cannot be inside or outside a range."""
    index = RangeIndex()
    index.add("ann", {"a": (0, 1)})
    with pytest.raises(InputError, match=r"value|content"):
        index.match(content)


def test_an_attribute_that_nobody_asks_for_does_not_matter():
    """Publications may have more attributes than subscriptions use, infinite values included."""
    index = RangeIndex()
    index.add("ann", {"a": (0, 1)})
    assert index.match({"a": 1, "z": math.inf}) == ["ann"]
