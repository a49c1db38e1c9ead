"""How good the methods of CONTENT are: their costs compared with a lower bound on the cost of any assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.beyond.bounding import MarketBounded
from experiments.claim import Claim, Finding, graded
from experiments.content.figure_9 import EXPERIMENT as CONTENT_9
from experiments.content.figure_9 import ORDER, THREE, at, sparse
from experiments.experiment import Experiment, TableOf, grid
from experiments.results import mean, percent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from experiments.content.market import Market
    from experiments.results import Results

USERS = (1_000, 2_000)
MARKETS = {
    **{f"the paper's market, {users:,} users": at(users) for users in USERS},
    **{f"the sparse market, {users:,} users": sparse(users) for users in USERS},
}
BOUND = MarketBounded()


def gap(results: Results, market: Market, name: str) -> NDArray[np.float64]:
    """By what share the cost of a method exceeds the lower bound."""
    cost = results(market, THREE[name], "access") + results(market, THREE[name], "core")
    return cost / results(market, BOUND, "total") - 1


def near_bound(results: Results) -> Finding:
    shown, best = [], []
    for words, market in MARKETS.items():
        gaps = {name: gap(results, market, name) for name in ORDER}
        best.append(min(map(mean, gaps.values())))
        shown.append(f"{words}: " + ", ".join(f"{name} {percent(values)} %" for name, values in gaps.items()))
    reason = (
        "The bound adds the cheapest access to what trees must cost, channel by channel. It is close where access "
        "decides, and loose in the sparse market, where nobody knows how much of the gap is the methods'."
    )
    return Finding("; ".join(shown), graded(max(best) <= 0.1, min(best) <= 0.1), reason)


def table(results: Results) -> list[list[str]]:
    rows = [["market", "bound", *ORDER]]
    for words, market in MARKETS.items():
        bound = f"{mean(results(market, BOUND, 'total')):,.0f}"
        rows.append([words, bound, *(percent(gap(results, market, name)) for name in ORDER)])
    return rows


EXPERIMENT = Experiment(
    "beyond-gaps-content",
    "How good are CONTENT's methods?",
    grid(MARKETS.values(), (BOUND,)),
    claims=(
        Claim(
            "ours-8", "The best of CONTENT's three methods costs at most a tenth more than any assignment must.",
            "in every market; in shape: in one of them",
            "CONTENT-9's markets of 1,000 and 2,000 users, its core; cost above the certified bound", near_bound,
        ),
    ),
    tables=(TableOf("Cost above the certified bound, %", table),),
    num_seeds=5,
    borrowed=tuple((point, CONTENT_9.num_seeds) for point in grid(MARKETS.values(), THREE.values())),
)  # fmt: skip
