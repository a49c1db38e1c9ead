"""The files of a plan folder, by name, and how to tell such a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

MANIFEST = "manifest.json"
EDGES, EDGES_CSV, NODES, TOPICS = "edges.parquet", "edges.csv", "nodes.parquet", "topics.parquet"
SUBSCRIPTIONS = "subscriptions.parquet"
ASSIGNMENT, ROUTING = "assignment.parquet", "routing.jsonl"  # of content plans
REPORT, QUARANTINE = "report.html", "quarantine"


def plan_folder(given: Any) -> Path | None:
    """The folder if one path is given and it leads to a plan of this machine; None for everything else."""
    if isinstance(given, list | tuple) and len(given) == 1:
        given = given[0]
    if not isinstance(given, str | os.PathLike):
        return None
    folder = Path(os.path.expanduser(given))
    return folder if (folder / MANIFEST).is_file() and (folder / EDGES).is_file() else None


def no_subscriptions(folder: str | os.PathLike[str]) -> str:
    """Why a plan folder is refused that does not hold what it was made for."""
    return (
        f"{folder} does not say what its nodes subscribe to (there is no {SUBSCRIPTIONS} in it, as in plans of earlier "
        f"versions); name the subscriptions it was made for, or make the plan again."
    )
