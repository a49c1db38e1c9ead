"""Judges of LOW's rows say "holds" of results made to agree with the claim, and not of results made to differ."""

import pytest

from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE
from experiments.low import figure_5, figures_1_2, figures_3_4
from tests.experiments.made_up import made_up


@pytest.mark.parametrize(
    ("degrees", "verdict"), [((12, 10, 8), HOLDS), ((12, 13, 8), IN_SHAPE), ((8, 10, 12), DOES_NOT)]
)
def test_low_1_asks_for_the_middle(degrees, verdict):
    by_name = dict(zip(("gm", "low", "minmax"), degrees, strict=True))
    results = made_up(lambda _, asked, __: by_name[asked.algorithm])
    assert figures_1_2.lies_between(results, ties="random", measure="maximum_degree").verdict == verdict


@pytest.mark.parametrize(("slope", "verdict"), [(0.1, HOLDS), (-0.1, DOES_NOT)])
def test_low_4_asks_for_a_rising_average(slope, verdict):
    def value(_, asked, __):
        return 5 + slope * {"gm": 1, "minmax": 8}.get(asked.algorithm, dict(asked.parameters).get("k"))

    assert figures_3_4.moves_with_k(made_up(value), ties="random", measure="average_degree").verdict == verdict


@pytest.mark.parametrize(("gm", "verdict"), [(17, HOLDS), (9.4, DOES_NOT)])
def test_low_3_by_the_text_begins_with_gm(gm, verdict):
    """At k=1 the text's rule is GM's; from k=2 on Δ is MinMax-ODA's."""
    results = made_up(lambda _, asked, __: gm if asked.algorithm == "gm" else 9.5)
    finding = figures_3_4.moves_with_k(results, ties="random", measure="maximum_degree", by_text=True)
    assert finding.verdict == verdict
    by_algorithm = figures_3_4.moves_with_k(results, ties="random", measure="maximum_degree")
    assert by_algorithm.verdict == DOES_NOT and ("By the text" in by_algorithm.reason) == (gm == 17)


def test_low_3_lets_a_step_waver_by_a_hundredth_of_its_start():
    """From 9.5 up to 9.6 is more than that, though less than a hundredth of GM's 17."""

    def value(_, asked, __):
        return {"gm": 17, "minmax": 9.6}.get(asked.algorithm) or (9.5 if dict(asked.parameters)["k"] < 5 else 9.6)

    finding = figures_3_4.moves_with_k(made_up(value), ties="random", measure="maximum_degree", by_text=True)
    assert finding.verdict == IN_SHAPE and "from k=5 to 6" in finding.reason


@pytest.mark.parametrize(("ratio", "verdict"), [(1.8, HOLDS), (1.9, DOES_NOT)])
def test_low_5_asks_for_at_most_so_many_links(ratio, verdict):
    results = made_up(lambda _, asked, __: 100 * (ratio if asked.algorithm == "cd2" else 1))
    assert figure_5.at_most(results, algorithm="cd2", limit=1.81, draws="distinct").verdict == verdict


@pytest.mark.parametrize(("below", "verdict"), [(0.2, HOLDS), (0.1, IN_SHAPE), (-0.1, DOES_NOT)])
def test_low_5_asks_for_a_fifth_fewer(below, verdict):
    results = made_up(lambda _, asked, __: 1 - below if asked.algorithm == "cd2" else 1)
    assert figure_5.is_below(results, other="cd", percent=20, slack=5, draws="distinct").verdict == verdict
