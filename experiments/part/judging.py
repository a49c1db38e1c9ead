"""Judges that several figures share: gaps between algorithms, and their ranking."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from experiments.claim import Finding, graded
from experiments.part.workloads import NAMES
from experiments.results import mean, spread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from experiments.designing import Asked
    from experiments.part.moved import Readings
    from experiments.results import Results
    from experiments.workload import Interested

RANK = "GPA > GPM > SpiderCastM > RandomM in support."
RANK_TEST = "no two neighbours the other way at any point; in shape: so for the means over all points"
GAP_TEST = "each within 5 points; in shape: same order of the laws and all above 10"


def gap_finding(
    results: Results,
    found: Mapping[str, NDArray[np.float64]],
    said: Mapping[str, float],
    readings: Readings,
    draws: str,
) -> Finding:
    """How far measured gaps are from those printed; ``readings`` tell what would move them."""
    means = {law: mean(values) for law, values in found.items()}
    off = {law: means[law] - said[law] for law in said}
    holds = all(abs(value) <= 5 for value in off.values())
    same_order = sorted(means, key=means.__getitem__) == sorted(said, key=said.__getitem__)
    shown = " / ".join(f"{law} {spread(values, '.1f')}" for law, values in found.items()) + " points"
    reason = ""
    if not holds:
        reason = "Off by " + ", ".join(f"{law} {value:+.1f}" for law, value in off.items()) + " points. "
        reason += readings.words(results, draws, off)
    return Finding(shown, graded(holds, same_order and min(means.values()) > 10), reason)


def ranked(results: Results, points: Sequence[tuple[str, Interested, Mapping[str, Asked]]]) -> Finding:
    """Whether the four algorithms come in the paper's order at every point."""
    wrong: list[tuple[float, str]] = []
    ties, sums = 0, dict.fromkeys(NAMES, 0.0)
    for title, used, algorithms in points:
        means = {name: mean(results(used, asked, "support")) for name, asked in algorithms.items()}
        for name, value in means.items():
            sums[name] += 100 * value / len(points)
        for better, worse in pairwise(means):
            ties += means[better] == means[worse] == 1
            if means[better] < means[worse]:
                words = f"{title}: {better} {100 * means[better]:.1f} < {worse} {100 * means[worse]:.1f}"
                wrong.append((means[worse] - means[better], words))
    shown = "mean support " + ", ".join(f"{name} {value:.1f}" for name, value in sums.items()) + " %"
    pairs = 3 * len(points)
    shown += f"; {pairs - len(wrong) - ties} of {pairs} neighbours in that order" + (
        f", {ties} equal at 100 %" if ties else ""
    )
    in_order = all(sums[a] > sums[b] for a, b in pairwise(sums))
    worst = [words for _, words in sorted(wrong, reverse=True)]
    reason = "The other way: " + "; ".join(worst[:4]) + (" …" if len(worst) > 4 else "") if wrong else ""
    return Finding(shown, graded(not wrong, in_order), reason)
