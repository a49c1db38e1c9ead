"""All algorithms on all workloads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.beyond.workloads import WORKLOADS
from experiments.claim import Claim, Finding, graded
from experiments.designing import ask
from experiments.experiment import Experiment, Figure, TableOf, grid
from experiments.plotting import COLOURS, MARKS, label
from experiments.results import mean, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from experiments.results import Results
    from experiments.workload import Interested

COMPLETE = {
    "GM": ask("gm", in_full=True),
    "Low-ODA(3)": ask("low", in_full=True, k=3),
    "MinMax-ODA": ask("minmax", in_full=True),
    "CD-ODA": ask("cd", in_full=True),
    "CD-ODA-I": ask("cd1", in_full=True),
    "CD-ODA-II": ask("cd2", in_full=True),
    "ring per topic": ask("ring", in_full=True),
    "star per topic": ask("star", in_full=True),
    "chain per topic": ask("chain", in_full=True),
    "SpiderCast (3, 1)": ask("spidercast", in_full=True),
}
PARTIAL = {
    "GPA, β=0.2": ask("gpa", in_full=True, budget_ratio=0.2),
    "GPM, β=0.2": ask("gpm", in_full=True, budget_ratio=0.2),
    "SpiderCastM, β=0.2": ask("spidercast_max", in_full=True, budget_ratio=0.2),
    "RandomA, β=0.2": ask("random_avg", in_full=True, budget_ratio=0.2),
    "RandomM, β=0.2": ask("random_max", in_full=True, budget_ratio=0.2),
}
ALL = {**COMPLETE, **PARTIAL}
TODAY = ("ring per topic", "SpiderCast (3, 1)")
HEADER = [
    "algorithm", "support, %", "links", "average degree", "maximum degree", "topic diameter: mean", "maximum",
    "redundancy", "seconds",
]  # fmt: skip


def table(results: Results, *, used: Interested) -> list[list[str]]:
    rows = [HEADER]
    for name, asked in ALL.items():

        def cell(measure: str, form: str, asked: object = asked, scale: float = 1.0) -> str:
            return spread(scale * results(used, asked, measure), form)  # type: ignore[arg-type]

        rows.append(
            [
                name, cell("support", ".1f", scale=100), cell("links", ",.0f"), cell("average_degree", ".2f"),
                cell("maximum_degree", ".0f"), cell("mean_topic_diameter", ".1f"),
                cell("maximum_topic_diameter", ".0f"), cell("redundancy", ".2f"), cell("seconds", ".3f"),
            ]
        )  # fmt: skip
    return rows


def against_today(results: Results) -> Finding:
    shown, fewer = [], []
    for name, used in WORKLOADS.items():
        gm = mean(results(used, COMPLETE["GM"], "links"))
        ratios = [mean(results(used, COMPLETE[other], "links")) / gm for other in TODAY]
        fewer.append(ratios[0] > 1 and ratios[1] > 1)
        shown.append(f"{name}: {ratios[0]:.1f} and {ratios[1]:.1f} ×")
    supports = np.concatenate([results(used, COMPLETE[TODAY[1]], "support") for used in WORKLOADS.values()])
    reason = (
        f"SpiderCast's overlay is not topic-connected in {np.sum(supports < 1)} of {len(supports)} runs (least support "
        f"{100 * supports.min():.3f} %), though it makes more links: each node looks at its own neighbours only."
    )
    return Finding("; ".join(shown), graded(all(fewer), sum(fewer) >= len(fewer) - 2), reason)


def orders(results: Results) -> Finding:
    wrong, shown = [], []
    for name, used in WORKLOADS.items():
        average = [mean(results(used, COMPLETE[a], "average_degree")) for a in ("GM", "Low-ODA(3)", "MinMax-ODA")]
        most = [mean(results(used, COMPLETE[a], "maximum_degree")) for a in ("GM", "Low-ODA(3)", "MinMax-ODA")]
        shown.append(
            f"{name}: {' / '.join(f'{v:.2f}' for v in average)}, Δ {' / '.join(f'{v:.1f}' for v in most)}"
        )  # fmt: skip
        if not (average[0] <= average[1] <= average[2] and most[0] >= most[1] >= most[2]):
            wrong.append(name)
    reason = f"Not so on: {'; '.join(wrong)}." if wrong else ""
    reason += (
        " Where nodes are alike, degree-friendly ties give GM about the Δ of MinMax-ODA (see the tie rules below), so "
        "that a unit of Δ on one seed decides; LOW-1 has more seeds."
    )
    return Finding("; ".join(shown), graded(not wrong, len(wrong) <= len(WORKLOADS) / 2), reason.strip())


def draw(results: Results, canvas: Canvas) -> None:
    """Links against maximum degree, both relative to GM and MinMax-ODA."""
    axes = canvas.subplots()
    for place, (name, asked) in enumerate(COMPLETE.items()):
        x = [results(w, asked, "links").mean() / results(w, COMPLETE["GM"], "links").mean() for w in WORKLOADS.values()]
        y = [
            results(w, asked, "maximum_degree").mean() / results(w, COMPLETE["MinMax-ODA"], "maximum_degree").mean()
            for w in WORKLOADS.values()
        ]
        colour = COLOURS[place % len(COLOURS)]
        hollow = place >= len(COLOURS)  # colours and marks come round again
        axes.scatter(
            x, y, s=22, label=name, edgecolors=colour, facecolors="none" if hollow else colour,
            marker=MARKS[place % len(MARKS)], alpha=0.8,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    label(axes, "links, against GM", "maximum degree, against MinMax-ODA")


_SECONDS = "Seconds are of single runs, one at a time; the first of a process also loads the compiled code."

EXPERIMENT = Experiment(
    "beyond-algorithms",
    "All algorithms side by side",
    grid(WORKLOADS.values(), ALL.values()),
    claims=(
        Claim(
            "ours-1", "GM makes fewer links than what people use today, a ring per topic and SpiderCast.",
            "on every workload; in shape: on all but two", "all workloads; shown: ring and SpiderCast against GM",
            against_today,
        ),
        Claim(
            "ours-2", "GM < Low < MinMax in average degree and the reverse in maximum degree.",
            "on every workload; in shape: on half of them",
            "all workloads; shown: GM / Low(3) / MinMax average, then Δ; default ties", orders,
        ),
    ),
    figures=(
        Figure("beyond-algorithms", "Links and maximum degree of complete overlays; a mark for each workload.", draw,
               (7, 5)),
    ),
    tables=tuple(TableOf(name, partial(table, used=used), _SECONDS) for name, used in WORKLOADS.items()),
)  # fmt: skip
