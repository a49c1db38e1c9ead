"""Trim: drop links that no topic needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.kernels.churn.pieces import is_redundant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from topicweave.churn.link_changes import LinkChanges


def trim_links(links: LinkChanges, around: Iterable[int], *, only_told: bool = False) -> None:
    """Drop those links of the given nodes that no topic needs; links of nodes with many links go first.

    With ``only_told``, only links whose configuration file changes anyway are dropped; a link is configured in the file
    of the end whose label sorts last.
    """
    found = [links.state.links_of(v) for v in sorted(around)]
    if not found:
        return
    pairs = np.unique(np.concatenate(found), axis=0)
    if only_told:
        told = {max(pair) for pair in links.state.label_pairs((*links.added, *links.removed))}
        pairs = pairs[[max(pair) in told for pair in links.state.label_pairs(pairs.tolist())]]
    _drop(links, pairs, None)


def trim_all(links: LinkChanges, budget: int) -> None:
    """Drop redundant links anywhere in the overlay, at most ``budget`` of them."""
    _drop(links, links.state.links(), budget)


def _drop(links: LinkChanges, pairs: NDArray[np.int32], budget: int | None) -> None:
    state = links.state
    degree = state.neighbours.length[pairs]
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -degree.sum(axis=1), -degree.max(axis=1, initial=0)))
    dropped = 0
    for i in order.tolist():
        if budget is not None and dropped >= budget:
            return
        u, v = pairs[i].tolist()
        if is_redundant(state.rows, state.neighbours, u, v, state.search):
            links.unlink(pairs[i : i + 1])
            dropped += 1
