"""Figure 5: average degree of overlays of constant diameter, by subscription size."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from experiments.claim import Claim, Finding, graded
from experiments.designing import ask
from experiments.experiment import Experiment, Figure, grid
from experiments.plotting import curve, label
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
DRAWS = {"distinct": "exactly s topics per node", "independent": "each topic with probability s/100"}


def uniform(size: int, draws: str = "distinct") -> Workload:
    return Workload(100, 100, "uniform", size, draws=draws)


def ratios(results: Results, over: str, under: str, draws: str = "distinct") -> list[NDArray[np.float64]]:
    """Links of one algorithm over those of another, by size."""
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
            "is the draw: see the row with independent draws."
        )
    elif max(means) > limit:
        beyond = ", ".join(str(s) for s, v in zip(SIZES, means, strict=True) if v > limit)
        exact = max(mean(v) for v in ratios(results, algorithm, "gm"))
        reason = (
            f"Only at s={beyond}, and nearer than with exactly s topics per node ({max(means):.2f} against {exact:.2f} "
            "at most): uneven sizes give larger centres. Which sizes the paper's curves were read at is not said."
        )
    return Finding(by_size(found), graded(max(means) <= limit), reason)


def is_below(results: Results, *, other: str, percent: float, slack: float, draws: str) -> Finding:
    found = ratios(results, "cd2", other, draws)
    overall = 100 * (1 - np.mean(found, axis=0))
    each = ", ".join(f"{round(100 * (1 - mean(v)), 1) + 0.0:.1f}" for v in found)  # no minus before a zero
    holds = abs(mean(overall) - percent) <= slack
    shown = f"{spread(overall, '.1f')} % under, on average over s"
    return Finding(shown, graded(holds, mean(overall) > 0), f"By s: {each} %.")


def falls_with_size(results: Results, *, draws: str) -> Finding:
    curves = {n: [mean(results(uniform(s, draws), a, "average_degree")) for s in SIZES] for n, a in STARS.items()}
    falling = {name: all(a > b for a, b in pairwise(values)) for name, values in curves.items()}
    shown = "; ".join(f"{TITLES[name]}: {' → '.join(f'{v:.2f}' for v in values)}" for name, values in curves.items())
    risen = [
        f"{TITLES[name]} from s="
        + ", ".join(f"{SIZES[i]} to {SIZES[i + 1]}" for i, (a, b) in enumerate(pairwise(curves[name])) if a <= b)
        for name, falls in falling.items()
        if not falls
    ]
    in_shape = all(values[-1] < values[0] and values[-1] == min(values) for values in curves.values())
    busiest = [mean(results(uniform(size, draws), STARS["cd2"], "maximum_degree")) for size in SIZES]
    reason = ""
    if risen:
        reason = (
            f"It rises, or stays, for {'; '.join(risen)}. The largest degree of CD-ODA-II (its busiest centre) is "
            f"{' → '.join(f'{v:.0f}' for v in busiest)} of 99: where centres do not yet reach all nodes their stars "
            "still grow with s; once they do, more topics per centre mean fewer centres."
        )
    return Finding(shown, graded(not risen, in_shape), reason)


def draw(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(1, 2, sharey=True)
    for axes, (draws, words) in zip(panels, DRAWS.items(), strict=True):
        for place, (name, asked) in enumerate(STARS.items()):
            values = [results(uniform(s, draws), asked, "average_degree") for s in SIZES]
            curve(axes, SIZES, values, TITLES[name], place)
        axes.set_ylim(bottom=0)
        label(axes, "subscription size", "average node degree", words)


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
    + grid(map(uniform, SIZES), OTHER_TIES.values()),
    claims=tuple(claim for draws in DRAWS for claim in _claims(draws)),
    figures=(
        Figure(
            "low-5", "Average node degree by subscription size; the paper's Figure 5, in two readings of its workload.",
            draw, (9, 3.8),
        ),
    ),
    num_seeds=20,
)  # fmt: skip
