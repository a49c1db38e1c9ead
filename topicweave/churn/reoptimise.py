"""Reoptimise: spend a bounded number of link changes on winning back quality."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.churn.record import Record, star
from topicweave.churn.trim import trim_all
from topicweave.errors import ParameterError
from topicweave.kernels.churn.pieces import VISITED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.churn.change import Change
    from topicweave.churn.maintainer import Maintainer


def reoptimise(maintainer: Maintainer, budget: int) -> Change:
    """Drop redundant links, then link busy nodes anew where that saves links or lowers degrees.

    A node is linked anew by taking all its links away and mending that as if it had left and come back, among its
    shadow set and itself. The outcome is kept if there are fewer links, or as many with a smaller sum of squared
    degrees; otherwise all is as before.
    """
    budget = checked_budget(budget)
    begun = time.perf_counter()
    network = maintainer.network
    network.search.count[VISITED] = 0
    record = Record(network)
    trim_all(record, budget)
    degree = network.neighbours.length
    for v in np.lexsort((np.arange(len(degree)), -degree)).tolist():
        if record.num_links + 2 > budget or degree[v] == 0:
            break
        link_anew(maintainer, v, budget, record)
    return maintainer._report(record, begun)


def checked_budget(budget: Any) -> int:
    """Return the budget as a number of link changes, or say why it is none."""
    if isinstance(budget, bool) or not isinstance(budget, int | np.integer) or budget < 0:
        raise ParameterError(f"budget must be a whole number of link changes, 0 or more, but is {budget!r}.")
    return int(budget)


def link_anew(
    maintainer: Maintainer,
    v: int,
    budget: int | None,
    record: Record,
    *,
    circle: NDArray[np.int32] | None = None,
    only_fewer: bool = False,
) -> None:
    """Try new links for one node.

    Parameters
    ----------
    maintainer, v
        Whose node.
    budget
        The most link changes that all in the record may be together; None for no limit.
    record
        Where the changes go.
    circle
        Link v itself to some of these nodes or its neighbours; without it, any pair of its shadow set may be linked.
    only_fewer
        Only to save links; otherwise also as many links, if degrees become more even.
    """
    from topicweave.churn.maintainer import Loss

    network = maintainer.network
    near = network.content("neighbours", v)
    # v itself is a piece of each of its topics now, so it is among those from which the search begins
    loss = Loss(v, network.topics_of(v), np.append(near, np.int32(v)), leaves=False)
    others = np.union1d(maintainer._nodes_to_mend_among([loss]) if circle is None else circle, near)
    members = np.append(np.int32(v), others[others != v]).astype(np.int32)
    before = (network.num_links, _squares(network.neighbours.length))
    trial = Record(network)
    trial.unlink(star(v, near))
    maintainer._mend([loss], members, trial, None if circle is None else 1)
    after = (network.num_links, _squares(network.neighbours.length))
    better = after[0] < before[0] or (after < before and not only_fewer)
    if better and (budget is None or _together(record, trial) <= budget):
        Record._note(_array(trial.removed), record.removed, record.added)
        Record._note(_array(trial.added), record.added, record.removed)
    else:
        undo_added, undo_removed = _array(trial.added), _array(trial.removed)
        trial.unlink(undo_added)
        trial.link(undo_removed)


def _together(record: Record, trial: Record) -> int:
    """How many link changes both together are; one that undoes the other counts for neither."""
    undone = sum(pair in record.added for pair in trial.removed) + sum(pair in record.removed for pair in trial.added)
    return record.num_links + trial.num_links - 2 * undone


def _squares(degree: NDArray[np.int32]) -> int:
    return int(np.dot(degree.astype(np.int64), degree))


def _array(pairs: dict[tuple[int, int], None]) -> NDArray[np.int32]:
    return np.array(list(pairs), dtype=np.int32).reshape(-1, 2)
