"""Figure 2: GM's average degree by number of nodes, number of topics, and popularity law."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from experiments.claim import Claim, Finding, graded
from experiments.experiment import Experiment, Figure, grid
from experiments.gm.workloads import ALL, GM, LAWS, NODES, SERIES, SETTING, TOPICS, workload
from experiments.plotting import curve, label
from experiments.results import from_to, mean, spread

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from experiments.results import Results


def degrees(results: Results, law: str, num_topics: int) -> list[NDArray[np.float64]]:
    """GM's average degree for each number of nodes."""
    return [results(workload(law, num_topics, nodes), GM, "average_degree") for nodes in NODES]


def falls_with_nodes(results: Results) -> Finding:
    series = {key: degrees(results, *key) for key in SERIES}
    falling = [all(mean(a) > mean(b) for a, b in pairwise(values)) for values in series.values()]
    shown = "; ".join(f"{law} {t}: {spread(v[0])} → {spread(v[-1])}" for (law, t), v in series.items())
    return Finding(f"{sum(falling)} of {len(falling)} curves fall at every step. {shown}", graded(all(falling)))


def more_topics_raise(results: Results) -> Finding:
    few, many = ([v for law in LAWS for v in degrees(results, law, t)] for t in TOPICS)
    factors = [b / a for a, b in zip(few, many, strict=True)]
    shown = f"200 topics against 100: {from_to(factors)} × over {len(factors)} points"
    return Finding(shown, graded(min(map(mean, factors)) > 1))


def exponential_lowest(results: Results) -> Finding:
    lowest: list[NDArray[np.float64]] = []
    for num_topics in TOPICS:
        by_law = {law: degrees(results, law, num_topics) for law in LAWS}
        for exponential, *others in zip(by_law["exponential"], by_law["uniform"], by_law["Zipf"], strict=True):
            lowest.append(exponential / min(others, key=mean))
    shown = f"exponential against the lower of the two others: {from_to(lowest)} ×"
    return Finding(shown, graded(max(map(mean, lowest)) < 1))


def draw(results: Results, canvas: Canvas) -> None:
    axes = canvas.subplots()
    for place, (law, num_topics) in enumerate(SERIES):
        curve(axes, NODES, degrees(results, law, num_topics), f"{law}, {num_topics} topics", place, num_topics == 200)
    axes.set_ylim(bottom=0)
    label(axes, "number of nodes", "average node degree")


EXPERIMENT = Experiment(
    "gm-2",
    "Average degree by number of nodes (GM Figure 2)",
    grid(ALL, [GM]),
    claims=(
        Claim(
            "GM-2", "GM's average degree falls as nodes grow from 1,000 to 10,000.", "every curve falls at every step",
            SETTING, falls_with_nodes,
        ),
        Claim("GM-2", "More topics raise it.", "at every point", SETTING, more_topics_raise),
        Claim("GM-2", "It is lowest under the exponential law.", "at every point", SETTING, exponential_lowest),
    ),
    figures=(Figure("gm-2", "Average node degree of GM; the paper's Figure 2.", draw),),
)  # fmt: skip
