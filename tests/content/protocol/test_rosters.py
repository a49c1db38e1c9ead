"""Rosters: the later visit holds, in whatever order they come."""

import itertools

import pytest

from topicweave.content.protocol.rosters import Claim, Rosters


@pytest.mark.parametrize("order", list(itertools.permutations("abc")))
def test_the_claim_of_the_latest_visit_holds_whoever_spoke_last(order):
    said = {
        "a": {"ann": Claim(1, {"news": 9}), "bob": Claim(4, {"news": 1})},
        "b": {"ann": Claim(3, {"news": 5, "sport": 6}), "bob": Claim(2, {})},
        "c": {"ann": Claim(2, {"news": 4})},
    }
    rosters = Rosters()
    for broker in order:
        rosters.note(broker, said[broker])
    assert rosters.newest() == {"ann": ("b", said["b"]["ann"]), "bob": ("a", said["a"]["bob"])}


def test_of_the_same_visit_the_one_who_knows_more_holds():
    rosters = Rosters()
    rosters.note("a", {"ann": Claim(1, {"news": 3})})
    rosters.note("b", {"ann": Claim(1, {"news": 2, "sport": 4})})
    assert rosters.newest()["ann"][0] == "b"


def test_a_roster_replaces_the_one_before():
    rosters = Rosters()
    rosters.note("a", {"ann": Claim(1, {"news": 3})})
    rosters.note("a", {"bob": Claim(1, {"news": 3})})
    assert rosters.newest().keys() == {"bob"}
    rosters.forget("a")
    rosters.forget("unheard of")
    assert rosters.newest() == {}
