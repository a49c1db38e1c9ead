"""The checker of broker files: it must find every cycle, and report nothing where there is none."""

import random
from itertools import product

import pytest

from topicweave.deploy import loop_checker
from topicweave.deploy.loop_checker import find_cycle, find_cycle_between

ADDRESSES = {name: f"h:{name}" for name in "abcdefgh"}


def bridge(number, to, *patterns):
    return "\n".join([f"connection {number}", f"address h:{to}", *(f"topic {each} both 1" for each in patterns), ""])


def test_it_sees_a_link_written_at_both_ends():
    files = {"a": bridge(1, "b", "t/#"), "b": bridge(2, "a", "t/1")}
    assert find_cycle(files, ADDRESSES) == "t/1"
    half = {**files, "b": ""}
    assert find_cycle(half, ADDRESSES) is None
    assert find_cycle_between(half, {"a": "", "b": files["b"]}, ADDRESSES) == "t/1"


def test_filters_that_overlap_on_one_connection_are_no_cycle_but_on_two_they_are():
    """A broker sends each message once to a client of MQTT 3.1.1, however many of its filters match."""
    assert find_cycle({"a": bridge(1, "b", "x/#", "x/1", "+/1")}, ADDRESSES) is None
    assert find_cycle({"a": bridge(1, "b", "x/#") + bridge(2, "b", "+/1")}, ADDRESSES) == "x/1"


def test_filters_that_only_have_a_name_in_common_all_together_are_seen():
    """Any two of them are a chain; all three are a circle, for one name."""
    files = {"a": bridge(1, "b", "a/+/+"), "b": bridge(2, "c", "+/b/+"), "c": bridge(3, "a", "+/+/c")}
    assert find_cycle(files, ADDRESSES) == "a/b/c"
    assert find_cycle({**files, "c": bridge(3, "a", "+/+/c/#")}, ADDRESSES) == "a/b/c"
    assert find_cycle({**files, "c": bridge(3, "a", "+/+/c/+")}, ADDRESSES) is None
    four = {**files, "c": bridge(3, "d", "+/+/c"), "d": bridge(4, "a", "#")}
    assert find_cycle(four, ADDRESSES) == "a/b/c"


def test_a_filter_for_all_below_matches_what_it_is_below_of():
    assert find_cycle({"a": bridge(1, "b", "x/#"), "b": bridge(2, "a", "x")}, ADDRESSES) == "x"
    assert find_cycle({"a": bridge(1, "b", "x/+"), "b": bridge(2, "a", "x")}, ADDRESSES) is None
    assert find_cycle({"a": bridge(1, "b", "x/#"), "b": bridge(2, "a", "+")}, ADDRESSES) == "x"


def by_hand(states, names):
    """Every mixture of the files, every name, by union of sets: the connected parts must be as many as if each
    connection joined two.
    """
    for choice in product(states, repeat=len(ADDRESSES)):
        for name in names:
            edges = {
                (here, number, there)
                for here, state in zip(ADDRESSES, choice, strict=True)
                for number, there, patterns in state.get(here, ())
                if any(matches(pattern.split("/"), name.split("/")) for pattern in patterns)
            }
            parts = {node: {node} for node in ADDRESSES}
            for here, _, there in edges:
                joined = parts[here] | parts[there]
                parts.update(dict.fromkeys(joined, joined))
            if len({id(part) for part in parts.values()}) > len(ADDRESSES) - len(edges):
                return True
    return False


def matches(pattern, name):
    if pattern == ["#"]:
        return True
    if not pattern or not name:
        return not pattern and not name
    return pattern[0] in ("+", name[0]) and matches(pattern[1:], name[1:])


def random_state(rng, names):
    patterns = ["/".join(rng.choice([*"ab", "+"]) for _ in range(rng.randint(1, 3))) for _ in range(3)]
    patterns = [f"{each}/#" if rng.random() < 0.2 else each for each in patterns] + [rng.choice(names)]
    found = {}
    for _ in range(rng.randint(2, 4)):
        here, there = rng.sample("abcd", 2)
        found.setdefault(here, []).append((f"{here}{there}", there, rng.sample(patterns, rng.randint(1, 2))))
    return found


@pytest.mark.parametrize("most_choices", [12, 0])
def test_it_agrees_with_a_search_through_everything(monkeypatch, most_choices):
    """Names up to four levels of three letters, of which no pattern has the third; every mixture of both files.

    Where it may try no mixtures it never misses a cycle, but sees some that are none.
    """
    monkeypatch.setattr(loop_checker, "MOST_CHOICES", most_choices)
    monkeypatch.setitem(globals(), "ADDRESSES", {name: f"h:{name}" for name in "abcd"})
    names = ["/".join(each) for size in (1, 2, 3, 4) for each in product("abz", repeat=size)]
    rng, seen = random.Random(0), {True: 0, False: 0}
    for _ in range(60):
        states = [random_state(rng, names) for _ in "12"]
        texts = [
            {name: "".join(bridge(n, there, *p) for n, there, p in state.get(name, ())) for name in ADDRESSES}
            for state in states
        ]
        truth = by_hand(states, names)
        said = find_cycle_between(*texts, ADDRESSES) is not None
        assert said == truth or (said and most_choices == 0)
        assert find_cycle(texts[0], ADDRESSES) is None or truth
        seen[truth] += 1
    assert min(seen.values()) > 10, seen


def test_too_much_in_common_counts_as_all_at_once(monkeypatch):
    """Then a message is assumed to match all filters that overlap."""
    files = {"a": bridge(1, "b", "a/+", "+/b"), "b": bridge(2, "a", "c/b")}
    assert find_cycle(files, ADDRESSES) == "c/b"
    files["b"] = bridge(2, "c", "+/b") + bridge(3, "c", "a/x")
    assert find_cycle(files, ADDRESSES) is None
    monkeypatch.setattr(loop_checker, "MOST_COMMON", 0)
    assert find_cycle(files, ADDRESSES) is not None
