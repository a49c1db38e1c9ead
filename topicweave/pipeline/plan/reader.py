"""Reads a plan folder (subscriptions, links, manifest) on this machine, without Spark."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.columns import CHILD, NODE, PARENT, ROLE, SOURCE, TARGET, TOPIC
from topicweave.errors import ReadError
from topicweave.files import as_path, write_atomically
from topicweave.model import Interest, Overlay
from topicweave.model.event_schema import ROLE_BITS, ROLES
from topicweave.model.interest_checks import SUBSCRIBES
from topicweave.pipeline.plan.manifest import read_manifest
from topicweave.pipeline.plan.target import EDGES, NODES, SUBSCRIPTIONS, TREES, no_subscriptions

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from topicweave.trees import Trees


@dataclass(frozen=True)
class StoredPlan:
    """A plan as stored on disk.

    Attributes
    ----------
    interest
        The subscriptions.
    overlay
        The links, in the order they were added.
    manifest
        How it was made.
    folder
        The path of the folder.
    """

    interest: Interest
    overlay: Overlay
    manifest: Mapping[str, Any] = field(repr=False)
    folder: Path


def read_plan(folder: str | os.PathLike[str], interest: Interest | None = None) -> StoredPlan:
    """Read a plan folder.

    Parameters
    ----------
    folder
        The folder.
    interest
        The subscriptions, if the plan does not contain them.

    Raises
    ------
    ReadError
        It is not a plan folder, a file of it is missing or damaged, or it was written by a version that did not store
        the subscriptions.
    OverlayError
        Its links have nodes that are not in the subscriptions.
    """
    folder = as_path(folder, "the plan").expanduser()
    manifest = read_manifest(folder)
    if interest is None:
        interest = read_subscriptions(folder)
    edges = _table(folder / EDGES, [SOURCE, TARGET])
    return StoredPlan(interest, Overlay.from_arrow(edges, interest.nodes), manifest, folder)


def read_subscriptions(folder: Path) -> Interest:
    """Read the subscriptions for which a plan was made."""
    path = folder / SUBSCRIPTIONS
    if not path.is_file():
        raise ReadError(no_subscriptions(folder))
    pairs = _table(path, [NODE, TOPIC, ROLE], as_dictionaries=True)
    # A node without topics has no subscriptions, but belongs to the plan as well.
    others = _table(folder / NODES, [NODE])[NODE] if (folder / NODES).is_file() else None
    nodes, node_of = _numbered(pairs[NODE], others)
    topics, topic_of = _numbered(pairs[TOPIC])
    roles = _roles(pairs[ROLE], path)
    keys = node_of * max(len(topics), 1) + topic_of
    # rows that are not in order show that the file was changed after it was written; sort and combine them
    if np.any(keys[1:] <= keys[:-1]):
        order = np.argsort(keys, kind="stable")
        keys, first = np.unique(keys[order], return_index=True)
        roles = np.bitwise_or.reduceat(roles[order], first)
    starts = np.searchsorted(keys, np.arange(len(nodes) + 1, dtype=np.int64) * max(len(topics), 1))
    return Interest(nodes, topics, starts.astype(np.int64), (keys % max(len(topics), 1)).astype(np.int32), roles)


def _roles(column: pa.ChunkedArray, path: Path) -> NDArray[np.uint8]:
    """The role of each row as bits; an empty role means that the node subscribes."""
    parts = [np.empty(0, dtype=np.uint8)]
    for chunk in column.chunks:
        for name in chunk.dictionary.to_pylist():
            if name not in ROLE_BITS:
                raise ReadError(f"{path} has the role {name!r}; roles are {', '.join(ROLES)}.")
        bits = np.array([ROLE_BITS[name] for name in chunk.dictionary.to_pylist()] + [SUBSCRIBES], dtype=np.uint8)
        parts.append(bits[chunk.indices.fill_null(len(bits) - 1).to_numpy()])
    return np.concatenate(parts)


def plan_trees(plan: StoredPlan, objective: str | None = None) -> Trees:
    """The trees stored in a plan; new trees if it has none, or if another objective is asked for."""
    # imported only now, because most plans are read without their trees
    from topicweave.trees import trees, trees_from_arrow

    written = plan.manifest.get("trees", {}).get("objective", "depth")
    path = plan.folder / TREES
    if path.is_file() and objective in (None, written):
        return trees_from_arrow(plan.interest, plan.overlay, _table(path, [TOPIC, PARENT, CHILD]), written)
    return trees(plan.interest, plan.overlay, objective or "depth")


def plans_trees(old: StoredPlan, new: StoredPlan) -> tuple[Trees, Trees]:
    """The trees of two plans. If no trees are stored with the new plan, its trees are made to differ as little as
    possible from the trees of the old plan.
    """
    from topicweave.trees import trees

    before = plan_trees(old)
    if (new.folder / TREES).is_file():
        return before, plan_trees(new)
    return before, trees(new.interest, new.overlay, prefer=before)


def keep_trees(found: Trees, folder: Path) -> None:
    """Store trees in a plan folder that has none, so that all later commands use the same ones."""
    import pyarrow.parquet as pq

    path = folder / TREES
    if not path.exists():
        write_atomically(path, lambda file: pq.write_table(found.to_arrow(), file))


def _numbered(
    column: pa.ChunkedArray, others: pa.ChunkedArray | None = None
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """The labels in a column and in ``others``, sorted; and for each row of the column the number of its label."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = column.unify_dictionaries().chunks
    used = chunks[0].dictionary if chunks else pa.array([], pa.string())
    labels = pa.chunked_array([used, *([] if others is None else others.chunks)], pa.string()).unique()
    order = pc.sort_indices(labels).to_numpy()
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    codes = np.concatenate([np.empty(0, np.int64), *(chunk.indices.to_numpy() for chunk in chunks)])
    return tuple(labels.take(pa.array(order)).to_pylist()), number[codes.astype(np.int64)]


def _table(path: Path, columns: list[str], as_dictionaries: bool = False) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.read_table(path, columns=columns, read_dictionary=columns if as_dictionaries else None)
    except FileNotFoundError:
        raise ReadError(f"{path.parent} is not a complete plan folder: there is no {path.name} in it.") from None
    except (OSError, KeyError, pa.ArrowInvalid) as error:
        raise ReadError(f"{path} cannot be read as Parquet ({error}); check the file.") from error
