"""Two-stage clustering against its naive twin."""

import pytest

from tests import reference_content as twin
from tests.content.cases import SMALL, smooth
from topicweave.content import assign


@pytest.mark.parametrize("instance", SMALL + [smooth(seed, 12, 3, 6) for seed in range(20)])
def test_clustering_is_algorithm_2(instance):
    """User by user the same brokers as the plain form of the paper's Algorithm 2."""
    assert assign(instance, "clustering").broker.tolist() == twin.clustering(twin.Plain(instance))
