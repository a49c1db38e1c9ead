"""Small interests on which everything can be enumerated."""

from __future__ import annotations

import random

import pytest

from tests.instances import interest_of


def small_interest(seed: int, num_nodes: int = 5):
    """A random interest of a few nodes and up to five topics; every topic has a subscriber."""
    draw = random.Random(seed)
    num_topics = draw.randint(1, 5)
    return interest_of({v: set(draw.sample(range(num_topics), draw.randint(1, num_topics))) for v in range(num_nodes)})


@pytest.fixture(scope="session")
def small_interests():
    return [small_interest(seed, num_nodes=3 + seed % 3) for seed in range(500)]
