"""Runs all algorithms on all workloads and compares them."""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from experiments.beyond.workloads import WORKLOADS
from experiments.claim import Claim, Finding, graded
from experiments.designing import ask
from experiments.experiment import Experiment, Figure, TableOf, grid
from experiments.plotting import COLOURS, MARKS, label
from experiments.results import deviation, mean, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

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
THREE = {"GM": "GM", "Low": "Low-ODA(3)", "MinMax": "MinMax-ODA"}
TODAY = ("ring per topic", "SpiderCast (3, 1)")
HEADER = [
    "algorithm", "support, %", "links", "average degree", "maximum degree", "topic diameter: mean", "maximum",
    "redundancy", "seconds, median",
]  # fmt: skip


def table(results: Results, *, used: Interested) -> list[list[str]]:
    rows = [HEADER]
    for name, asked in ALL.items():

        def cell(measure: str, form: str, asked: object = asked, scale: float = 1.0) -> str:
            return spread(scale * results(used, asked, measure), form)  # type: ignore[arg-type]

        rows.append(
            [
                name, cell("support", ".1f", scale=100), cell("links", ",.0f"), cell("average_degree", ".2f"),
                cell("maximum_degree", ".0f"), diameter(results(used, asked, "mean_topic_diameter"), ".1f"),
                diameter(results(used, asked, "maximum_topic_diameter"), ".0f"), cell("redundancy", ".2f"),
                f"{np.median(results(used, asked, 'seconds')):.3f}",
            ]
        )  # fmt: skip
    return rows


def diameter(found: NDArray[np.float64], form: str) -> str:
    """The mean over those seeds for which some topic is connected; for the others the diameter is 0."""
    known = found[found > 0]
    if not len(known):
        return "–"
    return spread(known, form) + ("" if len(known) == len(found) else f" ({len(known)} of {len(found)} seeds)")


def against_today(results: Results) -> Finding:
    shown, fewer = [], []
    for name, used in WORKLOADS.items():
        gm = results(used, COMPLETE["GM"], "links")
        ratios = [results(used, COMPLETE[other], "links") / gm for other in TODAY]
        fewer.append(min(map(mean, ratios)) > 1)
        shown.append(f"{name}: {' and '.join(map(spread, ratios))} ×")
    supports = np.concatenate([results(used, COMPLETE[TODAY[1]], "support") for used in WORKLOADS.values()])
    reason = (
        f"SpiderCast's overlay is not topic-connected in {np.sum(supports < 1)} of {len(supports)} runs (least support "
        f"{100 * supports.min():.3f} %), though it makes more links: each node looks at its own neighbours only."
    )
    return Finding("; ".join(shown), graded(all(fewer), sum(fewer) >= len(fewer) - 2), reason)


def orders(results: Results) -> Finding:
    wrong: dict[str, list[str]] = {}
    shown, gm_low = [], False
    for name, used in WORKLOADS.items():
        average, most = (
            {title: results(used, COMPLETE[a], measure) for title, a in THREE.items()}
            for measure in ("average_degree", "maximum_degree")
        )
        degrees = " / ".join(spread(values, ".1f") for values in most.values())
        shown.append(f"{name}: {' / '.join(map(spread, average.values()))}, Δ {degrees}")
        for (a, b), (measure, form, found, sign) in product(
            pairwise(THREE), (("average degree", ".3f", average, -1), ("Δ", ".1f", most, 1))
        ):
            gap = found[a] - found[b]
            if sign * mean(gap) < 0:
                within = ", within the spread" if abs(mean(gap)) <= deviation(gap) else ""
                wrong.setdefault(name, []).append(f"{measure}, {a} − {b} {spread(gap, form)}{within}")
                gm_low |= a == "GM" and measure == "Δ"
    listed = "; ".join(f"{name} ({', '.join(words)})" for name, words in wrong.items())
    reason = f"Not so on {listed}." if wrong else ""
    if gm_low:
        reason += (
            ' Where nodes are alike, degree-friendly ties give GM about the Δ of MinMax-ODA (section "What tie rules '
            'are worth"); LOW-1 has more seeds.'
        )
    return Finding("; ".join(shown), graded(not wrong, len(wrong) <= len(WORKLOADS) / 2), reason)


def draw(results: Results, canvas: Canvas) -> None:
    """Draw the links and the maximum degree of each algorithm, relative to GM and MinMax-ODA."""
    axes = canvas.subplots()
    for place, (name, asked) in enumerate(COMPLETE.items()):
        x = [results(w, asked, "links").mean() / results(w, COMPLETE["GM"], "links").mean() for w in WORKLOADS.values()]
        y = [
            results(w, asked, "maximum_degree").mean() / results(w, COMPLETE["MinMax-ODA"], "maximum_degree").mean()
            for w in WORKLOADS.values()
        ]
        colour = COLOURS[place % len(COLOURS)]
        # there are fewer colours than curves, so colours and marks repeat; the second time marks are hollow
        hollow = place >= len(COLOURS)
        axes.scatter(
            x, y, s=22, label=name, edgecolors=colour, facecolors="none" if hollow else colour,
            marker=MARKS[place % len(MARKS)], alpha=0.8,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("log")
    label(axes, "links, against GM", "maximum degree, against MinMax-ODA")


_NOTE = (
    "Seconds are the median over the seeds, of runs one at a time: a tiny design comes first, but single runs may "
    "still have to load compiled code that it did not need. Topic diameters are over connected topics only; a dash "
    "where an overlay leaves all those looked at unconnected."
)

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
    tables=tuple(TableOf(name, partial(table, used=used), _NOTE) for name, used in WORKLOADS.items()),
)  # fmt: skip
