"""Judges say "holds" of results made to agree with the paper, and not of results made to differ."""

import numpy as np
import pytest

from experiments import gm, low, part
from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE

TWICE = np.array([0.99, 1.01])  # two seeds, around the value


def made_up(function):
    """Results as a function of workload, algorithm and measure."""
    return lambda workload, asked, measure: TWICE * function(workload, asked, measure)


@pytest.mark.parametrize(("power", "verdict"), [(-0.1, HOLDS), (0.1, DOES_NOT)])
def test_gm_2_asks_for_falling_degrees(power, verdict):
    results = made_up(lambda workload, *_: workload.num_nodes**power)
    assert gm.falls_with_nodes(results).verdict == verdict


@pytest.mark.parametrize(("steps", "verdict"), [(4e-3, HOLDS), (2e-2, IN_SHAPE), (1e-1, DOES_NOT)])
def test_gm_3_asks_for_thousandths(steps, verdict):
    results = made_up(lambda workload, *_: steps * workload.num_nodes**2 * workload.num_topics)
    assert gm.small_fraction(results).verdict == verdict


@pytest.mark.parametrize(("ratio", "verdict"), [(3, HOLDS), (3.8, IN_SHAPE), (5, DOES_NOT)])
def test_gm_4a_asks_for_three(ratio, verdict):
    results = made_up(lambda _, asked, __: ratio if asked.algorithm == "ring" else 1)
    finding = gm.ring_is_three_times(results)
    assert finding.verdict == verdict and f"{ratio:.2f}" in finding.measured


@pytest.mark.parametrize(
    ("degrees", "verdict"), [((12, 10, 8), HOLDS), ((12, 13, 8), IN_SHAPE), ((8, 10, 12), DOES_NOT)]
)
def test_low_1_asks_for_the_middle(degrees, verdict):
    by_name = dict(zip(("gm", "low", "minmax"), degrees, strict=True))
    results = made_up(lambda _, asked, __: by_name[asked.algorithm])
    assert low.lies_between(results, ties="random", measure="maximum_degree").verdict == verdict


@pytest.mark.parametrize(("slope", "verdict"), [(0.1, HOLDS), (-0.1, DOES_NOT)])
def test_low_4_asks_for_a_rising_average(slope, verdict):
    def value(_, asked, __):
        return 5 + slope * {"gm": 1, "minmax": 8}.get(asked.algorithm, dict(asked.parameters).get("k"))

    assert low.moves_with_k(made_up(value), ties="random", measure="average_degree").verdict == verdict


@pytest.mark.parametrize(("ratio", "verdict"), [(1.8, HOLDS), (1.9, DOES_NOT)])
def test_low_5_asks_for_at_most_so_many_links(ratio, verdict):
    results = made_up(lambda _, asked, __: 100 * (ratio if asked.algorithm == "cd2" else 1))
    assert low.at_most(results, algorithm="cd2", limit=1.81).verdict == verdict


@pytest.mark.parametrize(("below", "verdict"), [(0.2, HOLDS), (0.1, IN_SHAPE), (-0.1, DOES_NOT)])
def test_low_5_asks_for_a_fifth_fewer(below, verdict):
    results = made_up(lambda _, asked, __: 1 - below if asked.algorithm == "cd2" else 1)
    assert low.is_below(results, other="cd", percent=20, slack=5).verdict == verdict


@pytest.mark.parametrize(
    ("supports", "verdict"), [((83, 91, 39), HOLDS), ((70, 80, 60), IN_SHAPE), ((92, 83, 38), DOES_NOT)]
)
def test_part_6_asks_for_three_figures(supports, verdict):
    by_law = dict(zip(("exponential", "zipf", "uniform"), supports, strict=True))
    results = made_up(lambda workload, *_: by_law[workload.popularity] / 100)
    assert part.gpm_at_10000(results).verdict == verdict


@pytest.mark.parametrize(("fall", "verdict"), [(0.004, HOLDS), (0.05, IN_SHAPE), (0.2, DOES_NOT)])
def test_part_7_asks_for_hardly_a_fall(fall, verdict):
    def value(workload, *_):
        few = workload.num_topics == 1_000
        return (0.8 if few else 0.8 - fall) if workload.popularity == "zipf" else (0.7 if few else 0.3)

    assert part.zipf_hardly_falls(made_up(value)).verdict == verdict


def test_part_8_asks_all_algorithms_for_the_direction():
    """Rising everywhere is wrong under Zipf; falling under Zipf for GPM alone is the shape."""

    def value(workload, asked, _, falling=("gpm", "gpa", "spidercast_max", "random_max")):
        falls = workload.popularity == "zipf" and asked.algorithm in falling
        return 0.5 + (-1 if falls else 1) * workload.subscriptions[0] / 1_000

    assert part.moves_with_size(made_up(value)).verdict == HOLDS
    shape = part.moves_with_size(made_up(lambda *seen: value(*seen, falling=("gpm",))))
    assert shape.verdict == IN_SHAPE and "RandomM Zipf" in shape.reason
    assert part.moves_with_size(made_up(lambda *seen: value(*seen, falling=()))).verdict == DOES_NOT


@pytest.mark.parametrize(("spider", "verdict"), [(0.7, HOLDS), (0.95, DOES_NOT)])
def test_part_9_asks_for_the_ranking(spider, verdict):
    by_name = {"gpa": 1, "gpm": 0.9, "spidercast_max": spider, "random_max": 0.3}
    claim = next(claim for claim in part.CLAIMS if claim.id == "PART-9")
    assert claim.judge(made_up(lambda _, asked, __: by_name[asked.algorithm])).verdict == verdict
