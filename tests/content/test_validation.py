"""The metric closure against the textbook's three loops, bit by bit."""

import numpy as np
import pytest

from topicweave.content.validation import metric_closure


def by_three_loops(price):
    shortest = price.copy()
    for via in range(len(price)):
        for here in range(len(price)):
            for there in range(len(price)):
                shortest[here, there] = min(shortest[here, there], shortest[here, via] + shortest[via, there])
    return shortest


@pytest.mark.parametrize("seed", range(30))
def test_closure_takes_the_cheapest_path(seed):
    """Prices of 0 are prices, not missing links; if there is no link the price is infinite."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 12))
    price = rng.integers(0, 4, (size, size)).astype(float) if seed % 2 else rng.random((size, size))
    price[rng.random((size, size)) < 0.3] = np.inf
    np.fill_diagonal(price, 0.0)
    given = price.copy()
    assert np.array_equal(metric_closure(price), by_three_loops(price))
    assert np.array_equal(price, given)
