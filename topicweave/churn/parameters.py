"""The parameters of maintainers: names, ranges, help texts and defaults, each written once."""

from __future__ import annotations

from topicweave.churn.connect import LASTING
from topicweave.parameters import Parameter

TIES = (LASTING, "balanced", "random", "lexicographic")
BACKUP_RULES = ("primal_dual", "greedy")

COMMON = (
    Parameter("k", float, "parameter of low, the rule that chooses links", 3.0, minimum=1),
    Parameter("trim", bool, "save links: drop redundant ones, and replace links where fewer will do", False),
    Parameter(
        "ties", str, "which of equally good links a repair takes", LASTING, choices=TIES, noun="tie rule"
    ),
)  # fmt: skip

SHADOW = (
    *COMMON,
    Parameter("coverage", int, "how many disjoint covers the backups of a node make", 3, minimum=1),
    Parameter(
        "backups", str, "how backups are chosen", "primal_dual", choices=BACKUP_RULES, noun="backup rule"
    ),
)  # fmt: skip
