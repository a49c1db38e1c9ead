"""How good the papers' algorithms are: their links and maximum degrees compared with certified lower bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.beyond.bounding import Bounded
from experiments.beyond.side_by_side import COMPLETE
from experiments.beyond.workloads import WORKLOADS
from experiments.claim import Claim, Finding, graded
from experiments.designing import ask
from experiments.experiment import Experiment, Figure, TableOf, grid
from experiments.plotting import COLOURS, MARKS, label
from experiments.results import mean, percent, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from experiments.designing import Asked
    from experiments.results import Results
    from experiments.workload import Interested

MOST_NODES = 2_000
SMALL = {name: used for name, used in WORKLOADS.items() if used.num_nodes <= MOST_NODES}
LINKS, DEGREE = Bounded("links", 50), Bounded("degree", 30)
OPTIMUM = ask("optimum", rounds=15)
CONNECTED = {**{name: asked for name, asked in COMPLETE.items() if asked.algorithm != "spidercast"}, "optimum": OPTIMUM}
SHOWN = ("GM", "Low-ODA(3)", "MinMax-ODA", "optimum")
NUM_SEEDS = 2


def gap(results: Results, used: Interested, asked: Asked) -> NDArray[np.float64]:
    """By what share the number of links of a design exceeds the least number that the bound allows."""
    return results(used, asked, "links") / results(used, LINKS, "least") - 1


def excess(results: Results, used: Interested, asked: Asked) -> NDArray[np.float64]:
    """The maximum degree of a design, divided by the lowest one that the bound allows."""
    return results(used, asked, "maximum_degree") / results(used, DEGREE, "least")


def not_optimal(results: Results) -> Finding:
    shown, saved, wider = [], [], []
    for name, used in SMALL.items():
        gm, best = CONNECTED["GM"], OPTIMUM
        less = 1 - results(used, best, "links") / results(used, gm, "links")
        saved.append(mean(less))
        if (results(used, best, "maximum_degree") > results(used, gm, "maximum_degree")).any():
            wider.append(name)
        shown.append(
            f"{name}: {percent(gap(results, used, gm))} → {percent(gap(results, used, best))} % above the bound, "
            f"{percent(less)} % fewer links"
        )
    reason = (
        "The bound proves that no overlay has fewer links; so Greedy Merge is at most that far from the optimum, and "
        "at least as far as the better overlay shows. Where nodes share dozens of topics most of the gap may be the "
        "bound's own."
    )
    if wider:
        reason += f" The maximum degree is not kept on {'; '.join(wider)}."
    return Finding("; ".join(shown), graded(min(saved) >= 0.02 and not wider, min(saved) > 0), reason)


def near_least_degree(results: Results) -> Finding:
    asked = CONNECTED["MinMax-ODA"]
    found = {name: excess(results, used, asked) for name, used in SMALL.items()}
    shown = "; ".join(
        f"{name}: Δ {spread(results(used, asked, 'maximum_degree'), '.1f')} against at least "
        f"{spread(results(used, DEGREE, 'least'), '.1f')}"
        for name, used in SMALL.items()
    )
    factors = [mean(values) for values in found.values()]
    worst = max(found, key=lambda name: mean(found[name]))
    reason = (
        f"The largest ratio is {max(factors):.2f}, on {worst}; the guarantee that the papers prove is logarithmic in "
        "nodes times topics."
    )
    return Finding(shown, graded(max(factors) <= 2, float(np.median(factors)) <= 2), reason)


def links_table(results: Results) -> list[list[str]]:
    rows = [["workload", "bound", *CONNECTED]]
    for name, used in SMALL.items():
        bound = spread(results(used, LINKS, "value"), ",.0f")
        rows.append([name, bound, *(percent(gap(results, used, asked)) for asked in CONNECTED.values())])
    return rows


def degree_table(results: Results) -> list[list[str]]:
    rows = [["workload", "bound", *CONNECTED]]
    for name, used in SMALL.items():
        bound = spread(results(used, DEGREE, "least"), ".1f")
        rows.append([name, bound, *(spread(excess(results, used, asked)) for asked in CONNECTED.values())])
    return rows


def draw(results: Results, canvas: Canvas) -> None:
    axes = canvas.subplots()
    places = np.arange(len(SMALL))
    for which, name in enumerate(SHOWN):
        gaps = [100 * gap(results, used, CONNECTED[name]).mean() for used in SMALL.values()]
        axes.plot(gaps, places, linestyle="", marker=MARKS[which], color=COLOURS[which], label=name)
    axes.set_yticks(places, list(SMALL))
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    label(axes, "links above the certified bound, %", "")


_NOTE = (
    "The bounds are proved again with SciPy, by code that shares nothing with the search; see the page on near-optimal "
    "overlays. SpiderCast is left out, for it does not connect every topic."
)

EXPERIMENT = Experiment(
    "beyond-gaps",
    "How good are the papers' algorithms?",
    grid(SMALL.values(), (LINKS, DEGREE, OPTIMUM)),
    claims=(
        Claim(
            "ours-5", "Greedy Merge is not optimal: at its maximum degree there are overlays with fewer links.",
            "2 % fewer or more on every workload; in shape: fewer on every workload",
            "workloads of up to 2,000 nodes; shown: GM → optimum", not_optimal,
        ),
        Claim(
            "ours-6", "MinMax-ODA's maximum degree is within a factor of two of the least there can be.",
            "on every workload; in shape: on half of them", "workloads of up to 2,000 nodes", near_least_degree,
        ),
    ),
    figures=(
        Figure("beyond-gaps", "Links of topic-connected overlays above the certified bound.", draw, (9, 5)),
    ),
    tables=(
        TableOf("Links above the certified bound, %", links_table, _NOTE),
        TableOf("Maximum degree as a multiple of the certified bound", degree_table, _NOTE),
    ),
    num_seeds=NUM_SEEDS,
    borrowed=tuple((point, 3) for point in grid(SMALL.values(), [a for a in CONNECTED.values() if a != OPTIMUM])),
)  # fmt: skip
