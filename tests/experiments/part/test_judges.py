"""Judges of PART's rows say "holds" of results made to agree with the claim, and not of results made to differ."""

import pytest

from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE
from experiments.part import figure_6, figure_7, figure_8, figure_9, figures_4_5, table_1
from tests.experiments.made_up import made_up


@pytest.mark.parametrize(
    ("supports", "verdict"),
    [((1, 0.94, 0.9, 0.37), HOLDS), ((0.9, 0.8, 0.7, 0.6), IN_SHAPE), ((0.8, 0.95, 0.9, 0.37), DOES_NOT)],
)
def test_part_t1_asks_for_four_figures(supports, verdict):
    by_name = dict(zip(("gpa", "gpm", "spidercast_max", "random_max"), supports, strict=True))
    results = made_up(lambda _, asked, measure: by_name[asked.algorithm] if measure == "support" else 10)
    # MinMax-ODA is looked at only for the words on what the sample is like
    by_name["minmax"] = 1
    assert table_1.supports(results, sample=table_1.FB_1K, as_many=False).verdict == verdict


@pytest.mark.parametrize(("support", "verdict"), [(0.95, HOLDS), (0.99, IN_SHAPE), (0.8, DOES_NOT)])
def test_part_4_asks_for_most_of_it_at_15_percent(support, verdict):
    assert figures_4_5.gpm_at_15(made_up(lambda *_: support)).verdict == verdict


@pytest.mark.parametrize(
    ("supports", "verdict"), [((83, 91, 39), HOLDS), ((70, 80, 60), IN_SHAPE), ((92, 83, 38), DOES_NOT)]
)
def test_part_6_asks_for_three_figures(supports, verdict):
    by_law = dict(zip(("exponential", "zipf", "uniform"), supports, strict=True))
    results = made_up(lambda workload, *_: by_law[workload.popularity] / 100)
    assert figure_6.gpm_at_10000(results, draws="distinct").verdict == verdict


def test_part_6_says_which_reading_would_bring_the_gaps_together():
    """Made up: gaps of 30 points, but under the steepest law of sizes those of the paper."""
    said = {"exponential": 0.439, "zipf": 0.227, "uniform": 0.301}

    def value(workload, asked, _):
        gap = said[workload.popularity] if workload.size_exponent == 3 else 0.3
        return 0.2 + (gap if asked.algorithm == "gpm" else 0)

    finding = figure_6.gap(made_up(value), draws="distinct")
    assert finding.verdict == DOES_NOT and "Off by Expo -13.9, Zipf +7.3, Unif -0.1" in finding.reason
    assert "s⁻³ +13.9 / -7.3 / +0.1" in finding.reason and "Expo +0.0 (s different topics, s⁻³" in finding.reason
    assert "8 of the 32 readings tried would have all three within 5" in finding.reason


@pytest.mark.parametrize(("fall", "verdict"), [(0.004, HOLDS), (0.05, IN_SHAPE), (0.2, DOES_NOT)])
def test_part_7_asks_for_hardly_a_fall(fall, verdict):
    def value(workload, *_):
        few = workload.num_topics == 1_000
        return (0.8 if few else 0.8 - fall) if workload.popularity == "zipf" else (0.7 if few else 0.3)

    assert figure_7.zipf_hardly_falls(made_up(value), draws="distinct").verdict == verdict


def test_part_8_asks_all_algorithms_for_the_direction():
    """Ascending everywhere is wrong under Zipf; descending under Zipf for GPM alone is the shape."""

    def value(workload, asked, _, falling=("gpm", "gpa", "spidercast_max", "random_max")):
        falls = workload.popularity == "zipf" and asked.algorithm in falling
        return 0.5 + (-1 if falls else 1) * workload.subscriptions[0] / 1_000

    def judged(falling):
        return figure_8.moves_with_size(made_up(lambda *seen: value(*seen, falling=falling)), draws="distinct")

    assert judged(("gpm", "gpa", "spidercast_max", "random_max")).verdict == HOLDS
    assert judged(("gpm",)).verdict == IN_SHAPE and "RandomM Zipf" in judged(("gpm",)).reason
    assert judged(()).verdict == DOES_NOT


@pytest.mark.parametrize(("spider", "verdict"), [(0.7, HOLDS), (0.95, DOES_NOT)])
def test_part_9_asks_for_the_ranking(spider, verdict):
    by_name = {"gpa": 1, "gpm": 0.9, "spidercast_max": spider, "random_max": 0.3}
    claim = figure_9.EXPERIMENT.claims[0]
    assert claim.judge(made_up(lambda _, asked, __: by_name[asked.algorithm])).verdict == verdict


def test_part_9_counts_ties_at_nothing_apart():
    """A degree of 0 allows no link: that is no order."""

    def value(_, asked, measure):
        none = dict(asked.parameters).get("budget_ratio") == 0.05 and asked.algorithm != "gpa"
        by_name = {"gpa": 1, "gpm": 0.9, "spidercast_max": 0.7, "random_max": 0.3}
        return 0 if none else by_name[asked.algorithm]

    finding = figure_9.EXPERIMENT.claims[0].judge(made_up(value))
    assert "84 of 90 neighbours in that order, 6 equal at 0 %" in finding.measured
    assert finding.verdict == HOLDS and "At 0 % (Expo, β=0.05; Zipf, β=0.05; Unif, β=0.05)" in finding.reason


@pytest.mark.parametrize(
    ("gaps", "verdict"),
    [((26, 22, 15), HOLDS), ((40, 22, 15), IN_SHAPE), ((23, 24, 14), DOES_NOT), ((9, 8, 7), DOES_NOT)],
)
def test_part_7_asks_gaps_for_their_order_too(gaps, verdict):
    by_law = dict(zip(("exponential", "zipf", "uniform"), gaps, strict=True))

    def value(workload, asked, _):
        return 0.2 + (by_law[workload.popularity] / 100 if asked.algorithm == "gpm" else 0)

    finding = figure_7.gap(made_up(value), draws="distinct")
    assert finding.verdict == verdict
    assert ("Each is within 5, but the order is Zipf > Expo > Unif" in finding.reason) == (gaps == (23, 24, 14))
