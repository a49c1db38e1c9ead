"""How good Greedy Merge is for 10,000 nodes: its links compared with the certified lower bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.beyond.bounding import Bounded
from experiments.claim import Claim, Finding, graded
from experiments.experiment import Experiment, grid
from experiments.gm.figure_2 import EXPERIMENT as GM_2
from experiments.gm.workloads import GM, LAWS, workload
from experiments.results import mean, percent

if TYPE_CHECKING:
    from experiments.results import Results

BOUND = Bounded("links", 25)
LARGE = {law: workload(law, 200, 10_000) for law in LAWS}


def within_a_quarter(results: Results) -> Finding:
    gaps = {law: results(used, GM, "links") / results(used, BOUND, "value") - 1 for law, used in LARGE.items()}
    shown = "; ".join(
        f"{law}: {results(used, GM, 'links')[0]:,.0f} links, {results(used, BOUND, 'value')[0]:,.0f} at least, "
        f"{percent(gaps[law])} %"
        for law, used in LARGE.items()
    )
    near = [mean(values) <= 0.25 for values in gaps.values()]
    return Finding(shown, graded(all(near), any(near)))


EXPERIMENT = Experiment(
    "beyond-gaps-10000",
    "How good is Greedy Merge at 10,000 nodes?",
    grid(LARGE.values(), (BOUND,)),
    claims=(
        Claim(
            "ours-7", "Greedy Merge is within a quarter of the fewest links at 10,000 nodes, too.",
            "links at most 25 % above the certified bound under every law; in shape: under one",
            "10,000 nodes, 200 topics, s=10; uniform, Zipf 0.5, exponential", within_a_quarter,
        ),
    ),
    num_seeds=1,
    borrowed=tuple((point, GM_2.num_seeds) for point in grid(LARGE.values(), (GM,))),
)  # fmt: skip
