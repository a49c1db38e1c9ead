"""Converts requirements to plain values that JSON can represent, with link costs as a separate array, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError
from topicweave.model.link_cost import LinkCost
from topicweave.model.requirements import Requirements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

PAIRS = ("forbidden", "required", "allowed")
TABLE, POINTS = "table", "points"


def with_names(requirements: Requirements, nodes: Sequence[str]) -> Requirements:
    """The same requirements, with labels added to a cost matrix that relies on the order of the nodes."""
    costs = requirements.link_cost
    if costs is None or costs.names is not None or costs.table is None:
        return requirements
    if len(costs.table) != len(nodes):
        raise InputError(
            f"The matrix of link costs has {len(costs.table)} rows, but there are {len(nodes)} nodes; give costs by "
            f"name."
        )
    return replace(requirements, link_cost=LinkCost(tuple(nodes), costs.table))


def to_facts(requirements: Requirements) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """Plain values, and the cost matrix or coordinates; an array without rows if links have no costs."""
    costs = requirements.link_cost
    array = None if costs is None else costs.table if costs.points is None else costs.points
    return {
        "max_hops": requirements.max_hops,
        "connectivity": requirements.connectivity,
        "cost_weight": requirements.cost_weight,
        "max_degree": _plain(requirements.max_degree),
        **{name: None if (pairs := getattr(requirements, name)) is None else list(pairs) for name in PAIRS},
        "regions": _plain(requirements.regions),
        "link_cost": None if costs is None else POINTS if costs.points is not None else TABLE,
        "cost_names": None if costs is None or costs.names is None else list(costs.names),
    }, np.empty((0, 0)) if array is None else array


def from_facts(facts: Mapping[str, Any], numbers: NDArray[np.float64]) -> Requirements:
    """Rebuild requirements from these values; bad values raise errors, either Python's own or those of this package."""
    given = dict(facts)
    kind, names = given.pop("link_cost"), given.pop("cost_names")
    given.update({name: [tuple(pair) for pair in given[name]] for name in PAIRS if given[name] is not None})
    if kind is not None:
        numbers, labels = np.array(numbers, dtype=np.float64), None if names is None else tuple(names)
        if labels is not None and len(labels) != len(numbers):
            raise ValueError(f"{len(labels)} names for {len(numbers)} rows of costs")
        given["link_cost"] = LinkCost(labels, points=numbers) if kind == POINTS else LinkCost(labels, numbers)
    return Requirements(**given)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
