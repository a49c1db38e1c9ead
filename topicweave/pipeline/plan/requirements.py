"""Stores the requirements of a plan in its folder, so that later commands need no options, and describes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError, ReadError
from topicweave.model.requirement_facts import from_facts, to_facts, with_names
from topicweave.pipeline.plan.target import LINK_COST, REQUIREMENTS
from topicweave.wording import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from topicweave.model import Requirements

NAME, COSTS = "name", "costs"
NAMES = "cost_names"


def write_requirements(requirements: Requirements | None, folder: Path, nodes: Sequence[str]) -> None:
    """Write requirements into a plan folder: ``requirements.json``, and the costs of links as ``link_cost.parquet``.

    A matrix of costs, which has no labels of its own, gets those of ``nodes``.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    if requirements is None:
        return
    facts, costs = to_facts(with_names(requirements, nodes))
    names = facts.pop(NAMES)
    text = json.dumps(facts, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / REQUIREMENTS).write_text(text + "\n", encoding="utf-8")
    if names is not None:
        rows = pa.array(costs.tolist(), pa.list_(pa.float64()))
        pq.write_table(pa.table({NAME: pa.array(names, pa.string()), COSTS: rows}), folder / LINK_COST)


def read_requirements(folder: str | os.PathLike[str]) -> Requirements | None:
    """Read the requirements of a plan folder; None if it has none.

    Raises
    ------
    ReadError
        The files are damaged, or do not go together.
    """
    import pyarrow.parquet as pq

    path = Path(folder).expanduser() / REQUIREMENTS
    if not path.is_file():
        return None
    try:
        facts, names, costs = json.loads(path.read_text(encoding="utf-8")), None, np.empty((0, 0))
        if facts["link_cost"] is not None:
            table = pq.read_table(path.with_name(LINK_COST), columns=[NAME, COSTS])
            names, costs = table[NAME].to_pylist(), np.array(table[COSTS].to_pylist(), dtype=np.float64)
        return from_facts({**facts, NAMES: names}, costs)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, InputError) as error:
        raise ReadError(f"{path} cannot be read ({error}); restore it, or make the plan again.") from error


def describe_requirements(requirements: Requirements) -> dict[str, Any]:
    """The requirements for the manifest: numbers as they are, and for tables the number of nodes or pairs in them."""
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
    """A short phrase for each requirement, for summaries and pages."""
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
