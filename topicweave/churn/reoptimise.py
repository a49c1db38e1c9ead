"""Reoptimise: improve the overlay by a limited number of link changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.churn.difference import Loss
from topicweave.churn.link_changes import LinkChanges, star
from topicweave.churn.trim import trim_all
from topicweave.parameters import check_whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.churn.candidates import Candidates


def reoptimise(candidates: Candidates, budget: int) -> None:
    """Drop redundant links, then replace links of the nodes with the most links where that saves links or lowers
    degrees.

    The links of a node are replaced by dropping all of them and repairing as if the node had left and come back, among
    its shadow set and itself. The result is kept if it has fewer links, or as many with a smaller sum of squared
    degrees; otherwise everything is restored.
    """
    budget = check_budget(budget)
    links = candidates.repair.links
    trim_all(links, budget)
    degree = candidates.state.neighbours.length
    for v in np.lexsort((np.arange(len(degree)), -degree)).tolist():
        if links.num_changed + 2 > budget or degree[v] == 0:
            break
        relink(candidates, v, budget)


def check_budget(budget: Any) -> int:
    """Return the budget as a number of link changes, or raise a ParameterError."""
    return check_whole("budget", budget, 0)


def relink(
    candidates: Candidates,
    v: int,
    budget: int | None = None,
    *,
    circle: NDArray[np.int32] | None = None,
    only_fewer: bool = False,
) -> None:
    """Try to find better links for one node.

    Parameters
    ----------
    candidates, v
        The candidates of the present repair, and the node.
    budget
        The most link changes of the whole event together; None for no limit.
    circle
        Nodes that v may be linked to, besides its neighbours; without it, any pair of the shadow set may be linked.
    only_fewer
        Whether the result must save links; otherwise equally many links with more even degrees are accepted, too.
    """
    state, repair = candidates.state, candidates.repair
    near = state.content("neighbours", v)
    # v temporarily has no links and is a separate piece in each of its topics, so the search must start from it too
    loss = Loss(v, state.topics_of(v), np.append(near, np.int32(v)), leaves=False)
    found = candidates.for_losses([loss]) if circle is None else circle
    others = near if found is None else np.union1d(found, near)
    members = np.append(np.int32(v), others[others != v]).astype(np.int32)
    before = (state.num_edges, _squares(state.neighbours.length))
    trial = LinkChanges(state)
    trial.unlink(star(v, near))
    repair.reconnect([loss], members, trial, None if circle is None else 1)
    after = (state.num_edges, _squares(state.neighbours.length))
    better = after[0] < before[0] or (after < before and not only_fewer)
    if better and (budget is None or repair.links.num_changed_with(trial) <= budget):
        repair.links.absorb(trial)
    else:
        trial.undo()


def _squares(degree: NDArray[np.int32]) -> int:
    return int(np.dot(degree.astype(np.int64), degree))
