"""Filters of MQTT and NATS match what their documents say they match."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave.pipeline.sources.filters import NATS, FilterTrie


def matches(text, topic):
    return list(FilterTrie([text]).matching(topic)) == [text]


@pytest.mark.parametrize(
    ("text", "topic", "expected"),
    [
        ("sport/tennis/player1/#", "sport/tennis/player1", True),
        ("sport/tennis/player1/#", "sport/tennis/player1/score/wimbledon", True),
        ("sport/#", "sport", True),
        ("#", "anything/at/all", True),
        ("sport/tennis/+", "sport/tennis/player1", True),
        ("sport/tennis/+", "sport/tennis/player1/ranking", False),
        ("sport/+", "sport", False),
        ("sport/+", "sport/", True),
        ("+/+", "/finance", True),
        ("/+", "/finance", True),
        ("+", "/finance", False),
        ("#", "$SYS/uptime", False),
        ("+/uptime", "$SYS/uptime", False),
        ("$SYS/#", "$SYS/uptime", True),
        ("$SYS/+", "$SYS/uptime", True),
        ("a/b", "a/b", True),
        ("a/b", "A/b", False),
        ("a//b", "a//b", True),
        ("a/+/b", "a//b", True),
        ("+/+/#", "a", False),
        ("+/#", "a", True),
    ],
)
def test_examples_of_the_standard(text, topic, expected):
    """MQTT 5.0, section 4.7."""
    assert matches(text, topic) is expected


def plain_match(text, topic):
    """The rules, level by level, written down once more."""
    wanted, levels = text.split("/"), topic.split("/")
    if topic.startswith("$") and wanted[0] in ("+", "#"):
        return False
    for place, level in enumerate(wanted):
        if level == "#":
            return True
        if place >= len(levels) or level not in ("+", levels[place]):
            return False
    return len(wanted) == len(levels)


LEVEL = st.sampled_from(["", "a", "b", "$s"])
TOPIC = st.lists(LEVEL, min_size=1, max_size=4).map("/".join)
FILTER = st.tuples(st.lists(st.one_of(LEVEL, st.just("+")), max_size=3), st.sampled_from([["#"], ["+"], ["a"]])).map(
    lambda parts: "/".join(parts[0] + parts[1])
)


@given(st.sets(FILTER), TOPIC)
def test_trie_finds_exactly_the_filters_that_match(filters, topic):
    """One walk finds what trying them all finds, each once."""
    found = list(FilterTrie(sorted(filters)).matching(topic))
    assert len(found) == len(set(found))
    assert set(found) == {text for text in filters if plain_match(text, topic)}


@pytest.mark.parametrize(
    ("text", "topic", "expected"),
    [
        ("time.*.east", "time.us.east", True),
        ("time.*.east", "time.us.east.atlanta", False),
        ("time.us.>", "time.us.east.atlanta", True),
        ("time.us.>", "time.us", False),
        ("*", "time", True),
        ("*", "time.us", False),
        (">", "time.us", True),
        (">", "$SYS.uptime", True),
        ("*.uptime", "$SYS.uptime", True),
        ("a.b*", "a.bc", False),
        ("a.b*", "a.b*", True),
        ("a/b", "a/b", True),
    ],
)
def test_wildcards_of_nats(text, topic, expected):
    """docs.nats.io, "Subject-Based Messaging": ``*`` for one token, ``>`` for one or more at the end."""
    assert (list(FilterTrie([text], NATS).matching(topic)) == [text]) is expected


def plain_nats_match(text, topic):
    """The rules of NATS, token by token."""
    wanted, tokens = text.split("."), topic.split(".")
    for place, token in enumerate(wanted):
        if token == ">":
            return len(tokens) > place
        if place >= len(tokens) or token not in ("*", tokens[place]):
            return False
    return len(wanted) == len(tokens)


TOKEN = st.sampled_from(["a", "b", "$s", "b*"])
SUBJECT = st.lists(TOKEN, min_size=1, max_size=4).map(".".join)
SUBJECT_FILTER = st.tuples(
    st.lists(st.one_of(TOKEN, st.just("*")), max_size=3), st.sampled_from([[">"], ["*"], ["a"]])
).map(lambda parts: ".".join(parts[0] + parts[1]))


@given(st.sets(SUBJECT_FILTER), SUBJECT)
def test_trie_finds_exactly_the_subjects_of_nats_that_match(filters, subject):
    """As for MQTT."""
    found = list(FilterTrie(sorted(filters), NATS).matching(subject))
    assert len(found) == len(set(found))
    assert set(found) == {text for text in filters if plain_nats_match(text, subject)}
