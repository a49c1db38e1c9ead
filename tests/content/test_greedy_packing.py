"""Greedy packing against its naive twin."""

import pytest

from tests import reference_content as twin
from tests.content.cases import SMALL
from topicweave.content import assign


@pytest.mark.parametrize("instance", SMALL)
def test_packing_is_algorithm_1(instance):
    """User by user the same brokers as the plain form of the paper's Algorithm 1."""
    assert assign(instance, "greedy_packing").broker.tolist() == twin.packing(twin.Plain(instance))
