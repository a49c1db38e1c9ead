"""Figure 8: support by number of topics per node, for a fixed budget of links."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.claim import Claim, Finding, graded
from experiments.experiment import Experiment, Figure, grid
from experiments.part.drawing import SIZE, draw_support
from experiments.part.judging import COMPLETE, RANK, RANK_TEST, ranked
from experiments.part.workloads import DRAWS, LAWS, gaps, limited, points_of, workload
from experiments.results import mean, percent, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.results import Results
    from experiments.workload import Workload

SIZES = tuple((smallest, smallest + 80) for smallest in range(10, 101, 10))
MIDDLES = tuple((smallest + largest) // 2 for smallest, largest in SIZES)
ALGORITHMS = limited(d=4, m=4_000)


EXPONENTS = {0: "all equally likely", 1: "s⁻¹", 3: "s⁻³"}
"""Other laws of the sizes, at the smallest and the largest size; the paper prints none."""


def at(law: str, sizes: tuple[int, int], draws: str, exponent: float = 2) -> Workload:
    return workload(law, 2_000, 1_000, sizes, draws, exponent)


def supports(
    results: Results, law: str, name: str, draws: str, exponent: float = 2
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The support for the smallest and the largest number of topics per node."""
    first, last = (
        results(at(law, sizes, draws, exponent), ALGORITHMS[name], "support") for sizes in (SIZES[0], SIZES[-1])
    )
    return first, last


def ends(results: Results, law: str, name: str, draws: str, exponent: float = 2) -> tuple[float, float]:
    """The mean support in percent for the smallest and the largest number of topics per node."""
    first, last = supports(results, law, name, draws, exponent)
    return points_of(first), points_of(last)


def moves_with_size(results: Results, *, draws: str) -> Finding:
    shown: list[str] = []
    against: list[tuple[str, str]] = []
    gpm: list[bool] = []
    for law, sign in (("Expo", 1), ("Unif", 1), ("Zipf", -1)):
        for name in ALGORITHMS:
            first, last = ends(results, law, name, draws)
            right = sign * (last - first) > 0 or min(first, last) > COMPLETE
            if name == "GPM":
                shown.append(f"{name} {law} {' → '.join(map(percent, supports(results, law, name, draws)))}")
            gpm += [right] if name == "GPM" else []
            against += [] if right else [(law, name)]
    reason = _why_against(results, draws, against) if against else ""
    return Finding("; ".join(shown) + " %", graded(not against, all(gpm)), reason)


def _why_against(results: Results, draws: str, against: list[tuple[str, str]]) -> str:
    """Which curves rise where the paper's fall, or the other way round, and what they do under other size
    distributions.
    """
    words, turned = [], []
    for law, name in against:
        curves = {e: ends(results, law, name, draws, e) for e in (2, *EXPONENTS)}
        same = all((last > first) == (curves[2][1] > curves[2][0]) for first, last in curves.values())
        turned += [] if same else [f"{name} {law}"]
        others = "; ".join(
            f"{title} {first:.1f} → {last:.1f}"
            for title, (first, last) in zip(EXPONENTS.values(), list(curves.values())[1:], strict=True)
        )
        words.append(f"{name} {law} {curves[2][0]:.1f} → {curves[2][1]:.1f} (sizes {others})")
    reason = f"Against the claim: {', '.join(words)}. The law of the sizes is not printed, and "
    reason += f"another would turn {' and '.join(turned)}" if turned else "no other one tried turns any of them"
    stays = [f"{name} {law}" for law, name in against if f"{name} {law}" not in turned]
    reason += f", but none {' and '.join(stays)}." if turned and stays else "."
    unexplained = [words for words in stays if words != "GPA Unif"]  # the case "GPA Unif" has its own explanation below
    if unexplained:
        reason += f" Why {' and '.join(unexplained)} goes the other way was not found among the readings tried."
    if ("Unif", "GPA") in against:
        curve = [points_of(results(at("Unif", sizes, draws), ALGORITHMS["GPA"], "support")) for sizes in SIZES]
        least = SIZES[int(np.argmin(curve))]
        reason += (
            f" GPA Unif is not monotone: {', '.join(f'{value:.1f}' for value in curve)} by size; from "
            f"{least[0]}-{least[1]} on it rises."
        )
    return reason


def gaps_shrink(results: Results, *, draws: str) -> Finding:
    shown, shrinks = [], []
    for law in LAWS:
        first, last = (
            gaps(results, [at(law, s, draws)], ALGORITHMS["GPM"], ALGORITHMS["RandomM"]) for s in (SIZES[0], SIZES[-1])
        )
        shrinks.append(mean(first) > mean(last))
        shown.append(f"{law} {spread(first, '.1f')} → {spread(last, '.1f')}")
    return Finding("; ".join(shown) + " points", graded(all(shrinks), sum(shrinks) >= 2))


def _claims(draws: str) -> tuple[Claim, ...]:
    setting = (
        f"2,000 nodes × 1,000 topics; sizes 10-90, 20-100 … 100-180; d=4, m=4,000; Expo, Zipf 2.0, Unif; {DRAWS[draws]}"
    )
    points = tuple((f"{law}, sizes {s[0]}-{s[1]}", at(law, s, draws), ALGORITHMS) for law in LAWS for s in SIZES)
    return (
        Claim(
            "PART-8", "With larger subscriptions support rises under Expo and Unif, falls under Zipf.",
            f"all four algorithms from first to last size (over {COMPLETE:g} % at both counts); in shape: GPM does",
            setting,
            partial(moves_with_size, draws=draws),
        ),
        Claim(
            "PART-8", "The gaps between algorithms shrink with larger subscriptions.",
            "GPM − RandomM smaller at the last size than at the first under all laws; in shape: under two", setting,
            partial(gaps_shrink, draws=draws),
        ),
        Claim("PART-8", RANK, RANK_TEST, setting, partial(ranked, points=points)),
    )  # fmt: skip


EXPERIMENT = Experiment(
    "part-8",
    "Support by subscription size (PART Figure 8)",
    grid([at(law, s, draws) for draws in DRAWS for law in LAWS for s in SIZES], ALGORITHMS.values())
    + grid(
        [at(law, s, draws, e) for draws in DRAWS for law in LAWS for s in (SIZES[0], SIZES[-1]) for e in EXPONENTS],
        ALGORITHMS.values(),
    ),
    claims=tuple(claim for draws in DRAWS for claim in _claims(draws)),
    figures=(
        Figure(
            "part-8", "TCO support by middle subscription size; the paper's Figure 8, in two readings of its workload.",
            partial(
                draw_support, x=MIDDLES, axis="middle subscription size",
                used=lambda law, i, draws: at(law, SIZES[i], draws), algorithms=lambda i: ALGORITHMS,
            ),
            SIZE,
        ),
    ),
)  # fmt: skip
