"""Figure 8: support by subscription size."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from experiments.claim import Claim, Finding, graded
from experiments.experiment import Experiment, Figure, grid
from experiments.part.drawing import SIZE, draw_support
from experiments.part.judging import RANK, RANK_TEST, ranked
from experiments.part.workloads import DRAWS, LAWS, gaps, limited, points_of, workload
from experiments.results import mean, spread

if TYPE_CHECKING:
    from experiments.results import Results
    from experiments.workload import Workload

SIZES = tuple((smallest, smallest + 80) for smallest in range(10, 101, 10))
MIDDLES = tuple((smallest + largest) // 2 for smallest, largest in SIZES)
ALGORITHMS = limited(d=4, m=4_000)


def at(law: str, sizes: tuple[int, int], draws: str) -> Workload:
    return workload(law, 2_000, 1_000, sizes, draws)


def moves_with_size(results: Results, *, draws: str) -> Finding:
    shown: list[str] = []
    against: list[str] = []
    gpm: list[bool] = []
    for law, sign in (("Expo", 1), ("Unif", 1), ("Zipf", -1)):
        for name, asked in ALGORITHMS.items():
            first, last = (
                points_of(results(at(law, sizes, draws), asked, "support")) for sizes in (SIZES[0], SIZES[-1])
            )
            right = sign * (last - first) > 0 or min(first, last) > 99.9
            shown += [f"{name} {law} {first:.1f} → {last:.1f}"] if name == "GPM" else []
            gpm += [right] if name == "GPM" else []
            against += [] if right else [f"{name} {law} {first:.1f} → {last:.1f}"]
    reason = f"Against the claim: {'; '.join(against)}." if against else ""
    return Finding("; ".join(shown) + " %", graded(not against, all(gpm)), reason)


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
            "all four algorithms from first to last size (100 % throughout counts); in shape: GPM does", setting,
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
    grid([at(law, s, draws) for draws in DRAWS for law in LAWS for s in SIZES], ALGORITHMS.values()),
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
