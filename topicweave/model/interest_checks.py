"""Checks the data from which an interest is built: pairs, CSR arrays, labels and roles."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError
from topicweave.model.labels import as_label, as_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SUBSCRIBES, PUBLISHES = 1, 2  # bits of a role


def sets_of(pairs: Iterable[tuple[Any, Any]]) -> dict[str, set[str]]:
    """The topics of each node, given (node, topic) pairs."""
    if not isinstance(pairs, Iterable):
        raise InputError(f"from_pairs needs (node, topic) pairs, but got a {type(pairs).__name__} ({pairs!r}).")
    sets: dict[str, set[str]] = {}
    for pair in pairs:
        try:
            # A string of two letters, two bytes or a set of two could be unpacked as a pair as well, but would mean
            # something else.
            node, topic = () if isinstance(pair, (str, bytes, AbstractSet)) else pair
        except (TypeError, ValueError):
            raise InputError(
                f"A subscription is a (node, topic) pair, but one entry is {pair!r}; give two values each."
            ) from None
        # Labels are compared as text, never by value: since 1 == 1.0 == True, the result would otherwise depend on
        # which came first.
        name = node if type(node) is str else as_label(node, "node")
        if name not in sets:
            sets[name] = set()
        sets[name].add(topic if type(topic) is str else as_label(topic, "topic"))
    return sets


def has_nan(matrix: Any) -> bool:
    return bool(np.isnan(matrix.data if hasattr(matrix, "nnz") else matrix).any())


def names_or_numbers(labels: Sequence[Any] | None, count: int, what: str) -> list[str]:
    if labels is None:
        width = len(str(max(count - 1, 0)))
        return [str(number).zfill(width) for number in range(count)]
    names = list(as_labels(labels, what))
    if len(names) != count:
        raise InputError(f"The matrix has {count} {what}s but {len(names)} labels were given; give one each.")
    return names


def check_csr(indptr: NDArray[np.int64], indices: NDArray[Any], num_nodes: int, num_topics: int) -> None:
    if len(indptr) != num_nodes + 1 or indptr[0] != 0 or indptr[-1] != len(indices) or np.any(np.diff(indptr) < 0):
        raise InputError(
            f"The row starts do not describe {num_nodes} nodes and {len(indices)} subscriptions; "
            f"give num_nodes + 1 numbers that begin with 0 and never decrease."
        )
    if len(indices) and indices.dtype.kind not in "iu":
        raise InputError(f"Topic numbers must be whole numbers, but {indices.dtype} was given.")
    if len(indices) and (indices.min() < 0 or indices.max() >= num_topics):
        raise InputError(
            f"Topic numbers must lie in 0..{num_topics - 1}, but {indices.min()}..{indices.max()} were given."
        )


def check_rows_rise(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> None:
    begins_row = np.zeros(len(indices) + 1, dtype=bool)
    begins_row[indptr] = True
    if np.any((np.diff(indices) <= 0) & ~begins_row[1 : len(indices)]):
        raise InputError(
            "The topics of each node must be distinct and in ascending order; use Interest.from_csr, which sorts them."
        )


def check_sorted(labels: Sequence[str], what: str) -> None:
    for before, after in pairwise(labels):
        if before == after:
            raise InputError(f"Two {what}s are called {after!r}; give each a label of its own.")
        if before > after:
            raise InputError(
                f"The {what} labels must be sorted, but {after!r} follows {before!r}; "
                f"use from_pairs, from_sets or from_matrix, which sort."
            )


def checked_roles(roles: NDArray[np.uint8] | None, indices: NDArray[np.int32]) -> NDArray[np.uint8] | None:
    """Check the roles and return them; None if every node only subscribes."""
    if roles is None or bool(np.all(roles == SUBSCRIBES)):
        return None
    if len(roles) != len(indices) or roles.dtype != np.uint8 or roles.min() < 1 or roles.max() > SUBSCRIBES | PUBLISHES:
        raise InputError(
            f"The roles must be {len(indices)} numbers 1 (subscribes), 2 (publishes) or 3 (both) of type uint8, "
            f"but {len(roles)} of type {roles.dtype} were given."
        )
    return roles
