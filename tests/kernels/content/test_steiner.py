"""The trees of Steiner mixing, grown broker by broker, against the plain listing that looks at every pair."""

import numpy as np
import pytest

from tests import reference_content as twin
from tests.content.cases import SMALL, smooth
from topicweave.kernels.content.steiner import grow, steiner_weights


def grown(instance, c, begin, second):
    """The broker of every subscriber of the channel, in order of number."""
    subscribers = np.flatnonzero(instance.subscribe[:, c])
    access = np.ascontiguousarray(instance.access_price[subscribers].T)
    by_price = np.argsort(access, axis=1, kind="stable").astype(np.int32)
    count = len(subscribers)
    at = np.empty(count, dtype=np.int32)
    grow(
        instance.path_price, np.take_along_axis(access, by_price, axis=1), by_price, access.argmin(axis=0), count,
        begin, second, np.empty(count, dtype=np.bool_), np.empty(count), np.empty(count, dtype=np.int64), at,
    )  # fmt: skip
    return dict(zip(subscribers.tolist(), at.tolist(), strict=True))


@pytest.mark.parametrize("instance", SMALL + [smooth(seed, 12, 4, 3) for seed in range(15)])
def test_a_tree_grows_by_the_cheapest_user_and_broker(instance):
    """From any two initial brokers, for every channel that some user wants."""
    plain = twin.Plain(instance)
    for c in np.flatnonzero(instance.subscribe.any(axis=0)).tolist():
        for begin in range(instance.num_brokers):
            second = (begin + c) % instance.num_brokers
            assert grown(instance, c, begin, second) == twin.steiner_tree(plain, c, begin, second)


@pytest.mark.parametrize("instance", SMALL)
def test_the_weights_do_not_depend_on_how_channels_are_dealt_out(instance):
    """And they are those of Algorithm 3, publisher by publisher."""
    access = np.ascontiguousarray(instance.access_price.T)
    by_price = np.argsort(access, axis=1, kind="stable").astype(np.int32)
    expected = twin.steiner_weights(twin.Plain(instance))
    for parts in (1, 2, 7):
        found = steiner_weights(access, instance.path_price, by_price, instance.rate, instance.subscribe, parts)
        np.testing.assert_allclose(found, expected, atol=1e-12)
