"""Snapshots: a maintainer in a file, to be continued later exactly as if it had never stopped.

The file is one line of JSON (format, version, length and SHA-256 of the rest) followed by NumPy's ``.npz``. It is
written beside its target, forced to disk and renamed, so that a complete file always exists.
"""

from __future__ import annotations

import hashlib
import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.churn.maintainer import check_maintainer
from topicweave.churn.overlay_state import OverlayState, subscriptions
from topicweave.churn.registry import MAINTAINERS
from topicweave.churn.roles import Roles
from topicweave.churn.snapshot_content import BAD_CONTENT, read_content
from topicweave.errors import InputError, ReadError
from topicweave.files import as_path, clear_leftovers, write_atomically
from topicweave.kernels.labels import label_hashes

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from topicweave.churn.maintainer import Maintainer
    from topicweave.churn.snapshot_content import SnapshotContent
    from topicweave.kernels.churn.adjacency import Adjacency

FORMAT, VERSION = "topicweave churn snapshot", 1
# The version of snapshots with publishers or trees. Earlier versions of topicweave refuse such snapshots, as they
# should: they would silently lose the roles and trees.
VERSION_WITH_ROLES = 2


def save(maintainer: Maintainer, path: str | os.PathLike[str], notes: Mapping[str, Any] | None = None) -> None:
    """Write a snapshot; ``notes`` (anything JSON can hold) are returned by :func:`load_with_notes`."""
    check_maintainer(maintainer, "save()")
    target = as_path(path, "the snapshot")
    clear_leftovers(target)
    maintainer.settle()
    state = maintainer.state
    about = {
        "maintainer": maintainer.name,
        "parameters": maintainer.parameters,
        "nodes": state.nodes.label,
        "free_nodes": state.nodes.free,
        "topics": state.topics.label,
        "free_topics": state.topics.free,
    }
    roles, followed = state.roles.to_notes(), maintainer.followed_trees
    if roles:
        about["roles"] = roles
    if followed is not None:
        about["objective"] = followed.objective
    arrays: dict[str, NDArray[Any]] = {
        "about": np.frombuffer(_as_json(about, notes).encode(), dtype=np.uint8),
        "rows": state.rows[: len(state.nodes.label)],
    }
    for name in ("neighbours", "backups"):
        arrays[f"{name}_length"], arrays[f"{name}_content"] = _flat(getattr(state, name), len(state.nodes.label))
    if followed is not None:
        number = state.topics.number, state.nodes.number, state.nodes.number
        rows = [tuple(of[label] for of, label in zip(number, row, strict=True)) for row in followed.rows()]
        arrays["trees"] = np.array(rows, dtype=np.int32).reshape(-1, 3)
    arrays.update({f"extra_{name}": value for name, value in maintainer.extra_state().items()})
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    content = buffer.getvalue()
    version = VERSION_WITH_ROLES if roles or followed is not None else VERSION
    head = {"format": FORMAT, "version": version, "length": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    write_atomically(target, json.dumps(head).encode() + b"\n" + content)


def load(path: str | os.PathLike[str]) -> Maintainer:
    """Read a snapshot; raises an error if the file is something else, damaged, or written by a later version."""
    return load_with_notes(path)[0]


def load_with_notes(path: str | os.PathLike[str]) -> tuple[Maintainer, dict[str, Any]]:
    """Read a snapshot and the notes saved with it."""
    file = as_path(path, "the snapshot")
    content = _checked_content(file)
    try:
        found = read_content(content)
        return _revived(found), found.notes
    except BAD_CONTENT as error:
        raise ReadError(
            f"The snapshot {file} holds no maintainer ({type(error).__name__}: {error}); take an older copy."
        ) from error


def _revived(found: SnapshotContent) -> Maintainer:
    state = OverlayState()
    for slots, saved in ((state.nodes, found.nodes), (state.topics, found.topics)):
        slots.label, slots.free = saved.label, saved.free
        slots.number = {label: number for number, label in enumerate(saved.label) if label is not None}
    rows = found.rows
    state.reserve(len(rows), 64 * rows.shape[1])
    state.rows[: len(rows), : rows.shape[1]] = rows
    state.marks[: len(rows)] = label_hashes([label or "" for label in found.nodes.label])
    owner, topic = (bits.astype(np.int32) for bits in subscriptions(rows))
    state.put("subscribers", topic, owner)
    state.put("neighbours", *found.neighbours)
    state.put("backups", *found.backups)
    state.put("primaries", *reversed(found.backups))
    number = state.nodes.number
    topics_of = {node: state.topic_labels(number[node]) for node in found.roles if node in number}
    state.roles = Roles.from_notes(found.roles, topics_of)
    maintainer = MAINTAINERS[found.maintainer].load().revive(state, found.parameters, found.extra)
    if found.trees is not None:
        from topicweave.trees.follow import trees_from_rows

        topic_name, node_name = state.topics.name, state.nodes.name
        kept = [(topic_name(t), node_name(u), node_name(v)) for t, u, v in found.trees.tolist()]
        maintainer.follow_trees(trees_from_rows(maintainer.interest, maintainer.overlay, kept, found.objective))
    return maintainer


def _as_json(about: Mapping[str, Any], notes: Mapping[str, Any] | None) -> str:
    try:
        return json.dumps({**about, "notes": dict(notes or {})}, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"These notes cannot be kept in a snapshot ({error}); give a dictionary of what JSON can hold."
        ) from None


def _flat(adjacency: Adjacency, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    length = adjacency.length[:count]
    start = adjacency.start[:count]
    within = np.arange(int(length.sum())) - np.repeat(np.cumsum(length) - length, length)
    return length.copy(), adjacency.pool[np.repeat(start, length) + within]


def _checked_content(path: Path) -> bytes:
    """The content after the header of the file, once its checksum has been verified."""
    try:
        line, _, content = path.read_bytes().partition(b"\n")
    except OSError as error:
        raise ReadError(f"The snapshot {path} cannot be read ({error.strerror}); check the path.") from error
    try:
        head = json.loads(line)
        known = isinstance(head, dict) and head.get("format") == FORMAT
    except ValueError:
        known = False
    if not known:
        raise ReadError(f"{path} is not a snapshot of a maintainer; give a file written by topicweave.churn.save.")
    if head.get("version") not in (VERSION, VERSION_WITH_ROLES):
        raise ReadError(
            f"The snapshot {path} has version {head.get('version')!r}, this topicweave reads {VERSION_WITH_ROLES}; "
            f"read it with the version that wrote it."
        )
    if len(content) != head.get("length") or hashlib.sha256(content).hexdigest() != head.get("sha256"):
        raise ReadError(f"The snapshot {path} is damaged (its checksum differs); take an older copy.")
    return content
