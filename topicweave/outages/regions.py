"""Reads which region each node is in."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from topicweave.columns import NODE
from topicweave.errors import ReadError
from topicweave.files import as_path

if TYPE_CHECKING:
    import os

REGION = "region"
NODE_COLUMNS = (NODE, "name")  # inventories use the second name


def read_regions(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read the region of each node from a CSV file with the columns ``node`` and ``region``.

    An inventory of brokers, which calls the first column ``name``, will do as well. Other columns are ignored, and rows
    with an empty region, too.

    Raises
    ------
    ReadError
        The file cannot be read, lacks a column, or puts a node into two regions.
    """
    found: dict[str, str] = {}
    try:
        with as_path(path, "the table of regions").open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, strict=True)
            head = [name.strip() for name in next(rows, [])]
            node_at = next((head.index(name) for name in NODE_COLUMNS if name in head), None)
            if node_at is None or REGION not in head:
                raise ReadError(f"{path} needs the columns {NODE!r} and {REGION!r}, but has {head}; add a header.")
            region_at = head.index(REGION)
            for row in rows:
                node, region = (row[at].strip() if at < len(row) else "" for at in (node_at, region_at))
                if not node or not region:
                    continue
                if found.setdefault(node, region) != region:
                    raise ReadError(
                        f"{path} puts {node!r} into the regions {found[node]!r} and {region!r}; a node is in one."
                    )
    except FileNotFoundError:
        raise ReadError(f"There is no file at {path}; check the path.") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ReadError(f"{path} cannot be read as CSV ({error}); check the file.") from error
    return found
