"""How numbers are spread."""

import numpy as np
import pytest

from topicweave.reports.distribution import spread, zipf_exponent


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_zipf_exponent_is_found_again(alpha):
    """Counts drawn from a Zipf law give its exponent back."""
    weights = np.arange(1, 301) ** -alpha
    counts = np.random.default_rng(0).multinomial(100_000, weights / weights.sum())
    assert zipf_exponent(counts) == pytest.approx(alpha, abs=0.05)
    assert zipf_exponent(np.full(50, 7)) == pytest.approx(0, abs=0.01)
    assert zipf_exponent(np.array([5])) == 0.0


def test_long_curves_are_thinned():
    """A thousand different values: the first and the last point stay, and the shares are those of the whole."""
    curve = spread(np.arange(1, 1001))["ccdf"]
    assert len(curve) <= 200 and curve[0] == [1, 1.0] and curve[-1] == [1000, 0.001]
    assert spread(np.zeros(0, dtype=np.int64)) == {"mean": 0.0, "median": 0.0, "largest": 0, "ccdf": []}
