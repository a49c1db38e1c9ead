"""The effect of tie rules: where several edges are equally good, the papers only say "some edge"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.beyond.workloads import WORKLOADS
from experiments.claim import Claim, Finding, graded
from experiments.designing import Asked, ask
from experiments.experiment import Experiment, TableOf, grid
from experiments.low.workloads import TIES
from experiments.results import mean, spread

if TYPE_CHECKING:
    from experiments.results import Results

RULES = {"GM": ("gm", {}), "Low-ODA(3)": ("low", {"k": 3}), "MinMax-ODA": ("minmax", {})}


def asked(rule: str, ties: str) -> Asked:
    name, parameters = RULES[rule]
    return ask(name, ties=ties, **parameters)


def balanced_is_best(results: Results) -> Finding:
    shown, fine = [], []
    for name, used in WORKLOADS.items():
        degree, links = (
            [results(used, asked("GM", ties), measure) for ties in TIES] for measure in ("maximum_degree", "links")
        )
        degrees = [mean(values) for values in degree]
        shown.append(
            f"{name}: Δ {' / '.join(spread(v, '.1f') for v in degree)}, links "
            f"{spread(links[2] / links[0], '.3f')} of the first"
        )
        fine.append(degrees[2] <= min(degrees[:2]) and mean(links[2] / links[0]) <= 1.01)
    reason = "" if all(fine) else "Not so on: " + "; ".join(
        name for name, good in zip(WORKLOADS, fine, strict=True) if not good
    ) + "."  # fmt: skip
    return Finding("; ".join(shown), graded(all(fine), sum(fine) >= len(fine) / 2), reason)


def table(results: Results) -> list[list[str]]:
    columns = [f"{rule}, {ties}" for rule in RULES for ties in TIES]
    rows = [["workload", "measure", *columns]]
    for name, used in WORKLOADS.items():
        for measure, title, form in (("maximum_degree", "Δ", ".1f"), ("links", "links", ",.0f")):
            cells = [spread(results(used, asked(rule, ties), measure), form) for rule in RULES for ties in TIES]
            rows.append([name, title, *cells])
    return rows


EXPERIMENT = Experiment(
    "beyond-ties",
    "What tie rules are worth",
    grid(WORKLOADS.values(), [asked(rule, ties) for rule in RULES for ties in TIES]),
    claims=(
        Claim(
            "ours-4", "Taking the nodes of least degree among equally good links lowers GM's Δ and costs no links.",
            "Δ lowest of the three rules and links within 1 %, on every workload; in shape: on half of them",
            "all workloads; shown: GM's Δ with ties by lowest numbers / at random / by least degree", balanced_is_best,
        ),
    ),
    tables=(TableOf("Maximum degree and links under each tie rule", table),),
    num_seeds=5,
)  # fmt: skip
