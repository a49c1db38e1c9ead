"""Judges of CONTENT's rows say "holds" of results made to agree with the claim, and not of results made to differ."""

import pytest

from experiments.claim import DOES_NOT, HOLDS, IN_SHAPE
from experiments.content import figure_9, figure_10, theorem_1
from tests.experiments.made_up import made_up


@pytest.mark.parametrize(("mixing", "verdict"), [(5, HOLDS), (2, DOES_NOT)])
def test_content_9_asks_for_the_ranking(mixing, verdict):
    by_name = {"steiner_mixing": mixing, "clustering": 4, "greedy_packing": 3}
    results = made_up(lambda _, asked, __: by_name[asked.method])
    assert figure_9.mixing_first(results).verdict == verdict


@pytest.mark.parametrize(("drawn", "heaviest", "verdict"), [(5, 5, HOLDS), (2, 5, IN_SHAPE), (2, 2, DOES_NOT)])
def test_content_9_tells_drawing_from_the_heaviest_link_in_the_sparse_market(drawn, heaviest, verdict):
    def value(_, asked, __):
        mixing = heaviest if asked.draw == "heaviest" else drawn
        return {"steiner_mixing": mixing, "clustering": 4, "greedy_packing": 3}[asked.method]

    assert figure_9.mixing_first_when_sparse(made_up(value)).verdict == verdict


@pytest.mark.parametrize(("power", "verdict"), [(0, HOLDS), (0.2, IN_SHAPE), (1, DOES_NOT)])
def test_random_is_linear_when_its_cost_per_user_stays(power, verdict):
    assert figure_9.random_is_linear(made_up(lambda market, *_: market.num_users**power)).verdict == verdict


@pytest.mark.parametrize(("above", "verdict"), [(0, HOLDS), (1e-9, HOLDS), (0.01, DOES_NOT)])
def test_theorem_1_asks_for_equality(above, verdict):
    assert theorem_1.reduction_is_exact(made_up(lambda *_: above)).verdict == verdict


@pytest.mark.parametrize(("gap", "verdict"), [(0.5, HOLDS), (50, IN_SHAPE), (-0.5, DOES_NOT)])
def test_content_10_asks_for_convergence(gap, verdict):
    """Packing is below mixing by a gap that shrinks as the core gets cheap; or grows."""

    def value(market, asked, _):
        distance = gap / market.price_ratio if gap > 0 else -gap * market.price_ratio
        return 10 + (distance if asked.method == "greedy_packing" else 0)

    assert figure_10.converge(made_up(value)).verdict == verdict
