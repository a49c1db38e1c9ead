"""Judges of GM's rows say "holds" of results made to agree with the claim, and not of results made to differ."""

import pytest

from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE
from experiments.gm import figure_2, figure_3, figure_4
from tests.experiments.made_up import made_up


@pytest.mark.parametrize(("power", "verdict"), [(-0.1, HOLDS), (0.1, DOES_NOT)])
def test_gm_2_asks_for_falling_degrees(power, verdict):
    results = made_up(lambda workload, *_: workload.num_nodes**power)
    assert figure_2.falls_with_nodes(results).verdict == verdict


@pytest.mark.parametrize(("steps", "verdict"), [(4e-3, HOLDS), (2e-2, IN_SHAPE), (1e-1, DOES_NOT)])
def test_gm_3_asks_for_thousandths(steps, verdict):
    results = made_up(lambda workload, *_: steps * workload.num_nodes**2 * workload.num_topics)
    assert figure_3.small_fraction(results).verdict == verdict


@pytest.mark.parametrize(("ratio", "verdict"), [(3, HOLDS), (3.8, IN_SHAPE), (5, DOES_NOT)])
def test_gm_4a_asks_for_three(ratio, verdict):
    results = made_up(lambda _, asked, __: ratio if asked.algorithm == "ring" else 1)
    finding = figure_4.ring_is_three_times(results)
    assert finding.verdict == verdict and f"{ratio:.2f}" in finding.measured
