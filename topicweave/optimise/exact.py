"""exact: the fewest links, proved by the solver HiGHS with cuts (constraints) that are added when they are violated.

An overlay is topic-connected if, for every topic and every partition of its subscribers into k classes, at least k - 1
links run between classes. The certificate of the bound names the partitions that matter: those that the cheapest tree
of a topic passes through, from single nodes to one class, as it is built link by link. With these cuts alone, the
program is at least as strong as the bound; a solution that leaves a topic disconnected yields further cuts. Pairs that
cannot be in a better overlay than the best known are left out: adding a pair costs 1 and saves, in each of its topics,
at most the most expensive link between its ends in the cheapest tree.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from topicweave.algorithms.registry import Progress
from topicweave.errors import TooLargeError
from topicweave.optimise.bound import lower_bound
from topicweave.optimise.improve import with_contributions
from topicweave.optimise.optimum import optimum

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.algorithms.registry import Outcome, ProgressCallback
    from topicweave.model import Interest
    from topicweave.optimise.certificate import Bound

MOST_NODES = 1000
SHARE_OF_SEARCH = 0.2  # the share of the time that is used to find a first overlay, and again to find a lower bound
EPSILON = 1e-6


def exact(
    interest: Interest, *, seconds: float = 30.0, progress: ProgressCallback | None = None, seed: int = 0
) -> Outcome:
    """The overlay with the fewest links if it can be found and proved in time, otherwise the best one found."""
    if interest.num_nodes > MOST_NODES:
        raise TooLargeError(
            f"exact is for at most {MOST_NODES:,} nodes, but there are {interest.num_nodes:,}; use optimum, whose gap "
            f"lower_bound certifies."
        )
    ends = time.perf_counter() + seconds
    known = optimum(interest, seconds=SHARE_OF_SEARCH * seconds, progress=progress, seed=seed).edges
    bound = lower_bound(interest, seconds=SHARE_OF_SEARCH * seconds, progress=progress, seed=seed)
    least = bound.links
    if least < len(known):
        if progress is not None:
            progress(Progress("solving for fewer links", len(known), 1.0))
        found, least = CutProgram(interest, bound, len(known)).solve(ends, bound.links)
        if found is not None and len(found) < len(known):
            known = found
    least = min(least, len(known))
    note = (
        f"Proved: no overlay has fewer than {least:,} links."
        if least == len(known)
        else f"Not proved in time: the fewest links are {least:,} to {len(known):,}."
    )
    return with_contributions(interest, known, (note,))


class CutProgram:
    """An integer programme: the pairs that a better overlay may contain, and the constraints (cuts) added so far.

    Parameters
    ----------
    interest
        The interest to connect.
    bound
        The bound, whose prices tell which pairs and which cuts matter.
    upper
        Number of links of the overlay to beat.
    """

    def __init__(self, interest: Interest, bound: Bound, upper: int) -> None:
        self._starts, self._members = interest.subscribers
        self._num_topics, self._num_nodes = interest.num_topics, interest.num_nodes
        saved, is_met = self._read_trees(interest, bound)
        may_help = is_met & (bound.value + 1 - saved <= upper - 1 + EPSILON)
        self.pairs = np.argwhere(np.triu(may_help, 1))
        self._number = np.full((interest.num_nodes, interest.num_nodes), -1, dtype=np.int64)
        self._number[self.pairs[:, 0], self.pairs[:, 1]] = np.arange(len(self.pairs))
        self._number = np.maximum(self._number, self._number.T)
        self._upper = upper
        self._rows: list[NDArray[np.int64]] = []
        self._least: list[int] = []
        for topic, classes in self._partitions:
            self._add_cut(topic, classes)

    def solve(self, ends: float, least: int) -> tuple[NDArray[np.int64] | None, int]:
        """Solve, add violated cuts, and solve again, until the overlay connects all topics or the time is up.

        Returns the links of an optimal overlay, or None if none better than the known one was found, and a proved
        bound.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp

        while (left := ends - time.perf_counter()) > 0:
            width = len(self.pairs)
            rows = np.repeat(np.arange(len(self._rows)), [len(row) for row in self._rows])
            columns = np.concatenate([np.empty(0, dtype=np.int64), *self._rows])
            matrix = sparse.csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(self._rows), width))
            if not width or (matrix.sum(axis=1) < np.array(self._least)).any():
                return None, self._upper  # the remaining pairs cannot form a better overlay
            result = milp(
                np.ones(width), integrality=np.ones(width, dtype=np.int64), bounds=Bounds(0, 1),
                constraints=LinearConstraint(matrix, np.array(self._least, dtype=float), np.inf),
                options={"time_limit": left},
            )  # fmt: skip
            if result.status == 2:
                return None, self._upper
            if result.mip_dual_bound is not None and np.isfinite(result.mip_dual_bound):
                least = max(least, min(self._upper, int(np.ceil(result.mip_dual_bound - EPSILON))))
            if result.status != 0 or result.x is None or least >= self._upper:
                return None, least
            links = self.pairs[result.x > 0.5].astype(np.int64)
            if not self._cut_off(links):
                return links, len(links)
        return None, least

    def _cut_off(self, links: NDArray[np.int64]) -> bool:
        """Add the cuts that these links violate; return whether there were any."""
        is_linked = np.zeros((self._num_nodes, self._num_nodes), dtype=bool)
        is_linked[links[:, 0], links[:, 1]] = True
        is_cut = False
        for t in range(self._num_topics):
            members = self._members[self._starts[t] : self._starts[t + 1]]
            count, classes = connected_components(sparse.csr_array(is_linked[np.ix_(members, members)]), directed=False)
            if count > 1:
                is_cut = True
                self._add_cut(t, classes.astype(np.int64))
                for one in range(count if count > 2 else 1):
                    self._add_cut(t, (classes == one).astype(np.int64))
        return is_cut

    def _add_cut(self, t: int, classes: NDArray[np.int64]) -> None:
        """Require that at least k - 1 links join different classes, if a topic's subscribers are divided into k
        classes.
        """
        members = self._members[self._starts[t] : self._starts[t + 1]]
        one, other = np.triu_indices(len(members), 1)
        crosses = classes[one] != classes[other]
        numbers = self._number[members[one[crosses]], members[other[crosses]]]
        self._rows.append(numbers[numbers >= 0])
        self._least.append(len(np.unique(classes)) - 1)

    def _read_trees(self, interest: Interest, bound: Bound) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """For each pair, how much a link would save in the trees of all topics; and which pairs share a topic.

        Keeps the trees' partitions.
        """
        n = interest.num_nodes
        saved, is_met = np.zeros((n, n)), np.zeros((n, n), dtype=bool)
        self._partitions: list[tuple[int, NDArray[np.int64]]] = []
        for t, table in enumerate(bound.certificate.prices):
            members = self._members[self._starts[t] : self._starts[t + 1]]
            size = len(members)
            if size < 2:
                continue
            tree = minimum_spanning_tree(np.triu(table.astype(float) + 1, 1)).tocoo()
            order = np.argsort(tree.data, kind="stable")
            classes = np.arange(size)
            most = np.zeros((size, size))
            price = (tree.data[order] - 1) / bound.certificate.unit
            for i, (u, v) in enumerate(zip(tree.row[order], tree.col[order], strict=True)):
                if i == 0 or price[i] > price[i - 1]:
                    self._partitions.append((t, classes.copy()))
                inside, outside = classes == classes[u], classes == classes[v]
                most[np.ix_(inside, outside)] = most[np.ix_(outside, inside)] = price[i]
                classes[outside] = classes[u]
            saved[np.ix_(members, members)] += most
            is_met[np.ix_(members, members)] = True
        return saved, is_met
