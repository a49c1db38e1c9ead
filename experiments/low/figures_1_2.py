"""Figures 1 and 2: maximum and average degree of GM, Low-ODA(3) and MinMax-ODA by number of nodes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.claim import Claim, Finding, graded
from experiments.designing import Asked, ask
from experiments.experiment import Experiment, Figure, TableOf, grid
from experiments.low.workloads import PRINTED, TIE_WORDS, TIES, form_of, three, zipf
from experiments.plotting import curve, from_zero, label
from experiments.results import deviation, mean, spread

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from experiments.results import Results

NODES = tuple(range(100, 1_001, 100))
SHOWN = (100, 300, 500, 1_000)


def lies_between(results: Results, *, ties: str, measure: str) -> Finding:
    shown, inside, ends = [], [], []
    for num_nodes in NODES:
        gm, low, minmax = (results(zipf(num_nodes), asked, measure) for asked in three(ties))
        inside.append(min(mean(gm), mean(minmax)) <= mean(low) <= max(mean(gm), mean(minmax)))
        ends.append(mean(gm) > mean(minmax) if measure == "maximum_degree" else mean(gm) < mean(minmax))
        if num_nodes in SHOWN:
            cells = " / ".join(spread(v, form_of(measure)) for v in (gm, low, minmax))
            shown.append(f"{num_nodes:,} nodes: {cells}")
    reason = ""
    if not all(inside):
        beyond = [n for n, fine in zip(NODES, inside, strict=True) if not fine]
        gaps = [np.subtract(*(results(zipf(n), asked, measure) for asked in three(ties)[1:])) for n in beyond]
        reason = "Low − MinMax on the same instances: " + "; ".join(
            f"{n:,} nodes {spread(gap, '.1f' if measure == 'maximum_degree' else '.3f')}"
            for n, gap in zip(beyond, gaps, strict=True)
        )
        reason += ": within the spread." if all(abs(mean(g)) <= deviation(g) for g in gaps) else "."
        if measure == "maximum_degree":
            reason += " MinMax-ODA is greedy too, its Δ is not the least possible."
    return Finding("; ".join(shown), graded(all(inside) and all(ends), all(ends)), reason)


def draw(results: Results, canvas: Canvas, *, measure: str, words: str) -> None:
    panels = canvas.subplots(1, len(TIES), sharey=True)
    for axes, ties in zip(panels, TIES, strict=True):
        for place, (name, asked) in enumerate(zip(("GM", "Low-ODA(3)", "MinMax-ODA"), three(ties), strict=True)):
            curve(axes, NODES, [results(zipf(n), asked, measure) for n in NODES], name, place)
        label(axes, "number of nodes", words, f"ties: {TIE_WORDS[ties]}")
    from_zero(panels)


def _claims(id: str, measure: str, words: str, order: str) -> list[Claim]:
    setting = "100, 200 … 1,000 nodes × 100 topics, s=10, Zipf 0.5; k=3; ties {}. Shown: GM / Low / MinMax"
    return [
        Claim(
            id, f"Low-ODA(3) lies between GM and MinMax-ODA in {words}.",
            f"{order}, means at every number of nodes; in shape: the two ends do", setting.format(TIE_WORDS[ties]),
            partial(lies_between, ties=ties, measure=measure),
        )
        for ties in PRINTED
    ]  # fmt: skip


def table(results: Results) -> list[list[str]]:
    """A table of the degrees under our default tie rule, which lowers GM's Δ to that of MinMax-ODA, so that Low-ODA
    cannot lie between the two.
    """
    rows = [["nodes", *(f"{name}: {words}" for words in ("Δ", "average") for name in ("GM", "Low-ODA(3)", "MinMax"))]]
    for num_nodes in NODES:
        cells = [
            spread(results(zipf(num_nodes), asked, measure), form_of(measure))
            for measure in ("maximum_degree", "average_degree") for asked in three("balanced")
        ]  # fmt: skip
        rows.append([f"{num_nodes:,}", *cells])
    return rows


def filled(ties: str) -> Asked:
    """MinMax-ODA exactly as published: before Δ rises, links of contribution 0 are added as well."""
    return ask("minmax", ties=ties, fill=True)


def literal_table(results: Results) -> list[list[str]]:
    """The degrees of MinMax-ODA exactly as published, of Low-ODA, and of the MinMax-ODA used in the claims."""
    columns = {"Low-ODA(3)": 1, "MinMax-ODA": 2}
    names = [*columns, "MinMax-ODA, filled"]
    heads = [f"{name}: {words}" for words in ("Δ", "average") for name in names]
    rows = [["ties", "nodes", *heads]]
    for ties in PRINTED:
        asked = [*(three(ties)[place] for place in columns.values()), filled(ties)]
        for num_nodes in NODES:
            cells = [
                spread(results(zipf(num_nodes), one, measure), form_of(measure))
                for measure in ("maximum_degree", "average_degree") for one in asked
            ]  # fmt: skip
            rows.append([TIE_WORDS[ties], f"{num_nodes:,}", *cells])
    return rows


EXPERIMENT = Experiment(
    "low-1",
    "Low-ODA between GM and MinMax-ODA (LOW Figures 1 and 2)",
    grid(map(zipf, NODES), [asked for ties in TIES for asked in three(ties)] + [filled(ties) for ties in PRINTED]),
    claims=(
        *_claims("LOW-1", "maximum_degree", "maximum degree", "GM ≥ Low ≥ MinMax"),
        *_claims("LOW-2", "average_degree", "average degree", "GM ≤ Low ≤ MinMax"),
    ),
    figures=(
        Figure(
            "low-1", "Maximum node degree; the paper's Figure 1, once for each tie rule.",
            partial(draw, measure="maximum_degree", words="maximum node degree"), (11, 3.6),
        ),
        Figure(
            "low-2", "Average node degree; the paper's Figure 2, once for each tie rule.",
            partial(draw, measure="average_degree", words="average node degree"), (11, 3.6),
        ),
    ),
    tables=(
        TableOf(
            "The same with ties by least degree, our default", table,
            "No reading of the paper, so not judged: taking the end of least degree among equally good links brings "
            "GM's Δ down to MinMax-ODA's and leaves nothing to lie between.",
        ),
        TableOf(
            "MinMax-ODA with every phase filled", literal_table,
            "The paper's Lemma 1 fills every phase, also with links that help nobody; its §V-C, where Low-ODA comes to "
            "MinMax-ODA as k grows, does not go with that.",
        ),
    ),
    num_seeds=10,
)  # fmt: skip
