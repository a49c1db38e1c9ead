"""What design() calls if there are requirements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NoReturn

from topicweave.algorithms.registry import Outcome, Progress
from topicweave.algorithms.requirements.first_links import first_links
from topicweave.algorithms.requirements.partial import design_within_budgets
from topicweave.algorithms.requirements.steps import Ties, design_links
from topicweave.errors import NotFoundError
from topicweave.kernels.components import edge_contributions
from topicweave.metrics.violations import find_violations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from topicweave.algorithms.options import Options
    from topicweave.model import Design, Interest, Requirements


def design_under(
    interest: Interest, options: Options, parameters: Mapping[str, Any], greedy: Mapping[str, Any]
) -> tuple[Outcome, bool]:
    """Design under the requirements of the options; return the outcome, and whether everything is met.

    Parameters
    ----------
    parameters, greedy
        The algorithm's own parameters, and the arguments that all of the greedy family take.
    """
    assert options.requirements is not None
    resolved = options.requirements.resolve(interest)
    progress: Callable[[Progress], None] | None = greedy["progress"]

    def tell(phase: str, count: int) -> None:
        if progress is not None:
            progress(Progress(phase, count, 0.0))

    penalty = _penalty(options.algorithm, parameters)
    if not options.entry.complete:
        links = design_within_budgets(interest, options, parameters, greedy, resolved, penalty, tell)
        return Outcome(links, edge_contributions(interest.indptr, interest.indices, interest.num_topics, links)), True

    def connect() -> NDArray[np.int64]:
        return first_links(interest, options, parameters, greedy, resolved)

    links, is_met = design_links(
        interest,
        resolved,
        penalty,
        Ties(options.ties, greedy["prefer"], options.seed),
        connect=None if resolved.has_costs else connect,
        tell=tell,
    )
    gains = edge_contributions(interest.indptr, interest.indices, interest.num_topics, links)
    return Outcome(links, gains), is_met


def refuse(interest: Interest, requirements: Requirements | None, made: Design) -> NoReturn:
    """Raise an error that says which requirements the best design still violates."""
    assert requirements is not None
    violations = find_violations(interest, made.overlay, requirements)
    examples = "; ".join(map(str, violations[:2])) or made.notes[0]
    raise NotFoundError(
        "{algorithm} found no overlay that meets the requirements, although there may be one ({examples}); "
        "relax a requirement, or try another algorithm or seed.",
        algorithm=repr(made.algorithm), examples=examples, design=made, violations=violations,
    )  # fmt: skip


def _penalty(algorithm: str, parameters: Mapping[str, Any]) -> float:
    """How many times as good as all other links a link must be if it raises the maximum degree."""
    return {"gm": 1.0, "gpa": 1.0, "minmax": math.inf, "gpm": math.inf}.get(algorithm) or float(parameters["k"])
