"""The arrays on which overlays are designed under requirements, and the steps of the design."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.kernels.labels import label_hashes
from topicweave.kernels.requirements.deletion import delete_needless, met_by_all
from topicweave.kernels.requirements.exchange import Aim, Exchange, exchange_links
from topicweave.kernels.requirements.links import Members, add_links, no_links, remove_link
from topicweave.kernels.requirements.permission import Permission
from topicweave.kernels.requirements.potential import BLOCKS, HOPS, MERGING, choose_centre, potential_for
from topicweave.kernels.requirements.rows import add_best_links, refresh_topics, rows_for
from topicweave.kernels.requirements.topic_graph import graph_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from topicweave.model import Interest, Resolved

TIES = {"balanced": 0, "random": 1, "lexicographic": 2}
LINKS_A_CALL = 4096  # number of links added between two progress reports
# how often all rows are recomputed for every num_nodes links added: what a link would gain by shortening paths rises
# often, what it would gain by merging blocks hardly ever
RENEWALS = {MERGING: 1, HOPS: 50, BLOCKS: 5}


class Network:
    """An overlay under construction.

    Parameters
    ----------
    interest
        The subscriptions.
    resolved
        The requirements in node numbers.
    ties, prefer, key
        As in :func:`topicweave.design`: the rule for ties, links to take first, and the key made of the seed.
    tell
        Called with the number of links added so far.
    num_given
        How many links of an earlier overlay will be added first.
    """

    def __init__(
        self,
        interest: Interest,
        resolved: Resolved,
        *,
        ties: str,
        prefer: NDArray[np.int64] | None,
        key: np.uint64,
        tell: Callable[[int], None],
        num_given: int = 0,
    ) -> None:
        self.interest, self.resolved = interest, resolved
        self.members = members_of(interest)
        self.permission = permission_of(interest, resolved, ties, prefer, key)
        n, subscriptions = interest.num_nodes, interest.num_subscriptions
        largest = int(interest.topic_sizes.max(initial=1))
        most = min(4 * subscriptions + len(resolved.required) + num_given + 64, n * (n - 1) // 2 + 1)
        self.links = no_links(n, most)
        self._graph = graph_for(n, largest, most)
        self.potential = potential_for(subscriptions, interest.num_topics, resolved.max_hops, resolved.connectivity)
        self._rows = rows_for(n, largest, 0)
        self._tell = tell

    @property
    def degree(self) -> NDArray[np.int32]:
        """The number of links of each node."""
        return self.links.degree

    def add(self, pairs: NDArray[np.int64]) -> None:
        """Add these links; none of them may exist already."""
        add_links(self.links, pairs)

    def remove(self, pairs: NDArray[np.int64]) -> None:
        """Remove these links, all of which must exist."""
        for u, v in pairs.tolist():
            remove_link(self.links, u, v)

    def choose_centres(self) -> None:
        """Choose the centre of every topic, from which hops are counted."""
        for topic in np.flatnonzero(self.interest.topic_sizes >= 2).tolist():
            choose_centre(self.members, self.links, self.potential, self._graph, topic)

    def extend(self, kind: int, penalty: float, most: int | None = None) -> NDArray[np.int64]:
        """Add up to ``most`` links, best first, until none gains anything; return them in that order."""
        refresh_topics(kind, self.members, self.links, self.potential, self._graph)
        self._rows.delta[0] = self.degree.max(initial=0)
        found = np.empty((LINKS_A_CALL, 2), dtype=np.int32)
        added: list[NDArray[np.int64]] = []
        renew_after = max(8, self.interest.num_nodes // RENEWALS[kind])
        while True:
            left = LINKS_A_CALL if most is None else min(LINKS_A_CALL, most - sum(map(len, added)))
            count = add_best_links(
                kind, float(penalty), self.members, self.links, self.permission, self.potential, self._graph,
                self._rows, found[:left], renew_after,
            )  # fmt: skip
            added.append(found[:count].astype(np.int64))
            self._tell(sum(map(len, added)))
            if count < LINKS_A_CALL:  # no link gains anything more, or the budget is used up
                return np.concatenate(added)

    def delete(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Try to remove each of these links in turn; return which ones were removed."""
        removed: NDArray[np.bool_] = delete_needless(self.members, self.links, self._graph, self.potential, pairs)
        return removed

    def exchange(self, pairs: NDArray[np.int64], work: Exchange, aim: Aim) -> NDArray[np.int64]:
        """Try to replace or drop these links in order; return those that there are in their place. All topics must meet
        the requirements before.
        """
        now, is_gone = pairs.copy(), np.zeros(len(pairs), dtype=bool)
        exchange_links(
            self.members, self.links, self.permission, self._graph, self.potential, work, aim, now, is_gone
        )  # fmt: skip
        left: NDArray[np.int64] = now[~is_gone]
        return left

    def met(self) -> NDArray[np.bool_]:
        """For each topic, whether it meets the hop limit and survives the failures of nodes that it must survive."""
        met: NDArray[np.bool_] = met_by_all(self.members, self.links, self._graph, self.potential)
        return met


def members_of(interest: Interest) -> Members:
    """The subscriptions as kernels need them."""
    first, nodes = interest.subscribers
    spot = np.empty(interest.num_subscriptions, dtype=np.int64)
    spot[np.argsort(interest.indices, kind="stable")] = np.arange(interest.num_subscriptions)
    return Members(interest.indptr, interest.indices, spot, first, nodes)


def permission_of(
    interest: Interest, resolved: Resolved, ties: str, prefer: NDArray[np.int64] | None, key: np.uint64
) -> Permission:
    """The requirements on single links as kernels need them."""
    n = interest.num_nodes
    preferred = np.empty(0, dtype=np.int64)
    if prefer is not None:
        preferred = np.unique(prefer.min(axis=1) * n + prefer.max(axis=1))
    has_costs = resolved.has_costs
    table, points = resolved.cost_table, resolved.cost_points
    return Permission(
        caps=resolved.caps,
        region=resolved.region,
        is_open=resolved.is_open,
        exceptions=resolved.exceptions,
        is_exception_open=resolved.is_exception_open,
        is_restricted=np.array([not resolved.permits_all]),
        place=resolved.place,
        table=table.copy() if has_costs and table is not None else np.empty((0, 0)),
        points=points.copy() if has_costs and points is not None else np.empty((0, 0)),
        base=np.array([1 - resolved.cost_weight if has_costs else 1.0]),
        per_cost=np.array([resolved.cost_weight / resolved.mean_cost if has_costs else 0.0]),
        marks=label_hashes(interest.nodes),
        key=np.array([key], dtype=np.uint64),
        ties=np.array([TIES[ties]], dtype=np.int64),
        preferred=preferred,
    )
