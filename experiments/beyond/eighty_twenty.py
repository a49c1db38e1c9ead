"""How much of the support the first links of a design bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from experiments.beyond.side_by_side import COMPLETE
from experiments.beyond.workloads import WORKLOADS
from experiments.claim import Claim, Finding, graded
from experiments.designing import SHARES
from experiments.experiment import Experiment, Figure, TableOf, grid
from experiments.plotting import band, label
from experiments.results import mean, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from experiments.results import Results

GREEDY = ("GM", "Low-ODA(3)", "MinMax-ODA")
TWENTY = SHARES.index(0.2)


def needed(results: Results, name: str, algorithm: str) -> float:
    """The share of a design's links after which it has 80 % support."""
    curve = results(WORKLOADS[name], COMPLETE[algorithm], "support_by_share").mean(axis=0)
    return float(np.interp(0.8, np.concatenate(([0.0], curve)), np.concatenate(([0.0], SHARES))))


def at_twenty(results: Results) -> Finding:
    shown, fine = [], []
    for name, used in WORKLOADS.items():
        found = results(used, COMPLETE["GM"], "support_by_share")[:, TWENTY]
        fine.append(mean(found) >= 0.8)
        shown.append(f"{name}: {percent(found)} % (80 % after {100 * needed(results, name, 'GM'):.0f} % of the links)")
    reason = (
        f"So on {sum(fine)} of {len(fine)} workloads. Counted in links it is steepest where a few nodes share the "
        "topics of many (social graphs with hubs, power-law sizes) and nearly straight where all nodes are alike. "
        "PART's 80-20 is one of maximum degrees: at 20 % of MinMax-ODA's Δ, GPM still makes most of its links (see "
        "the rows on the Pareto principle at PART-4 and PART-5)."
    )
    return Finding("; ".join(shown), graded(all(fine), sum(fine) >= len(fine) / 2), reason)


def table(results: Results) -> list[list[str]]:
    rows = [["workload", *(f"{a}: support of the first 20 %" for a in GREEDY), *(f"{a}: 80 % after" for a in GREEDY)]]
    for name, used in WORKLOADS.items():
        first = [percent(results(used, COMPLETE[a], "support_by_share")[:, TWENTY]) + " %" for a in GREEDY]
        rows.append([name, *first, *(f"{100 * needed(results, name, a):.0f} %" for a in GREEDY)])
    return rows


def draw(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(1, 2, sharey=True)
    x = [0.0, *(100 * share for share in SHARES)]
    for axes, algorithm in zip(panels, ("GM", "MinMax-ODA"), strict=True):
        for place, (name, used) in enumerate(WORKLOADS.items()):
            rows = 100 * results(used, COMPLETE[algorithm], "support_by_share")
            band(axes, x, np.column_stack((np.zeros(len(rows)), rows)), name, place)
        axes.axvline(20, color="grey", linewidth=0.8, linestyle=":")
        axes.axhline(80, color="grey", linewidth=0.8, linestyle=":")
        label(axes, "share of the links, in the order added, %", "TCO support, %", algorithm,
              legend=axes is panels[-1], beside=True)  # fmt: skip


EXPERIMENT = Experiment(
    "beyond-80-20",
    "Support against links: is it 80-20?",
    grid(WORKLOADS.values(), [COMPLETE[name] for name in GREEDY]),
    claims=(
        Claim(
            "ours-3", "80 % of the support comes from 20 % of the links (PART's Pareto principle, on every workload).",
            "GM's first 20 % of links give 80 % support on every workload; in shape: on half of them",
            "all workloads; the links of a complete design in the order it took them", at_twenty,
        ),
    ),
    figures=(Figure("beyond-80-20", "Support by share of the links, in the order they were added.", draw, (13, 4.6)),),
    tables=(TableOf("Support of the first links", table),),
)  # fmt: skip
