"""Functions that judge several figures: gaps between algorithms, and their ranking."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from experiments.claim import Finding, graded
from experiments.part.workloads import NAMES
from experiments.results import mean, spread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from experiments.designing import Asked
    from experiments.part.moved import Readings
    from experiments.results import Results
    from experiments.workload import Interested

RANK = "GPA > GPM > SpiderCastM > RandomM in support."
RANK_TEST = "no two neighbours the other way at any point; in shape: so for the means over all points"
GAP_TEST = "each within 5 points and same order of the laws; in shape: same order of the laws and all above 10"
COMPLETE = 99.9
"""Percentage of support above which a curve cannot gain any more."""


def gap_finding(
    results: Results,
    found: Mapping[str, NDArray[np.float64]],
    said: Mapping[str, float],
    readings: Readings,
    draws: str,
) -> Finding:
    """Compare measured gaps (between the support of two algorithms) with those that the paper prints; ``readings``
    lists interpretations of the paper that would change them.
    """
    means = {law: mean(values) for law, values in found.items()}
    off = {law: means[law] - said[law] for law in said}
    near = all(abs(value) <= 5 for value in off.values())
    ours, paper = (sorted(gaps, key=gaps.__getitem__, reverse=True) for gaps in (means, said))
    in_shape = ours == paper and min(means.values()) > 10
    shown = " / ".join(f"{law} {spread(values, '.1f')}" for law, values in found.items()) + " points"
    reason = ""
    if not (near and in_shape):
        reason = "Off by " + ", ".join(f"{law} {value:+.1f}" for law, value in off.items()) + " points. "
        if ours != paper:
            turned = [(a, b) for a, b in pairwise(ours) if paper.index(a) > paper.index(b)]
            apart = ", ".join(f"{a} − {b} is {spread(found[a] - found[b], '.1f')} here" for a, b in turned)
            each = "Each is within 5, but the" if near else "The"
            reason += f"{each} order is {' > '.join(ours)}, in the paper {' > '.join(paper)}: {apart}. "
        reason += readings.words(results, draws, off)
        reason += " Another law, of a public generator, is judged in rows of its own (part-law)."
    return Finding(shown, graded(near and in_shape, in_shape), reason)


def ranked(results: Results, points: Sequence[tuple[str, Interested, Mapping[str, Asked]]]) -> Finding:
    """Whether the four algorithms are ranked as in the paper at every point."""
    wrong: list[tuple[float, str]] = []
    least: list[tuple[float, str]] = []
    ties: Counter[str] = Counter()
    empty: dict[str, None] = {}
    found = {name: [results(used, algorithms[name], "support") for _, used, algorithms in points] for name in NAMES}
    for place, (title, used, algorithms) in enumerate(points):
        for better, worse in pairwise(NAMES):
            high, low = found[better][place], found[worse][place]
            gap, words = mean(high) - mean(low), f"{title}: {better} {100 * mean(high):.1f}"
            if gap == 0:
                ties[f"equal at {100 * mean(high):.0f} %" if mean(high) in (0, 1) else "equal"] += 1
                if mean(high) == 0 and not results(used, algorithms[better], "links").any():
                    empty[title] = None
                continue
            least.append((gap, f"{title}, {better} − {worse} {spread(100 * (high - low))} points"))
            if gap < 0:
                wrong.append((-gap, f"{words} < {worse} {100 * mean(low):.1f}"))
    averages = {name: 100 * np.mean(values, axis=0) for name, values in found.items()}
    shown = "mean support " + ", ".join(f"{name} {spread(v, '.1f')}" for name, v in averages.items()) + " %"
    pairs = 3 * len(points)
    shown += f"; {pairs - len(wrong) - ties.total()} of {pairs} neighbours in that order"
    shown += "".join(f", {count} {words}" for words, count in ties.items())
    shown += f"; least difference: {min(least)[1]}" if least else ""
    in_order = all(mean(averages[a]) > mean(averages[b]) for a, b in pairwise(averages))
    worst = [words for _, words in sorted(wrong, reverse=True)]
    reason = "The other way: " + "; ".join(worst[:4]) + (" …" if len(worst) > 4 else ".") if wrong else ""
    if empty:
        reason += f" At 0 % ({'; '.join(empty)}) the degree allowed, d=⌊β·Δ⌋, is 0, so that no link may be made."
    return Finding(shown, graded(not wrong, in_order), reason.strip())


def order_table(
    results: Results, points: Sequence[tuple[str, Interested, Mapping[str, Asked]]], first: str
) -> list[list[str]]:  # fmt: skip
    """A table of the support of the four algorithms at every point, with their links, and where the ranking differs."""
    rows = [[first, *(f"{name}, %" for name in NAMES), "the other way (links of the two)"]]
    for title, used, algorithms in points:
        found = {name: 100 * mean(results(used, algorithms[name], "support")) for name in NAMES}
        links = {name: f"{mean(results(used, algorithms[name], 'links')):,.0f}" for name in NAMES}
        wrong = [f"{a} < {b} ({links[a]} and {links[b]})" for a, b in pairwise(NAMES) if found[a] < found[b]]
        rows.append([title, *(f"{value:.1f}" for value in found.values()), ", ".join(wrong)])
    return rows
