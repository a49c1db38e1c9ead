"""Figure 5: average degree of overlays of constant diameter, by number of topics per node."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from experiments.claim import Claim, Finding, graded
from experiments.designing import ask
from experiments.experiment import Experiment, Figure, TableOf, grid
from experiments.low.plain_stars import Centres
from experiments.plotting import curve, from_zero, label
from experiments.results import mean, spread
from experiments.workload import Workload

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from experiments.results import Results

SIZES = (10, 15, 20, 25, 30, 35, 40, 45, 50)
STARS = {name: ask(name) for name in ("gm", "cd", "cd1", "cd2")}
TITLES = {"gm": "GM", "cd": "CD-ODA", "cd1": "CD-ODA-I", "cd2": "CD-ODA-II"}
OTHER_TIES = {f"gm, {ties}": ask("gm", ties=ties) for ties in ("lexicographic", "random")}
CENTRES = {
    "CD-ODA, the lowest number among equals": Centres("cd"),
    "CD-ODA, the one with most topics left": Centres("cd", "most topics"),
    "CD-ODA, the one with fewest topics left": Centres("cd", "fewest topics"),
    "CD-ODA-II": Centres("cd2"),
}
DRAWS = {"distinct": "exactly s topics per node", "independent": "each topic with probability s/100"}


def uniform(size: int, draws: str = "distinct") -> Workload:
    return Workload(100, 100, "uniform", size, draws=draws)


def ratios(results: Results, over: str, under: str, draws: str = "distinct") -> list[NDArray[np.float64]]:
    """The links of one algorithm divided by those of another, for each number of topics per node."""
    return [
        results(uniform(size, draws), STARS[over], "links")
        / results(uniform(size, draws), {**STARS, **OTHER_TIES}[under], "links")
        for size in SIZES
    ]


def by_size(values: list[NDArray[np.float64]]) -> str:
    return "; ".join(f"s={size}: {spread(v)}" for size, v in zip(SIZES, values, strict=True))


def at_most(results: Results, *, algorithm: str, limit: float, draws: str) -> Finding:
    found = ratios(results, algorithm, "gm", draws)
    means = [mean(v) for v in found]
    reason = ""
    if max(means) > limit and draws == "distinct":
        tied = [[mean(v) for v in ratios(results, algorithm, name)] for name in OTHER_TIES]
        moved = max(abs(a - b) for values in tied for a, b in zip(values, means, strict=True))
        beyond_on = int(np.sum(np.max(found, axis=0) > limit))
        reason = (
            f"The largest mean is at s={SIZES[int(np.argmax(means))]}; {beyond_on} of {len(found[0])} seeds are above "
            f"the limit somewhere. GM under other ties moves the ratio by {moved:.2f} at most; the plain version of "
            "the tests, written from the paper, makes the same links (tests/experiments/test_twins.py). What matters "
            f"is the draw: with independent draws (LOW-5, {DRAWS['independent']}) it is "
            f"{max(mean(v) for v in ratios(results, algorithm, 'gm', 'independent')):.2f} at most."
        )
    elif max(means) > limit:
        beyond = ", ".join(str(s) for s, v in zip(SIZES, means, strict=True) if v > limit)
        place = int(np.argmax(means))
        exact = mean(ratios(results, algorithm, "gm")[place])
        stars, topics = (
            [
                mean(results(uniform(SIZES[place], how), CENTRES["CD-ODA-II"], what))
                for how in ("independent", "distinct")
            ]
            for what in ("stars", "topics_per_centre")
        )
        reason = (
            f"It fails only at s={beyond}. It is nearer than with exactly s topics per node ({max(means):.2f} against "
            f"{exact:.2f} at s={SIZES[place]}), for where sizes are uneven there are centres with more topics: "
            f"{topics[0]:.1f} against {topics[1]:.1f} per centre, so {stars[0]:.1f} stars do instead of "
            f"{stars[1]:.1f}. The paper does not print the curves' values."
        )
    return Finding(by_size(found), graded(max(means) <= limit), reason)


def is_below(results: Results, *, other: str, percent: float, slack: float, draws: str) -> Finding:
    found = ratios(results, "cd2", other, draws)
    overall = 100 * (1 - np.mean(found, axis=0))
    # adding 0.0 avoids a minus sign before a zero
    each = ", ".join(f"{round(100 * (1 - mean(v)), 1) + 0.0:.1f}" for v in found)
    holds = abs(mean(overall) - percent) <= slack
    shown = f"{spread(overall, '.1f')} % under, on average over s"
    reason = f"By s: {each} %."
    if other == "cd":
        reason += " " + _why_ties_decide(results, draws)
    return Finding(shown, graded(holds, mean(overall) > 0), reason)


def centres(results: Results, name: str, measure: str, draws: str) -> list[float]:
    """The mean of a measure of the centres taken, for each number of topics per node."""
    return [mean(results(uniform(size, draws), CENTRES[name], measure)) for size in SIZES]


def _why_ties_decide(results: Results, draws: str) -> str:
    workloads = [uniform(size, draws) for size in SIZES]
    equals = centres(results, next(iter(CENTRES)), "equals_of_first", draws)
    best = Centres("cd2")
    under = [
        100 * (1 - np.mean([results(at, best, "links") / results(at, asked, "links") for at in workloads]))
        for asked in list(CENTRES.values())[:-1]
    ]
    return (
        "How much it saves is a matter of CD-ODA's ties: a centre can have no more than all other nodes as "
        f"neighbours, and the first one shares its number with {', '.join(f'{v:.0f}' for v in equals)} of 100 nodes "
        f"by s. Among these CD-ODA may take any; with the lowest number (ours) CD-ODA-II is {under[0]:.1f} % under it, "
        f"with the fewest topics left {under[2]:.1f} %, with the most {under[1]:.1f} %."
    )


def falls_with_size(results: Results, *, draws: str) -> Finding:
    found = {n: [results(uniform(s, draws), a, "average_degree") for s in SIZES] for n, a in STARS.items()}
    curves = {name: [mean(values) for values in by_size] for name, by_size in found.items()}
    falling = {name: all(a > b for a, b in pairwise(values)) for name, values in curves.items()}
    shown = "; ".join(f"{TITLES[name]}: {' → '.join(map(spread, values))}" for name, values in found.items())
    risen = [
        f"{TITLES[name]} from s="
        + ", ".join(f"{SIZES[i]} to {SIZES[i + 1]}" for i, (a, b) in enumerate(pairwise(curves[name])) if a <= b)
        for name, falls in falling.items()
        if not falls
    ]
    in_shape = all(values[-1] < values[0] and values[-1] == min(values) for values in curves.values())
    reason = f"It rises, or stays, for {'; '.join(risen)}. {_why_it_rises(results, draws)}" if risen else ""
    return Finding(shown, graded(not risen, in_shape), reason)


def _why_it_rises(results: Results, draws: str) -> str:
    first, most, _, second = CENTRES
    stars, links = (centres(results, second, what, draws) for what in ("stars", "links_per_star"))
    reason = (
        "Links are stars × new links of a star. CD-ODA-II's stars get fewer with s "
        f"({' → '.join(f'{v:.1f}' for v in stars)}) and larger ({' → '.join(f'{v:.0f}' for v in links)} of 99 at "
        "most): at first they grow faster than their number falls."
    )
    topics, many = (centres(results, name, "topics_of_first", draws) for name in (first, most))
    if draws == "independent":
        best = [2 * v / 100 for v in centres(results, most, "links", draws)]
        reason += (
            f" CD-ODA rises longer because it does not see how many topics a centre has: its first one has "
            f"{' → '.join(f'{v:.0f}' for v in topics)} topics, where equals with up to "
            f"{' → '.join(f'{v:.0f}' for v in many)} were to be had. With ties going to these its average degree is "
            f"{' → '.join(f'{v:.2f}' for v in best)}."
        )
    return reason


def table(results: Results) -> list[list[str]]:
    rows = [["draws", "centre taken", "what", *(f"s={size}" for size in SIZES)]]
    for draws, words in DRAWS.items():
        for name in CENTRES:
            for title, measure in (("stars", "stars"), ("topics of a centre", "topics_per_centre"), ("links", "links")):
                cells = [f"{value:.1f}" for value in centres(results, name, measure, draws)]
                rows.append([words, name, title, *cells])
    return rows


def draw(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(1, 2, sharey=True)
    for axes, (draws, words) in zip(panels, DRAWS.items(), strict=True):
        for place, (name, asked) in enumerate(STARS.items()):
            values = [results(uniform(s, draws), asked, "average_degree") for s in SIZES]
            curve(axes, SIZES, values, TITLES[name], place)
        label(axes, "subscription size", "average node degree", words)
    from_zero(panels)


def _claims(draws: str) -> tuple[Claim, ...]:
    setting = f"100 nodes × 100 topics, s = 10, 15 … 50, uniform; {DRAWS[draws]}"
    return (
        Claim(
            "LOW-5", "CD-ODA makes at most 2.3 × GM's links.", "mean at every s", setting,
            partial(at_most, algorithm="cd", limit=2.3, draws=draws),
        ),
        Claim(
            "LOW-5", "CD-ODA-II makes at most 1.8 × GM's links.", "mean at every s", setting,
            partial(at_most, algorithm="cd2", limit=1.8, draws=draws),
        ),
        Claim(
            "LOW-5", "CD-ODA-II makes 20 % fewer links than CD-ODA on average.", "15 to 25 %; in shape: fewer", setting,
            partial(is_below, other="cd", percent=20, slack=5, draws=draws),
        ),
        Claim(
            "LOW-5", "CD-ODA-II makes 1 % fewer links than CD-ODA-I on average.", "0 to 2 %; in shape: fewer", setting,
            partial(is_below, other="cd1", percent=1, slack=1, draws=draws),
        ),
        Claim(
            "LOW-5", "The average degree of all four falls as s grows.",
            "all four at every step; in shape: all lowest at s=50", setting, partial(falls_with_size, draws=draws),
        ),
    )  # fmt: skip


EXPERIMENT = Experiment(
    "low-5",
    "Overlays of constant diameter (LOW Figure 5)",
    grid([uniform(size, draws) for draws in DRAWS for size in SIZES], STARS.values())
    + grid(map(uniform, SIZES), OTHER_TIES.values())
    + grid([uniform(size, draws) for draws in DRAWS for size in SIZES], CENTRES.values()),
    claims=tuple(claim for draws in DRAWS for claim in _claims(draws)),
    figures=(
        Figure(
            "low-5", "Average node degree by subscription size; the paper's Figure 5, in two readings of its workload.",
            draw, (9, 3.8),
        ),
    ),
    tables=(TableOf("Which centres are taken, and what that costs", table),),
    num_seeds=20,
)  # fmt: skip
