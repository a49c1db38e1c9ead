"""Figure 3: the number of GM's steps, divided by V²·T."""

from __future__ import annotations

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


def work(results: Results, law: str, num_topics: int) -> list[NDArray[np.float64]]:
    """How many moves the published data structures make for each number of nodes, divided by V²·T."""
    return [
        results(workload(law, num_topics, nodes), GM, "published_moves") / (nodes**2 * num_topics) for nodes in NODES
    ]


def small_fraction(results: Results) -> Finding:
    series = {key: work(results, *key) for key in SERIES}
    values = [mean(v) for curve in series.values() for v in curve]
    shown = "; ".join(f"{law} {t}: {spread(1e3 * v[-1])}" for (law, t), v in series.items())
    most = max(values)
    reason = (
        f"The largest, {1e3 * most:.1f} · 10⁻³, is exponential with 100 topics: popular topics there have most "
        "subscribers, and a topic of n subscribers costs (n−1)(n−2)/2 moves."
    )
    verdict = graded(min(values) >= 1e-3 and most < 1e-2, min(values) >= 3e-4 and most < 3e-2)
    return Finding(f"at 10,000 nodes, in 10⁻³: {shown}", verdict, reason if most >= 1e-2 else "")


def like_square(results: Results) -> Finding:
    changes = [curve[-1] / curve[0] for curve in (work(results, *key) for key in SERIES)]
    falls = [
        many / few for law in LAWS for few, many in zip(work(results, law, 100), work(results, law, 200), strict=True)
    ]
    shown = (
        f"10,000 nodes against 1,000: {from_to(changes, '.3f')} ×; 200 topics against 100: {from_to(falls, '.3f')} ×"
    )
    means = [mean(values) for values in changes]
    return Finding(shown, graded(0.9 < min(means) <= max(means) < 1.1 and max(map(mean, falls)) < 1))


def exponential_costs_most(results: Results) -> Finding:
    factors = []
    for num_topics in TOPICS:
        curves = {law: work(results, law, num_topics) for law in LAWS}
        for place in range(len(NODES)):
            others = max((curves[law][place] for law in ("uniform", "Zipf")), key=mean)
            factors.append(curves["exponential"][place] / others)
    shown = f"exponential against the higher of the two others: {from_to(factors)} ×"
    return Finding(shown, graded(min(map(mean, factors)) > 1))


def draw(results: Results, canvas: Canvas) -> None:
    axes = canvas.subplots()
    for place, (law, num_topics) in enumerate(SERIES):
        values = [1e3 * v for v in work(results, law, num_topics)]
        curve(axes, NODES, values, f"{law}, {num_topics} topics", place, num_topics == 200)
    axes.set_ylim(bottom=0)
    label(axes, "number of nodes", "steps / (V²·T), in 10⁻³")


_SETTING = SETTING + "; moves of the published structures by their closed form, Σ over topics of (n−1)(n−2)/2"

EXPERIMENT = Experiment(
    "gm-3",
    "Steps against their bound (GM Figure 3)",
    grid(ALL, [GM]),
    claims=(
        Claim(
            "GM-3", "Steps / (V²·T) are of order 10⁻³.", "all between 1 and 10 · 10⁻³; in shape: 0.3 to 30 · 10⁻³",
            _SETTING, small_fraction,
        ),
        Claim(
            "GM-3", "Steps grow like V², and fall with the number of topics.",
            "steps / (V²·T) within 10 % from 1,000 to 10,000 nodes; lower at 200 topics everywhere",
            _SETTING, like_square,
        ),
        Claim("GM-3", "The exponential law costs most steps.", "at every point", _SETTING, exponential_costs_most),
    ),
    figures=(Figure("gm-3", "Steps of the published structures over V²·T; the paper's Figure 3.", draw),),
)  # fmt: skip
