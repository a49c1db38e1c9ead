"""The content of a snapshot, checked thoroughly: a file with a correct checksum may still come from another program.

The numbers in it become array indices, so each is checked before it is used.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.churn.registry import MAINTAINERS
from topicweave.errors import InputError
from topicweave.parameters import check_seed, fill

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]

BAD_CONTENT = (
    ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError, OSError, EOFError, MemoryError,
    RuntimeError, InputError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""All exceptions that reading such a file may raise."""

EXTRA = "extra_"
ANY_SHAPE = (-1,)
# The kind and shape of each additional value that a maintainer stores; a value that is not listed is a single number.
# Strict stores requirements, as JSON text, and the costs of links, and checks both itself.
EXPECTED: dict[str, tuple[type, tuple[int, ...]]] = {
    "requirements": (np.uint8, ANY_SHAPE), "costs": (np.float64, ANY_SHAPE),
}  # fmt: skip


@dataclass(frozen=True)
class SavedSlots:
    """The label of each number (None for unused ones), and the unused numbers in the order in which they were freed."""

    label: list[str | None]
    free: list[int]


@dataclass(frozen=True)
class SnapshotContent:
    """The parts of a snapshot.

    Attributes
    ----------
    maintainer, parameters
        The maintainer's name, and its parameters with the seed.
    nodes, topics, rows
        Labels, and the subscriptions as bits: a row for each node.
    neighbours, backups
        Pairs of nodes; a link is listed in both directions.
    extra
        Further state of the maintainer.
    notes
        The notes saved with it.
    roles
        For each publisher what it publishes, and which of that it does not subscribe to.
    trees, objective
        The links of the trees that are followed, as numbers of a topic and two nodes; None if trees are not followed.
        The objective for which the trees were built, such as ``depth``.
    """

    maintainer: str
    parameters: dict[str, Any]
    nodes: SavedSlots
    topics: SavedSlots
    rows: NDArray[np.uint64]
    neighbours: Pairs
    backups: Pairs
    extra: dict[str, NDArray[Any]]
    notes: dict[str, Any]
    roles: dict[str, list[list[str]]]
    trees: NDArray[np.int32] | None
    objective: str


def read_content(content: bytes) -> SnapshotContent:
    """Read the content of a snapshot; raises one of :data:`BAD_CONTENT` if anything is wrong with it."""
    arrays = _arrays(content)
    about = json.loads(arrays["about"].tobytes())
    nodes, topics = (_slots(about[name], about[f"free_{name}"], name) for name in ("nodes", "topics"))
    rows = _rows(arrays["rows"], nodes, topics)
    neighbours, backups = (_pairs(arrays, name, nodes) for name in ("neighbours", "backups"))
    if not np.array_equal(_sorted(*neighbours), _sorted(*reversed(neighbours))):
        raise ValueError("a link has one direction only")
    name, notes = about["maintainer"], about["notes"]
    _check(isinstance(notes, dict), "its notes are none")
    extra = {key.removeprefix(EXTRA): value for key, value in arrays.items() if key.startswith(EXTRA)}
    for key, value in extra.items():
        is_expected = EXPECTED.get(key, (np.uint64, (1,)))
        _check(value.dtype == is_expected[0], f"{key} is of another kind")
        _check(is_expected[1] in (value.shape, ANY_SHAPE), f"{key} is no number")
    parameters, roles = _parameters(name, about["parameters"]), about.get("roles", {})
    _check(isinstance(roles, dict), "its roles are none")
    trees, objective = _trees(arrays.get("trees"), nodes, topics), about.get("objective", "")
    _check(type(objective) is str, "no objective")
    return SnapshotContent(
        name, parameters, nodes, topics, rows, neighbours, backups, extra, notes, roles, trees, objective
    )


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)


def _arrays(content: bytes) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        _check(sum(entry.file_size for entry in packed.infolist()) <= len(content), "it says it is larger than it is")
    with np.load(io.BytesIO(content), allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def _parameters(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    entry = MAINTAINERS[name]
    values = fill(name, entry.parameters, {key: value for key, value in given.items() if key != "seed"})
    return {**dict(given), **values, "seed": check_seed(given["seed"])}


def _slots(labels: Any, free: Any, what: str) -> SavedSlots:
    used = [label for label in labels if label is not None]
    _check(isinstance(labels, list) and all(type(label) is str for label in used), f"a label of {what} is no text")
    _check(len(set(used)) == len(used), f"two {what} have one label")
    empty = [number for number, label in enumerate(labels) if label is None]
    _check(all(type(number) is int for number in free) and sorted(free) == empty, f"the free {what} are not those")
    return SavedSlots(labels, free)


def _rows(rows: NDArray[Any], nodes: SavedSlots, topics: SavedSlots) -> NDArray[np.uint64]:
    _check(rows.dtype == np.uint64 and rows.ndim == 2 and len(rows) == len(nodes.label), "its rows are not its nodes")
    _check(64 * rows.shape[1] >= len(topics.label) and rows.shape[1] > 0, "its rows lack topics")
    allowed = np.zeros(64 * rows.shape[1], dtype=np.uint8)
    allowed[: len(topics.label)] = [label is not None for label in topics.label]
    unknown = ~np.packbits(allowed, bitorder="little").view("<u8")
    _check(not np.any(rows & unknown), "somebody has a topic without a label")
    _check(not np.any(rows[nodes.free]), "a node without a label has a topic")
    return rows


def _pairs(arrays: Mapping[str, NDArray[Any]], name: str, nodes: SavedSlots) -> Pairs:
    length, other = arrays[f"{name}_length"], arrays[f"{name}_content"]
    for numbers in (length, other):
        _check(numbers.ndim == 1 and numbers.dtype == np.int32, f"its {name} are no numbers")
    _check(len(length) == len(nodes.label) and not np.any(length < 0), f"its {name} are not of its nodes")
    _check(int(length.sum(dtype=np.int64)) == len(other), f"its {name} are fewer or more than it says")
    present = np.array([label is not None for label in nodes.label], dtype=bool)
    _check(not np.any((other < 0) | (other >= len(present))) and bool(np.all(present[other])), f"unknown {name}")
    owner = np.repeat(np.arange(len(length), dtype=np.int32), length)
    _check(bool(np.all(present[owner])), f"a node without a label has {name}")
    in_order = _sorted(owner, other)
    twice = np.any(np.all(in_order[1:] == in_order[:-1], axis=1))
    _check(not np.any(owner == other) and not twice, f"a node has {name} that are itself, or the same twice")
    return owner, other


def _trees(rows: NDArray[Any] | None, nodes: SavedSlots, topics: SavedSlots) -> NDArray[np.int32] | None:
    """Read the links of trees; that they form trees is checked when they are used."""
    if rows is None:
        return None
    _check(rows.dtype == np.int32 and rows.ndim == 2 and rows.shape[1] == 3 and not np.any(rows < 0), "no trees")
    for column, slots in enumerate((topics, nodes, nodes)):
        present = np.array([label is not None for label in slots.label], dtype=bool)
        _check(bool(np.all(rows[:, column] < len(present)) and np.all(present[rows[:, column]])), "trees of others")
    return rows


def _sorted(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    order = np.lexsort((other, one))
    found: NDArray[np.int32] = np.stack((one[order], other[order]), axis=1)
    return found
