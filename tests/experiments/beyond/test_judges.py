"""Judges of our own rows say "holds" of results made to agree with the claim, and not of results made to differ."""

import numpy as np
import pytest

from experiments.beyond import gaps, gaps_at_10000, gaps_of_content, side_by_side
from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE
from tests.experiments.made_up import made_up


@pytest.mark.parametrize(
    ("low", "minmax", "words"),
    [(34, 35, "Δ, Low − MinMax -1.0 ± 0.0"), (36, 35, ""), (60, 35, "What tie rules are worth")],
)
def test_ours_2_gives_the_reason_of_what_failed(low, minmax, words):
    def value(_, asked, measure):
        average, most = {"gm": (5, 50), "low": (6, low), "minmax": (7, minmax)}[asked.algorithm]
        return average if measure == "average_degree" else most

    finding = side_by_side.orders(made_up(value))
    assert words in finding.reason and (finding.verdict == HOLDS) == (not words)
    assert ("tie rules" in finding.reason) == ("tie rules" in words)


def test_diameters_of_nothing_are_not_shown():
    assert side_by_side.diameter(np.array([0.0, 0.0]), ".0f") == "–"
    assert side_by_side.diameter(np.array([0.0, 4.0, 6.0]), ".0f") == "5 ± 1 (2 of 3 seeds)"


@pytest.mark.parametrize(
    ("links", "degree", "verdict"), [(950, 8, HOLDS), (990, 8, IN_SHAPE), (950, 9, IN_SHAPE), (1_000, 8, DOES_NOT)]
)
def test_ours_5_asks_for_fewer_links_at_the_same_degree(links, degree, verdict):
    def value(_, action, measure):
        if action == gaps.LINKS:
            return 900
        is_best = action == gaps.OPTIMUM
        return {"links": links if is_best else 1_000, "maximum_degree": degree if is_best else 8}[measure]

    finding = gaps.not_optimal(made_up(value))
    assert finding.verdict == verdict and "11.1 ± 0.0" in finding.measured


@pytest.mark.parametrize(("degree", "verdict"), [(9, HOLDS), (11, DOES_NOT)])
def test_ours_6_asks_for_twice_the_bound(degree, verdict):
    results = made_up(lambda _, action, __: 5 if action == gaps.DEGREE else degree)
    assert gaps.near_least_degree(results).verdict == verdict


@pytest.mark.parametrize(("links", "verdict"), [(120, HOLDS), (130, DOES_NOT)])
def test_ours_7_asks_for_a_quarter(links, verdict):
    results = made_up(lambda _, action, __: 100 if action == gaps_at_10000.BOUND else links)
    assert gaps_at_10000.within_a_quarter(results).verdict == verdict


@pytest.mark.parametrize(("sparse", "plain", "verdict"), [(54, 54, HOLDS), (60, 54, IN_SHAPE), (60, 60, DOES_NOT)])
def test_ours_8_asks_for_a_tenth(sparse, plain, verdict):
    def value(market, action, _):
        if action == gaps_of_content.BOUND:
            return 100
        return sparse if market.reading == "sparse" else plain

    assert gaps_of_content.near_bound(made_up(value)).verdict == verdict
