"""Resolved: requirements in the node numbers of one interest, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import InputError
from topicweave.parameters import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from topicweave.model.interest import Interest
    from topicweave.model.link_cost import LinkCost
    from topicweave.model.requirements import Requirements

ROWS_AT_A_TIME = 256


@dataclass(frozen=True, eq=False)
class Resolved:
    """Requirements in node numbers.

    Whether a pair is permitted is decided by the regions of its ends, except for the pairs listed as exceptions.

    Attributes
    ----------
    max_hops
        As in :class:`Requirements`; 0 for no limit.
    connectivity, cost_weight
        As in :class:`Requirements`.
    caps
        The most links of each node, int64; the number of nodes minus one where there is no limit.
    required
        Links that must exist, int64 (m, 2), ``u < v``, sorted.
    region
        The region of each node, int64; nodes without a region have one of their own in common.
    region_names
        Labels of the regions; the last, ``""``, stands for nodes without one.
    is_open
        Whether nodes of two regions may be linked, bool (regions, regions).
    exceptions, is_exception_open
        Pairs ``u * n + v``, ``u < v``, ascending, and whether each is permitted.
    place, cost_table, cost_points
        The row of each node in the table of costs or in the coordinates, one of which is None; both are None if links
        have no costs.
    """

    max_hops: int
    connectivity: int
    cost_weight: float
    caps: NDArray[np.int64]
    required: NDArray[np.int64]
    region: NDArray[np.int64]
    region_names: tuple[str, ...]
    is_open: NDArray[np.bool_]
    exceptions: NDArray[np.int64]
    is_exception_open: NDArray[np.bool_]
    place: NDArray[np.int64] = field(repr=False)
    cost_table: NDArray[np.float64] | None = field(default=None, repr=False)
    cost_points: NDArray[np.float64] | None = field(default=None, repr=False)

    @property
    def num_nodes(self) -> int:
        return len(self.caps)

    @property
    def permits_all(self) -> bool:
        """Whether every pair may be linked."""
        return bool(self.is_open.all()) and bool(self.is_exception_open.all())

    @property
    def has_costs(self) -> bool:
        """Whether links have costs that matter."""
        return self.cost_weight > 0 and (self.cost_table is not None or self.cost_points is not None)

    def permits(self, pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each of the pairs, shape (m, 2), may be linked."""
        permitted: NDArray[np.bool_] = self.is_open[self.region[pairs[:, 0]], self.region[pairs[:, 1]]]
        if len(self.exceptions):
            codes = pairs.min(axis=1) * np.int64(self.num_nodes) + pairs.max(axis=1)
            at = np.minimum(np.searchsorted(self.exceptions, codes), len(self.exceptions) - 1)
            permitted = np.where(self.exceptions[at] == codes, self.is_exception_open[at], permitted)
        return permitted

    def costs(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """The cost of each of the pairs, shape (m, 2): 1 where links have none, NaN where it is unknown."""
        one, other = self.place[pairs[:, 0]], self.place[pairs[:, 1]]
        if self.cost_table is not None:
            return np.asarray(self.cost_table[one, other])
        if self.cost_points is not None:
            distance: NDArray[np.float64] = np.sqrt(
                ((self.cost_points[one] - self.cost_points[other]) ** 2).sum(axis=1)
            )
            return distance
        return np.ones(len(pairs))

    @cached_property
    def mean_cost(self) -> float:
        """The mean cost of the permitted pairs; 1 if there is none or none of them costs anything."""
        if not self.has_costs:
            return 1.0
        total, count = 0.0, 0
        for first in range(0, self.num_nodes, ROWS_AT_A_TIME):
            rows = np.arange(first, min(first + ROWS_AT_A_TIME, self.num_nodes))
            one, other = np.nonzero(rows[:, None] < np.arange(self.num_nodes)[None, :])
            pairs = np.column_stack((rows[one], other))
            costs = self.costs(pairs[self.permits(pairs)])
            total, count = total + float(np.nansum(costs)), count + int(np.count_nonzero(~np.isnan(costs)))
        return total / count if total else 1.0

    def weights(self, pairs: NDArray[np.int64]) -> NDArray[np.float64]:
        """The weight of each pair, (1 - w) + w * cost / mean cost; designs keep the sum of the weights low."""
        if not self.has_costs:
            return np.ones(len(pairs))
        return (1 - self.cost_weight) + self.cost_weight * self.costs(pairs) / self.mean_cost


def resolve(requirements: Requirements, interest: Interest, *, ignore_unknown: bool) -> Resolved:
    """Do what :meth:`Requirements.resolve` does."""
    n = interest.num_nodes
    numbers = interest.node_numbers
    regions = dict(requirements.regions or {})
    names = (*sorted(set(regions.values())), "")
    both = next((name for name in names if name in numbers), None)
    if both is not None:
        raise InputError(f"{both!r} is the name of a node and of a region; give the region another name.")
    region_number = {name: position for position, name in enumerate(names)}
    region = np.array([region_number[regions.get(node, "")] for node in interest.nodes], dtype=np.int64)
    lookup = _Names(numbers, region_number, region, ignore_unknown)
    is_open = np.full((len(names), len(names)), requirements.allowed is None)
    exceptions: dict[int, bool] = {}
    for given, is_permitted in ((requirements.allowed or (), True), (requirements.forbidden, False)):
        for one, other in given:
            if one in region_number and other in region_number:
                a, b = region_number[one], region_number[other]
                is_open[a, b] = is_open[b, a] = is_permitted
                if not is_permitted:  # forbidden pairs of regions override allowed pairs of their nodes
                    for code in [code for code in exceptions if _joins(region, code, n, a, b)]:
                        del exceptions[code]
                continue
            for u in lookup.nodes_of("forbidden" if not is_permitted else "allowed", one):
                for v in lookup.nodes_of("forbidden" if not is_permitted else "allowed", other):
                    if u != v:
                        exceptions[min(u, v) * n + max(u, v)] = is_permitted
    codes = np.array(sorted(exceptions), dtype=np.int64)
    place, table, points = _placed(requirements.link_cost, interest, regions)
    return Resolved(
        max_hops=requirements.max_hops or 0,
        connectivity=requirements.connectivity,
        cost_weight=requirements.cost_weight,
        caps=_caps(requirements.max_degree, n, lookup),
        required=_required(requirements, lookup),
        region=region,
        region_names=names,
        is_open=is_open,
        exceptions=codes,
        is_exception_open=np.array([exceptions[code] for code in codes.tolist()], dtype=bool),
        place=place,
        cost_table=table,
        cost_points=points,
    )


class _Names:
    """Finds the nodes that a name in the requirements stands for."""

    def __init__(
        self, numbers: dict[str, int], regions: dict[str, int], region: NDArray[np.int64], ignore_unknown: bool
    ) -> None:
        self._numbers, self._regions, self._region, self._ignore = numbers, regions, region, ignore_unknown

    def nodes_of(self, what: str, name: str) -> list[int]:
        """The nodes that the name of a node or region stands for."""
        if name in self._regions:
            return [int(v) for v in np.flatnonzero(self._region == self._regions[name])]
        return self.node(what, name)

    def node(self, what: str, name: str) -> list[int]:
        """The number of a node, as a list; an empty list if the node is unknown and may be left out."""
        if name in self._numbers:
            return [self._numbers[name]]
        if self._ignore:
            return []
        raise InputError(
            f"{what}= names {name!r}, which is none of the {len(self._numbers)} nodes; "
            f"{did_you_mean(name, list(self._numbers)[:1000])}"
        )


def _joins(region: NDArray[np.int64], code: int, n: int, a: int, b: int) -> bool:
    ends = {int(region[code // n]), int(region[code % n])}
    return ends == {a, b}


def _caps(given: int | Mapping[str, int] | None, n: int, lookup: _Names) -> NDArray[np.int64]:
    most = max(n - 1, 0)
    caps = np.full(n, most if given is None or not isinstance(given, int) else min(given, most), dtype=np.int64)
    if given is not None and not isinstance(given, int):
        for name, limit in given.items():
            for node in lookup.node("max_degree", name):
                caps[node] = min(limit, most)
    return caps


def _required(requirements: Requirements, lookup: _Names) -> NDArray[np.int64]:
    found = [
        (min(u, v), max(u, v))
        for one, other in requirements.required
        for u in lookup.node("required", one)
        for v in lookup.node("required", other)
    ]
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)


def _placed(
    cost: LinkCost | None, interest: Interest, regions: Mapping[str, str]
) -> tuple[NDArray[np.int64], NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """The rows of the nodes in the given costs, the cost matrix, and the coordinates."""
    n = interest.num_nodes
    if cost is None:
        return np.zeros(n, dtype=np.int64), None, None
    if cost.names is None:
        assert cost.table is not None
        if len(cost.table) != n:
            raise InputError(
                f"The matrix link_cost= has {len(cost.table)} rows, but there are {n} nodes; give a row and a column "
                f"for each, in the order of interest.nodes, or a data frame with labels."
            )
        return np.arange(n), cost.table, None
    row = {name: position for position, name in enumerate(cost.names)}
    found = [row.get(node, row.get(regions.get(node, ""), -1)) for node in interest.nodes]
    if -1 in found:
        raise InputError(
            f"link_cost= has no cost for node {interest.nodes[found.index(-1)]!r} (nor for its region); add it."
        )
    return np.array(found, dtype=np.int64), cost.table, cost.points
