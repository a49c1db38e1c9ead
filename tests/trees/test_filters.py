"""Filters that can match the same message: held against matching every short topic name."""

import re
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from topicweave.trees.filters import classes_of, covers, is_malformed, overlap, widest

LEVELS = st.sampled_from(["a", "b", "$s", "+"])
FILTERS = st.builds(
    lambda levels, rest: "/".join([*levels, *(["#"] if rest else [])]), st.lists(LEVELS, max_size=3), st.booleans()
).filter(bool)
NAMES = ["/".join(name) for size in (1, 2, 3, 4) for name in product(["a", "b", "$s", "z"], repeat=size)]


def matches(text, name):
    """The MQTT standard as a regular expression."""
    if text[0] in "+#" and name.startswith("$"):
        return False
    pattern = "/".join("[^/]*" if level == "+" else re.escape(level) for level in text.split("/"))
    pattern = pattern.replace(r"/\#", "(/.*)?").replace(r"\#", ".*")
    return re.fullmatch(pattern, name) is not None


@given(FILTERS, FILTERS)
def test_filters_overlap_if_some_name_is_matched_by_both(one, other):
    expected = any(matches(one, name) and matches(other, name) for name in NAMES)
    assert overlap(one, other) == overlap(other, one) == expected


@given(FILTERS, FILTERS)
def test_a_filter_covers_another_if_it_matches_all_its_names(one, other):
    """``covers`` may say no although the answer is yes (``+/#`` and ``#``), but never yes although it is no."""
    if covers(one, other):
        assert all(matches(one, name) for name in NAMES if matches(other, name))


@given(st.lists(FILTERS, min_size=1, max_size=6))
def test_the_widest_filters_match_the_same_names(filters):
    for name in NAMES:
        assert any(matches(text, name) for text in widest(filters)) == any(matches(text, name) for text in filters)


@given(st.lists(st.one_of(FILTERS, st.sampled_from(NAMES[:20])), min_size=1, max_size=7, unique=True))
def test_classes_are_the_components_of_overlapping(topics):
    import networkx as nx

    topics = sorted(topics)
    graph = nx.Graph()
    graph.add_nodes_from(topics)
    graph.add_edges_from((a, b) for a in topics for b in topics if a < b and overlap(a, b))
    found = classes_of(topics)
    expected = {topic: min(group) for group in nx.connected_components(graph) for topic in group}
    firsts = sorted(set(expected.values()))
    assert [firsts[number] for number in found] == [expected[topic] for topic in topics]


def test_wildcards_inside_a_level_are_malformed():
    assert [t for t in ("a/#/b", "a#", "a/b+", "", "a/+/b", "#", "+", "a") if is_malformed(t)] == [
        "a/#/b", "a#", "a/b+", "",
    ]  # fmt: skip
