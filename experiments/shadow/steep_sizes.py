"""SHADOW §VI once more with few large nodes: the number of topics per node follows P(s) ∝ s⁻⁴, ties are random, and k =
2.5 is tried as well as 3.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from experiments.claim import Claim, Finding, graded
from experiments.experiment import Experiment, TableOf, grid
from experiments.results import mean, percent, spread
from experiments.shadow.figures_2_3 import LINEAR_TEST, RULES, SLACK_TEST, averaged_over_sizes, linear_in_size
from experiments.shadow.figures_6_8 import close_to_static, faster
from experiments.shadow.ratios import ratio_claims
from experiments.shadow.replaying import Replayed
from experiments.shadow.workloads import STEEP, STEEP_CHURN, STEEP_SETTING

if TYPE_CHECKING:
    from experiments.results import Results

K = 2.5
SHADOW = Replayed(compared=True, ties="random", k=K)
NAIVE = Replayed("naive", compared=True, ties="random", k=K)
PRINTED = Replayed(compared=True, ties="random")
COVERAGES = {coverage: Replayed(coverage=coverage, ties="random", k=K) for coverage in (1, 2, 3, 4)}
SETTING = STEEP_CHURN + f"; k = {K:g}"
BACKUPS_SETTING = STEEP_SETTING.removesuffix(", random ties") + "; λ=3"
FOUND = f"Exponent and k were found by trying: with the printed ρ = 3 instead of k = {K:g}, "


def grows(results: Results) -> Finding:
    first, last = (results(STEEP, SHADOW, "maximum_degree")[:, at] for at in (0, -1))
    printed = [results(STEEP, PRINTED, "maximum_degree")[:, at] for at in (0, -1)]
    holds = abs(mean(first) - 13) <= 2 and abs(mean(last) - 22) <= 3
    in_shape = mean(first) + 3 <= mean(last) <= 2.5 * mean(first)
    reason = f"{FOUND}Δ {spread(printed[0], '.1f')} → {spread(printed[1], '.1f')}."
    return Finding(f"Δ {spread(first, '.1f')} → {spread(last, '.1f')}", graded(holds, in_shape), reason)


def coverage_helps(results: Results) -> Finding:
    found = {coverage: results(STEEP, asked, "maximum_degree_last") for coverage, asked in COVERAGES.items()}
    means = [mean(values) for values in found.values()]
    near = all(abs(a - b) <= 3 for a, b in zip(means, (31, 25, 24, 24), strict=True))
    falls = all(a >= b - 0.5 for a, b in pairwise(means)) and means[0] > means[-1]
    shown = "; ".join(f"λ={coverage}: {spread(values, '.1f')}" for coverage, values in found.items())
    reason = (
        f"Off by {', '.join(f'{a - b:+.1f}' for a, b in zip(means, (31, 25, 24, 24), strict=True))}; from one λ to the "
        f"next {', '.join(f'{b - a:+.1f}' for a, b in pairwise(means))}. With P(s) ∝ s⁻² and with independent draws "
        "see SHADOW-5."
    )
    return Finding(shown, graded(near and falls, falls), "" if near and falls else reason)


def few_changes(results: Results) -> Finding:
    measures = ("links_first", "changed_join", "changed_leave", "low_changed")
    links, join, leave, low = (results(STEEP, SHADOW, measure) for measure in measures)
    shown = (
        f"{spread(links, ',.0f')} links; {spread(join)} change at a join, {spread(leave)} at a leave; Low-ODA from "
        f"scratch {spread(low, '.0f')} ({percent(results(STEEP, SHADOW, 'low_changed_share'))} % of its links)"
    )
    repairs = abs(mean(join) - 4.83) <= 1 and abs(mean(leave) - 12.24) <= 1.5
    holds = repairs and abs(mean(low) - 610) <= 150 and abs(mean(links) - 6_490) <= 325
    in_shape = repairs and mean(low) > 20 * mean(leave)
    other = [results(STEEP, PRINTED, measure) for measure in measures]
    reason = (
        f"{FOUND}{spread(other[0], ',.0f')} links, {spread(other[1])}, {spread(other[2])}, {spread(other[3], '.0f')}."
    )
    return Finding(shown, graded(holds, in_shape), reason)


def table(results: Results) -> list[list[str]]:
    rows = [
        ["k", "links at first", "Δ, first → last", "average degree, last", "changed: join", "leave", "shadow set, %"]
    ]
    for k, asked in ((K, SHADOW), (3, PRINTED)):
        degrees = results(STEEP, asked, "maximum_degree")
        rows.append(
            [
                f"{k:g}", spread(results(STEEP, asked, "links_first"), ",.0f"),
                f"{spread(degrees[:, 0], '.1f')} → {spread(degrees[:, -1], '.1f')}",
                spread(results(STEEP, asked, "average_degree_last")), spread(results(STEEP, asked, "changed_join")),
                spread(results(STEEP, asked, "changed_leave")), spread(100 * results(STEEP, asked, "shadow_share")),
            ]
        )  # fmt: skip
    return rows


EXPERIMENT = Experiment(
    "shadow-steep",
    "Churn with few large nodes (SHADOW Figures 5 to 8 in another reading of the sizes)",
    grid([STEEP], [SHADOW, NAIVE, PRINTED, *COVERAGES.values(), *RULES.values()]),
    claims=(
        Claim(
            "SHADOW-2,3", "Backup sets have 1.1 % of V by greedy, 2.8 % by primal-dual: averaged over the sizes, the "
            "points of the figures.",
            SLACK_TEST, BACKUPS_SETTING, partial(averaged_over_sizes, used=STEEP),
        ),
        Claim(
            "SHADOW-2,3", "The number of backups is linear in the subscription size by both rules.",
            LINEAR_TEST, BACKUPS_SETTING, partial(linear_in_size, used=STEEP),
        ),
        Claim(
            "SHADOW-5", "λ = 1, 2, 3, 4 end at Δ 31, 25, 24, 24 after 1,000 rounds.",
            "each within 3 and falling, steps up of 0.5 let pass; in shape: falling so", SETTING, coverage_helps,
        ),
        Claim(
            "SHADOW-6", "Δ is within 5.5 and the average degree within 0.798 of Low-ODA's, averaged over the sequence.",
            "both; in shape: within 8 and 1.2", SETTING,
            partial(close_to_static, used=STEEP, shadow=SHADOW, naive=NAIVE),
        ),
        Claim("SHADOW-6", "Δ grows from 13 to 22.", "within 2 and 3; in shape: grows, at most 2.5 ×", SETTING, grows),
        Claim(
            "SHADOW-7", "A round takes 0.014 % (join; Naive 0.043 %) and 1.78 % (leave; Naive 14 %) of Low-ODA's time.",
            "joins at most 0.03 %, leaves 1.78 %; in shape: both less than Naive's, and than a tenth of Low-ODA",
            SETTING, partial(faster, used=STEEP, shadow=SHADOW, naive=NAIVE),
        ),
        Claim(
            "SHADOW-8", "4.83 links change at a join, 12.24 at a leave, 610 of 6,490 for Low-ODA.",
            "within 1, 1.5, 150 and 5 %; in shape: the repairs, and Low-ODA over 20 × as many", SETTING, few_changes,
        ),
        *ratio_claims(STEEP, SETTING, SHADOW, NAIVE),
    ),
    tables=(TableOf("With k = 2.5 and with the printed ρ = 3", table),),
    num_seeds=5,
)  # fmt: skip
