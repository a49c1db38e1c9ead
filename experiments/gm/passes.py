"""§6.4: GM run several times, each time only over pairs that were not linked before."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from experiments.claim import Claim, Finding, graded
from experiments.designing import ask
from experiments.experiment import Experiment, grid
from experiments.gm.workloads import workload
from experiments.results import mean, spread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from experiments.results import Results

USED = workload("Zipf", 100, 1_000)
PASSES = {passes: ask("gm", passes=passes, in_full=True) for passes in (1, 2, 3)}


def measured(results: Results, measure: str) -> list[NDArray[np.float64]]:
    return [results(USED, asked, measure) for asked in PASSES.values()]


def _words(passes: int) -> str:
    return "1 pass" if passes == 1 else f"{passes} passes"


def shorter(results: Results) -> Finding:
    diameters, degrees = measured(results, "mean_topic_diameter"), measured(results, "average_degree")
    shown = "; ".join(
        f"{_words(passes)}: {spread(diameter, '.1f')} hops at average degree {spread(degree, '.1f')}"
        for passes, diameter, degree in zip(PASSES, diameters, degrees, strict=True)
    )
    return Finding(shown, graded(all(mean(a) > mean(b) for a, b in pairwise(diameters))))


def better_connected(results: Results) -> Finding:
    spare = measured(results, "redundancy")
    shown = "; ".join(f"{_words(passes)}: {spread(values)}" for passes, values in zip(PASSES, spare, strict=True))
    reason = "Links of a topic's sub-overlay beyond a spanning tree, per subscriber, stand for connectivity here."
    return Finding(shown, graded(all(mean(a) < mean(b) for a, b in pairwise(spare))), reason)


_SETTING = "1,000 nodes × 100 topics, s=10, Zipf 0.5; 1, 2 and 3 passes"

EXPERIMENT = Experiment(
    "gm-passes",
    "GM run several times (GM §6.4)",
    grid([USED], PASSES.values()),
    claims=(
        Claim(
            "GM-6.4", "Running GM several times over unused pairs reduces the diameter of the topics.",
            "the mean topic diameter falls with every pass", _SETTING, shorter,
        ),
        Claim(
            "GM-6.4", "Running GM several times over unused pairs improves connectivity.",
            "the spare links of the topics rise with every pass", _SETTING, better_connected,
        ),
    ),
)  # fmt: skip
