"""Random assignment against its naive twin."""

import numpy as np
import pytest

from tests import reference_content as twin
from tests.content.cases import SMALL
from topicweave.content import assign


@pytest.mark.parametrize("instance", SMALL)
def test_every_broker_with_room_is_equally_likely(instance):
    chance = np.random.default_rng(3).random(instance.num_users).tolist()
    even = [[1.0] * instance.num_brokers for _ in range(instance.num_users)]
    assert assign(instance, "random", seed=3).broker.tolist() == twin.draw(twin.Plain(instance), even, chance)
