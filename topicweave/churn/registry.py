"""The table of maintainers: the only place that defines each one's name, class, parameters and help text.

Classes are named by import path and imported when used: the table loads quickly, without the compiled code that
maintainers need.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from topicweave.algorithms.options import TIES
from topicweave.algorithms.registry import ALGORITHMS
from topicweave.parameters import Deferred, Parameter

if TYPE_CHECKING:
    from topicweave.churn.maintainer import Maintainer
    from topicweave.model import Interest, Overlay

LASTING = "lasting"  # the tie rule that repairs use by default; the other rules are those of design()
DEFAULT = "shadow"


@dataclass(frozen=True)
class Entry:
    """One maintainer.

    Attributes
    ----------
    made_by
        The import path of its class.
    parameters
        Its parameters, with types and ranges.
    summary
        One line on what it does.
    """

    made_by: Deferred
    parameters: tuple[Parameter, ...]
    summary: str

    def __call__(
        self, interest: Interest, overlay: Overlay | None = None, *, seed: int = 0, **parameters: Any
    ) -> Maintainer:
        """Make a new maintainer of this kind."""
        return self.load()(interest, overlay, seed=seed, **parameters)

    def load(self) -> type[Maintainer]:
        """Import the class."""
        return cast("type[Maintainer]", self.made_by.load())


_COMMON = (
    replace(ALGORITHMS["low"].parameters[0], help="parameter of low, the rule that chooses links"),
    Parameter("trim", bool, "save links: drop redundant ones, and replace links by fewer", False),
    Parameter(
        "ties", str, "which of equally good links a repair takes", LASTING,
        choices=(LASTING, *TIES), noun="tie rule",
    ),
)  # fmt: skip
_LEVELLING = (
    Parameter(
        "levelling", float, "keep degrees near a new design's: at most this many times the average; 0 for off", 0.0,
        minimum=0,
    ),
)  # fmt: skip
_BACKUPS = (
    Parameter("coverage", int, "how many disjoint covers the backups of a node make", 3, minimum=1),
    Parameter(
        "backups", str, "how backups are chosen", "primal_dual",
        choices=("primal_dual", "greedy"), noun="backup rule",
    ),
    Parameter("defer_backups", bool, "end an event before backups are chosen again, which the next event does", False),
)  # fmt: skip

MAINTAINERS: dict[str, Entry] = {
    "shadow": Entry(
        Deferred("topicweave.churn.shadow:Shadow"),
        (*_COMMON, *_LEVELLING, *_BACKUPS),
        "links neighbours and backups; quick",
    ),
    "naive": Entry(
        Deferred("topicweave.churn.naive:Naive"),
        (*_COMMON, *_LEVELLING),
        "considers links between any nodes; expensive",
    ),
    "strict": Entry(
        Deferred("topicweave.churn.strict:Strict"),
        _COMMON,
        "keeps the requirements of the plan: hop limits, failures, capacities, permitted links",
    ),
    "rebuild": Entry(
        Deferred("topicweave.churn.rebuild:Rebuild"), _COMMON, "designs from scratch after every event; for comparison"
    ),
}
