"""Tiny instances, small enough to work out by hand."""

import pytest

from topicweave.model import Interest, Overlay


@pytest.fixture(scope="session")
def square():
    """Four nodes in a ring a-b-c-d-a; news: a b c d, sport: a c, talk: b, and dead without subscribers."""
    interest = Interest.from_matrix(
        [[0, 1, 1, 0], [0, 1, 0, 1], [0, 1, 1, 0], [0, 1, 0, 0]],
        ["a", "b", "c", "d"],
        ["dead", "news", "sport", "talk"],
    )
    return interest, Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")], labels=interest.nodes)


@pytest.fixture(scope="session")
def path():
    """Six nodes in a row 1-2-3-4-5-6; all: every node, ends: 1 and 6, odd: 1 3 5, far: 1 and the unlinked 7."""
    interest = Interest.from_sets(
        {
            "1": ["all", "ends", "odd", "far"],
            "2": ["all"],
            "3": ["all", "odd"],
            "4": ["all"],
            "5": ["all", "odd"],
            "6": ["all", "ends"],
            "7": ["far"],
        }
    )
    return interest, Overlay.from_pairs([(str(n), str(n + 1)) for n in range(1, 6)], labels=interest.nodes)
