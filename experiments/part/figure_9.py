"""Figure 9: support by budget ratio β."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from experiments.claim import Claim, Finding, graded
from experiments.experiment import Experiment, Figure, grid
from experiments.part.drawing import SIZE, draw_support
from experiments.part.judging import RANK, RANK_TEST, ranked
from experiments.part.workloads import DRAWS, LAWS, with_budget, workload
from experiments.results import mean, percent

if TYPE_CHECKING:
    from experiments.results import Results
    from experiments.workload import Workload

BUDGETS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


def at(law: str, draws: str) -> Workload:
    return workload(law, 1_000, 1_000, draws=draws)


def eighty_twenty(results: Results, *, draws: str) -> Finding:
    found = {law: results(at(law, draws), with_budget(0.2)["GPM"], "support") for law in LAWS}
    shown = " / ".join(f"{law} {percent(values)}" for law, values in found.items()) + " %"
    holds = min(mean(found["Expo"]), mean(found["Zipf"])) >= 0.8
    degrees = results(at("Expo", draws), with_budget(0.2)["GPM"], "maximum_degree")
    each = ", ".join(f"{d:.0f} links a node {100 * v:.1f} %" for d, v in zip(degrees, found["Expo"], strict=True))
    reason = f"The budget ⌊0.2·Δ⌋ is a small whole number that differs by seed; under Expo: {each}."
    return Finding(shown, graded(holds), "" if holds else reason)


def _claims(draws: str) -> tuple[Claim, ...]:
    setting = (
        f"1,000 nodes × 1,000 topics; sizes 20-600; β = 0.05 … 1 of MinMax-ODA; Expo, Zipf 2.0, Unif; {DRAWS[draws]}"
    )
    points = tuple((f"{law}, β={ratio}", at(law, draws), with_budget(ratio)) for law in LAWS for ratio in BUDGETS)
    return (
        Claim("PART-9", RANK, RANK_TEST, setting, partial(ranked, points=points)),
        Claim(
            "PART-9", "The Pareto principle shows under Expo and Zipf: over 80 % of the TCO for 20 % of the budget.",
            "GPM's support at β=0.2 is 80 % or more under Expo and Zipf", setting + "; shown at β=0.2",
            partial(eighty_twenty, draws=draws),
        ),
    )  # fmt: skip


EXPERIMENT = Experiment(
    "part-9",
    "Support by budget (PART Figure 9)",
    grid([at(law, draws) for draws in DRAWS for law in LAWS], [a for r in BUDGETS for a in with_budget(r).values()]),
    claims=tuple(claim for draws in DRAWS for claim in _claims(draws)),
    figures=(
        Figure(
            "part-9", "TCO support by budget ratio β; the paper's Figure 9, in two readings of its workload.",
            partial(
                draw_support, x=BUDGETS, axis="budget ratio β", used=lambda law, i, draws: at(law, draws),
                algorithms=lambda i: with_budget(BUDGETS[i]),
            ),
            SIZE,
        ),
    ),
)  # fmt: skip
