"""Figure 7: support by number of topics, for a fixed budget of links."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from experiments.claim import Claim, Finding, graded
from experiments.experiment import Experiment, Figure, TableOf, grid
from experiments.part.drawing import SIZE, draw_support
from experiments.part.judging import GAP_TEST, RANK, RANK_TEST, gap_finding, ranked
from experiments.part.moved import EXPONENTS, TENTHS, Readings
from experiments.part.workloads import DRAWS, LAWS, gaps, limited, points_of, workload
from experiments.results import mean, percent, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.results import Results
    from experiments.workload import Workload

STEEPER = (2, 2.5)
TOPICS = (1_000, 2_000, 4_000, 6_000, 8_000, 10_000)
ALGORITHMS = limited(d=3, m=3_000)
GPM, RANDOM = ALGORITHMS["GPM"], ALGORITHMS["RandomM"]
READINGS = Readings(2_000, 4_000, d=3)
"""Readings of what the paper does not print, at one number of topics; Expo's also at the ends."""
ENDS = {num: Readings(2_000, num, d=3) for num in (TOPICS[0], TOPICS[-1])}


def at(law: str, num_topics: int, draws: str) -> Workload:
    return workload(law, 2_000, num_topics, draws=draws)


def ends(results: Results, law: str, draws: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, last = (results(at(law, num, draws), GPM, "support") for num in (TOPICS[0], TOPICS[-1]))
    return first, last


def gpm_falls(results: Results, *, draws: str) -> Finding:
    found = {law: ends(results, law, draws) for law in LAWS}
    steps = {law: [points_of(results(at(law, n, draws), GPM, "support")) for n in TOPICS] for law in LAWS}
    wavering = [law for law, values in steps.items() if not all(a > b for a, b in pairwise(values))]
    falls = all(mean(first) > mean(last) for first, last in found.values())
    shown = "; ".join(f"{law} {percent(first)} → {percent(last)}" for law, (first, last) in found.items())
    near = any(abs(points_of(a) - 65.3) <= 5 and abs(points_of(b) - 24.4) <= 5 for a, b in found.values())
    reason = ""
    if wavering:
        reason += "Not at every step: " + "; ".join(
            f"{law} {' → '.join(f'{v:.1f}' for v in steps[law])}" for law in wavering
        ) + ". "  # fmt: skip
    if not near:
        reason += (
            "The paper does not say which law its pair is of; Expo is the nearest, "
            f"{points_of(found['Expo'][0]) - 65.3:+.1f} and {points_of(found['Expo'][1]) - 24.4:+.1f} points off. "
            f"{_by_steepness(results, draws)}"
        )
    return Finding(f"{shown} %", graded(not wavering and near, falls), reason)


def _by_steepness(results: Results, draws: str) -> str:
    pairs = {
        (tenth, e): " → ".join(f"{r.support(results, r.at('Expo', draws, e, tenth), GPM):.1f}" for r in ENDS.values())
        for tenth in TENTHS for e in STEEPER
    }  # fmt: skip
    each = "; ".join(
        f"{100 * tenth:.0f} %: " + ", ".join(f"{EXPONENTS[e]} {pairs[tenth, e]}" for e in STEEPER) for tenth in TENTHS
    )
    return (
        "Neither the steepness of Expo nor the law of the sizes is printed, and both move it; by the mass of the most "
        f"popular tenth of the topics and P(s): {each}."
    )


def zipf_hardly_falls(results: Results, *, draws: str) -> Finding:
    fall = 100 * np.subtract(*ends(results, "Zipf", draws))
    expo = 100 * np.subtract(*ends(results, "Expo", draws))
    shown = f"falls by {spread(fall)} points (Expo: {mean(expo):.1f})"
    reason = ""
    if mean(fall) > 1:
        reason = (
            "With s different topics per node the few nodes of large s reach far into the tail of Zipf 2.0, which "
            "more topics lengthen; with independent draws they hardly do, and it falls by "
            f"{100 * mean(np.subtract(*ends(results, 'Zipf', 'independent'))):.2f} points."
        )
    return Finding(shown, graded(abs(mean(fall)) <= 1, mean(fall) <= mean(expo) / 5), reason)


def gap(results: Results, *, draws: str) -> Finding:
    said = {"Expo": 26.7, "Zipf": 22.0, "Unif": 14.7}
    found = {law: gaps(results, [at(law, n, draws) for n in TOPICS], GPM, RANDOM) for law in LAWS}
    return gap_finding(results, found, said, READINGS, draws)


def _claims(draws: str) -> tuple[Claim, ...]:
    setting = f"2,000 nodes; topics 1,000 … 10,000; sizes 20-600; d=3, m=3,000; Expo, Zipf 2.0, Unif; {DRAWS[draws]}"
    points = tuple((f"{law}, {n:,} topics", at(law, n, draws), ALGORITHMS) for law in LAWS for n in TOPICS)
    return (
        Claim(
            "PART-7", "GPM's support falls from 65.3 to 24.4 % as topics grow from 1,000 to 10,000.",
            "falls at every step under every law, and one law within 5 points at both ends; in shape: falls", setting,
            partial(gpm_falls, draws=draws),
        ),
        Claim(
            "PART-7", "Under Zipf it falls by 0.39 % only.",
            "by 1 point at most; in shape: a fifth of Expo's fall or less", setting,
            partial(zipf_hardly_falls, draws=draws),
        ),
        Claim(
            "PART-7", "GPM's support exceeds RandomM's by 26.7 / 22.0 / 14.7 points on average (Expo / Zipf / Unif).",
            GAP_TEST, setting, partial(gap, draws=draws),
        ),
        Claim("PART-7", RANK, RANK_TEST, setting, partial(ranked, points=points)),
    )  # fmt: skip


EXPERIMENT = Experiment(
    "part-7",
    "Support by number of topics (PART Figure 7)",
    grid([at(law, n, draws) for draws in DRAWS for law in LAWS for n in TOPICS], ALGORITHMS.values())
    + READINGS.points()
    + grid(
        [r.at("Expo", draws, e, tenth) for r in ENDS.values() for draws in DRAWS for e in STEEPER for tenth in TENTHS],
        [GPM],
    ),
    claims=tuple(claim for draws in DRAWS for claim in _claims(draws)),
    figures=(
        Figure(
            "part-7", "TCO support by number of topics; the paper's Figure 7, in two readings of its workload.",
            partial(
                draw_support, x=TOPICS, axis="number of topics", used=lambda law, i, draws: at(law, TOPICS[i], draws),
                algorithms=lambda i: ALGORITHMS,
            ),
            SIZE,
        ),
    ),
    tables=(
        TableOf(
            f"GPM and RandomM at {READINGS.num_topics:,} topics in other readings of the workload", READINGS.table
        ),
    ),
)  # fmt: skip
