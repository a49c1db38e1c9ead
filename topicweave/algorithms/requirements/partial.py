"""gpa and gpm under limits for single nodes, and with forbidden, required and allowed links."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.algorithms.greedy.loop import shuffle_key
from topicweave.algorithms.requirements.first_links import first_links
from topicweave.algorithms.requirements.impossible import check_required
from topicweave.algorithms.requirements.network import Network
from topicweave.errors import ImpossibleError
from topicweave.kernels.requirements.potential import MERGING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from topicweave.algorithms.options import Options
    from topicweave.model import Interest, Resolved


def design_within_budgets(
    interest: Interest,
    options: Options,
    parameters: Mapping[str, Any],
    greedy: Mapping[str, Any],
    resolved: Resolved,
    penalty: float,
    tell: Callable[[str, int], None],
) -> NDArray[np.int64]:
    """Connect as much as the budgets allow, making the required links first; return the links in the order added.

    The budgets are ``m`` for all links or ``d`` for each node, and the limits of single nodes.
    """
    if "d" in parameters:
        resolved = replace(resolved, caps=np.minimum(resolved.caps, parameters["d"]))
    check_required(interest, resolved)
    budget = parameters.get("m")
    if budget is not None and len(resolved.required) > budget:
        raise ImpossibleError(
            "There are {count} required links, more than m={budget}; raise m.",
            count=len(resolved.required), budget=budget,
            pairs=tuple((interest.nodes[u], interest.nodes[v]) for u, v in resolved.required.tolist()),
        )  # fmt: skip
    network = Network(
        interest, resolved, ties=options.ties, prefer=greedy["prefer"], key=shuffle_key(options.seed),
        tell=lambda count: tell("linking", count),
    )  # fmt: skip
    links = np.concatenate((resolved.required, first_links(interest, options, parameters, greedy, resolved)))
    network.add(links)
    most = None if budget is None else budget - len(links)
    return np.concatenate((links, network.extend(MERGING, penalty, most)))
