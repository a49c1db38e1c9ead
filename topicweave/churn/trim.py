"""Trim: drop links that no topic needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.kernels.churn.pieces import is_redundant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from topicweave.churn.overlay_state import Network
    from topicweave.churn.record import Record


def trim_links(record: Record, around: Iterable[int]) -> None:
    """Drop the redundant links of these nodes, those of the busiest nodes first."""
    network = record.network
    found = [links_of(network, v) for v in sorted(around)]
    if found:
        _drop(record, np.unique(np.concatenate(found), axis=0), None)


def trim_all(record: Record, budget: int) -> None:
    """Drop redundant links anywhere, at most so many."""
    _drop(record, record.network.links(), budget)


def links_of(network: Network, v: int) -> NDArray[np.int32]:
    """The links of a node, u < v in every row."""
    near = network.content("neighbours", v)
    return np.stack((np.minimum(near, v), np.maximum(near, v)), axis=1).astype(np.int32)


def _drop(record: Record, pairs: NDArray[np.int32], budget: int | None) -> None:
    network = record.network
    degree = network.neighbours.length[pairs]
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -degree.sum(axis=1), -degree.max(axis=1, initial=0)))
    dropped = 0
    for i in order.tolist():
        if budget is not None and dropped >= budget:
            return
        u, v = pairs[i].tolist()
        if is_redundant(network.rows, network.neighbours, u, v, network.search):
            record.unlink(pairs[i : i + 1])
            dropped += 1
