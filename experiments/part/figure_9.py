"""Figure 9: support by the budget as a share β of what MinMax-ODA uses."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from experiments.claim import HOLDS, Claim, Finding, graded
from experiments.designing import ask
from experiments.experiment import Experiment, Figure, TableOf, grid
from experiments.part.drawing import SIZE, draw_support
from experiments.part.judging import RANK, RANK_TEST, order_table, ranked
from experiments.part.workloads import DRAWS, LAWS, SHORT, with_budget, workload
from experiments.results import mean, percent, spread

if TYPE_CHECKING:
    from experiments.designing import Asked
    from experiments.results import Results
    from experiments.workload import Workload

BUDGETS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


def at(law: str, draws: str) -> Workload:
    return workload(law, 1_000, 1_000, draws=draws)


def four(ratio: float, as_many: bool) -> dict[str, Asked]:
    """The four algorithms; if asked for, GPA with as many links as the degree limit of the others allows."""
    chosen = with_budget(ratio)
    return {**chosen, "GPA": ask("gpa", degree_ratio=ratio)} if as_many else chosen


def in_order(results: Results, *, draws: str, as_many: bool) -> Finding:
    def judged(as_many: bool) -> Finding:
        points = [(f"{law}, β={ratio}", at(law, draws), four(ratio, as_many)) for law in LAWS for ratio in BUDGETS]
        return ranked(results, points)

    finding = judged(as_many)
    if as_many or finding.verdict == HOLDS:
        return finding
    links = {
        law: [mean(results(at(law, draws), four(0.2, False)[name], "links")) for name in ("GPA", "GPM")] for law in LAWS
    }
    each = ", ".join(f"{law} {gpa:,.0f} and {gpm:,.0f}" for law, (gpa, gpm) in links.items())
    fair = judged(as_many=True)
    reason = (
        f"The budgets differ, as in PART-4: at β=0.2 GPA may make and GPM makes {each} links. With as many for GPA as "
        f"the degree allows, m=d·V/2, the order {fair.verdict}: {fair.measured}. "
    )
    return replace(finding, reason=reason + finding.reason)


def eighty_twenty(results: Results, *, draws: str) -> Finding:
    found = {law: results(at(law, draws), with_budget(0.2)["GPM"], "support") for law in LAWS}
    shown = " / ".join(f"{law} {percent(values)}" for law, values in found.items()) + " %"
    holds = min(mean(found["Expo"]), mean(found["Zipf"])) >= 0.8
    degrees = results(at("Expo", draws), with_budget(0.2)["GPM"], "maximum_degree")
    each = ", ".join(
        f"{d:.0f} links a node, {np.sum(degrees == d)} of {len(degrees)} seeds: "
        f"{100 * mean(found['Expo'][degrees == d]):.1f} %"
        for d in np.unique(degrees)
    )
    whole = 0.2 * results(at("Expo", draws), with_budget(1.0)["GPM"], "maximum_degree")
    reason = (
        f"Under Expo 0.2·Δ is {spread(whole, '.1f')}, and the budget is the whole number below, so that one link a "
        f"node decides ({each}). The other reading of how topics are drawn has a row of its own."
    )
    return Finding(shown, graded(holds), "" if holds else reason)


def orders(results: Results) -> list[list[str]]:
    points = [
        (f"{law}, {SHORT[draws]}, β={ratio:g}", at(law, draws), four(ratio, as_many=False))
        for draws in DRAWS for law in LAWS for ratio in BUDGETS
    ]  # fmt: skip
    return order_table(results, points, "law, draws and β")


def _claims(draws: str) -> tuple[Claim, ...]:
    setting = (
        f"1,000 nodes × 1,000 topics; sizes 20-600; β = 0.05 … 1 of MinMax-ODA; Expo, Zipf 2.0, Unif; {DRAWS[draws]}"
    )
    return (
        Claim("PART-9", RANK, RANK_TEST, setting, partial(in_order, draws=draws, as_many=False)),
        Claim(
            "PART-9", RANK, RANK_TEST, setting + "; GPA with as many links as the degree allows, m=d·V/2",
            partial(in_order, draws=draws, as_many=True),
        ),
        Claim(
            "PART-9", "The Pareto principle shows under Expo and Zipf: over 80 % of the TCO for 20 % of the budget.",
            "GPM's support at β=0.2 is 80 % or more under Expo and Zipf", setting + "; shown at β=0.2",
            partial(eighty_twenty, draws=draws),
        ),
    )  # fmt: skip


EXPERIMENT = Experiment(
    "part-9",
    "Support by budget (PART Figure 9)",
    grid(
        [at(law, draws) for draws in DRAWS for law in LAWS],
        [asked for r in BUDGETS for asked in (*with_budget(r).values(), four(r, as_many=True)["GPA"])],
    ),
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
    tables=(TableOf("Support at every β, budgets a share of the literal MinMax-ODA", orders),),
    num_seeds=10,
)  # fmt: skip
