"""The first links of a design under requirements, if links have no costs: the algorithm makes them as if there were no
limits for single nodes.

The fast loop of the greedy family can leave out pairs and start from links, but knows no limits for single nodes. Up to
the first link that exceeds such a limit, it takes the same links as a loop that knows the limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.algorithms.registry import Outcome
from topicweave.model import Overlay

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from topicweave.algorithms.options import Options
    from topicweave.model import Interest, Resolved

# at most this many forbidden pairs are listed; with more, the general loop over rows chooses all links
MOST_CLOSED = 4_000_000
MOST_NODES = 20_000  # with more nodes, the fast loop does not consider all pairs
NO_LINKS = np.empty((0, 2), dtype=np.int64)


def first_links(
    interest: Interest,
    options: Options,
    parameters: Mapping[str, Any],
    greedy: Mapping[str, Any],
    resolved: Resolved,
) -> NDArray[np.int64]:
    """The links that the algorithm adds to the required ones before any link exceeds a limit; possibly none."""
    if interest.num_nodes > MOST_NODES:
        return NO_LINKS
    limits: dict[str, Any] = {}
    if not resolved.permits_all:
        if not resolved.is_open.any():
            open_codes = resolved.exceptions[resolved.is_exception_open]
            limits["pairs"] = np.column_stack(np.divmod(open_codes, interest.num_nodes))
        else:
            limits["excluded"] = closed_pairs(resolved)
            if limits["excluded"] is None:
                return NO_LINKS
    if len(resolved.required):
        limits["start"] = Overlay(interest.nodes, resolved.required)
    made = options.entry.function(interest, seed=options.seed, **parameters, **{**greedy, **limits})
    links = made.edges if isinstance(made, Outcome) else made
    return links[: num_within_caps(links, resolved)]


def closed_pairs(resolved: Resolved) -> NDArray[np.int64] | None:
    """All pairs that are not permitted; None if there are very many."""
    n = resolved.num_nodes
    found = [resolved.exceptions[~resolved.is_exception_open]]
    num_found = len(found[0])
    for a, b in np.argwhere(np.triu(~resolved.is_open)).tolist():
        one, other = np.flatnonzero(resolved.region == a), np.flatnonzero(resolved.region == b)
        num_found += len(one) * len(other)
        if num_found > MOST_CLOSED:
            return None
        pairs = np.stack(np.meshgrid(one, other, indexing="ij"), axis=-1).reshape(-1, 2)
        pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
        found.append(pairs[:, 0] * n + pairs[:, 1])
    codes = np.unique(np.concatenate(found))
    codes = codes[~np.isin(codes, resolved.exceptions[resolved.is_exception_open])]
    return np.column_stack(np.divmod(codes, n)).astype(np.int64)


def num_within_caps(links: NDArray[np.int64], resolved: Resolved) -> int:
    """How many of the links can be added to the required ones, in order, before a node would have too many."""
    ends = links.ravel()
    order = np.argsort(ends, kind="stable")
    sorted_ends = ends[order]
    # for each end of a link, how many links its node has up to and including this one
    count = np.empty(len(ends), dtype=np.int64)
    count[order] = np.arange(len(ends)) - np.searchsorted(sorted_ends, sorted_ends) + 1
    required = np.bincount(resolved.required.ravel(), minlength=resolved.num_nodes)
    too_many = np.flatnonzero(count + required[ends] > resolved.caps[ends])
    return int(too_many[0]) // 2 if len(too_many) else len(links)
