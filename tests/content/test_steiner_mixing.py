"""Steiner tree mixing against its naive twin: the trees, and the draw."""

import numpy as np
import pytest

from tests import reference_content as twin
from tests.content.cases import SMALL, broken, smooth
from topicweave.content import assign
from topicweave.content.steiner_mixing import tree_weights


@pytest.mark.parametrize("instance", SMALL + [smooth(seed, 15, 4, 5) for seed in range(30)])
def test_steiner_trees_are_algorithm_3(instance):
    np.testing.assert_allclose(tree_weights(instance), twin.steiner_weights(twin.Plain(instance)), atol=1e-12)


@pytest.mark.parametrize("instance", SMALL)
def test_mixing_draws_within_capacity(instance):
    """The users' draws lead to the same brokers as the plain form's."""
    chance = np.random.default_rng(5).random(instance.num_users).tolist()
    plain = twin.Plain(instance)
    assert assign(instance, "steiner_mixing", seed=5).broker.tolist() == twin.draw(
        plain, twin.steiner_weights(plain), chance
    )


@pytest.mark.parametrize("instance", SMALL)
def test_the_heaviest_link_is_taken_if_asked_for(instance):
    plain = twin.Plain(instance)
    found = assign(instance, "steiner_mixing", draw="heaviest")
    assert found.broker.tolist() == twin.heaviest(plain, twin.steiner_weights(plain))


@pytest.mark.parametrize("seed", range(40))
def test_trees_keep_to_the_brokers_that_users_can_reach(seed):
    instance = broken(seed)
    weights = tree_weights(instance)
    np.testing.assert_allclose(weights, twin.steiner_weights(twin.Plain(instance)), atol=1e-12)
    assert not weights[np.isinf(instance.access_price)].any()
