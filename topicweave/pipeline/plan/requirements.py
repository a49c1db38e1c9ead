"""Keeps the requirements of a plan in its folder, so that later commands need no options, and describes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError, ReadError
from topicweave.model import Requirements
from topicweave.model.link_cost import LinkCost
from topicweave.pipeline.plan.target import LINK_COST, REQUIREMENTS
from topicweave.wording import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

NAME, COSTS = "name", "costs"
TABLE, POINTS = "table", "points"
PAIRS = ("forbidden", "required", "allowed")


def write_requirements(requirements: Requirements | None, folder: Path, nodes: Sequence[str]) -> None:
    """Write requirements into a plan folder: ``requirements.json``, and the costs of links as ``link_cost.parquet``.

    A matrix of costs, which has no labels of its own, gets those of ``nodes``.
    """
    if requirements is None:
        return
    costs = requirements.link_cost
    facts = {
        "max_hops": requirements.max_hops,
        "connectivity": requirements.connectivity,
        "cost_weight": requirements.cost_weight,
        "max_degree": _plain(requirements.max_degree),
        **{name: None if (pairs := getattr(requirements, name)) is None else list(pairs) for name in PAIRS},
        "regions": _plain(requirements.regions),
        "link_cost": None if costs is None else POINTS if costs.points is not None else TABLE,
    }
    text = json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / REQUIREMENTS).write_text(text + "\n", encoding="utf-8")
    if costs is not None:
        _write_costs(costs, folder / LINK_COST, nodes)


def read_requirements(folder: str | os.PathLike[str]) -> Requirements | None:
    """Read the requirements of a plan folder; None if it has none.

    Raises
    ------
    ReadError
        The files are damaged, or do not go together.
    """
    path = Path(folder).expanduser() / REQUIREMENTS
    if not path.is_file():
        return None
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        kind = facts.pop("link_cost")
        facts["link_cost"] = None if kind is None else _read_costs(path.with_name(LINK_COST), kind)
        facts.update({name: [tuple(pair) for pair in facts[name]] for name in PAIRS if facts[name] is not None})
        return Requirements(**facts)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, InputError) as error:
        raise ReadError(f"{path} cannot be read ({error}); restore it, or make the plan again.") from error


def describe_requirements(requirements: Requirements) -> dict[str, Any]:
    """What is required, for manifests: numbers as they are, and how many nodes and pairs tables have."""
    found: dict[str, Any] = {}
    for name in requirements.names:
        value = getattr(requirements, name)
        if name == "link_cost":
            found["cost_weight"] = requirements.cost_weight
            continue
        found[name] = value if isinstance(value, int) else len(value)
    if requirements.regions:
        found["regions"] = len(set(requirements.regions.values()))
    return found


def requirements_in_words(requirements: Requirements) -> list[str]:
    """A few words for each requirement, for summaries and pages."""
    lines = []
    for name in requirements.names:
        value = getattr(requirements, name)
        if name == "max_hops":
            lines.append(f"at most {counted(value, 'hop')} between subscribers of a topic")
        elif name == "connectivity":
            lines.append(f"every topic stays connected when any {counted(value - 1, 'node')} {_fail(value - 1)}")
        elif name == "link_cost":
            lines.append(f"links of low cost (weight {requirements.cost_weight:g})")
        elif name == "max_degree" and isinstance(value, Mapping):
            lines.append(f"the capacities of {counted(len(value), 'node')}")
        elif name == "max_degree":
            lines.append(f"at most {counted(value, 'link')} for each node")
        else:
            lines.append(f"{counted(len(value), f'{name} pair')}")
    return lines


def _fail(count: int) -> str:
    return "fails" if count == 1 else "fail"


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _write_costs(costs: LinkCost, path: Path, nodes: Sequence[str]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    array = costs.points if costs.points is not None else costs.table
    assert array is not None
    names = costs.names if costs.names is not None else tuple(nodes)
    if len(names) != len(array):
        raise InputError(
            f"The matrix of link costs has {len(array)} rows, but the plan has {len(names)} nodes; give costs by name."
        )
    rows = pa.array(array.tolist(), pa.list_(pa.float64()))
    pq.write_table(pa.table({NAME: pa.array(names, pa.string()), COSTS: rows}), path)


def _read_costs(path: Path, kind: str) -> LinkCost:
    import pyarrow.parquet as pq

    table = pq.read_table(path, columns=[NAME, COSTS])
    array = np.array(table[COSTS].to_pylist(), dtype=np.float64)
    names = tuple(table[NAME].to_pylist())
    return LinkCost(names, points=array) if kind == POINTS else LinkCost(names, array)
