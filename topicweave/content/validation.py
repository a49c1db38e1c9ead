"""What an instance must fulfil: every refusal names the user, broker or channel it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError
from topicweave.model.labels import as_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

_TINY = 1e-9  # a detour must be cheaper by this share to count


def as_matrix(given: ArrayLike, name: str, axes: str, rows: tuple[int, str] | None = None) -> NDArray[np.float64]:
    """The values as an own matrix of floats."""
    try:
        matrix = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be a matrix of numbers ({axes}), but some of it is not a number.") from None
    if matrix.ndim != 2:
        raise InputError(f"{name} must be a matrix ({axes}), but an array of shape {matrix.shape} was given.")
    if rows is not None and matrix.shape[0] != rows[0]:
        raise InputError(
            f"{name} has {matrix.shape[0]} rows, but publish is for {rows[0]} {rows[1]}; give one row for each."
        )
    return matrix


def check_sizes(num_users: int, num_brokers: int, num_channels: int) -> None:
    """There must be something of everything."""
    for count, what in ((num_users, "user"), (num_brokers, "broker"), (num_channels, "channel")):
        if count == 0:
            raise InputError(f"The instance has no {what}; give at least one.")


def label_all(labels: Sequence[Any] | None, count: int, what: str) -> tuple[str, ...]:
    """The labels as strings, one each and all different; numbers where none were given."""
    if labels is None:
        width = len(str(max(count - 1, 0)))
        return tuple(str(number).zfill(width) for number in range(count))
    names = as_labels(labels, what)
    if len(names) != count:
        raise InputError(f"There are {count} {what}s but {len(names)} {what} labels; give one each.")
    if len(set(names)) != count:
        twice = next(name for position, name in enumerate(names) if name in names[:position])
        raise InputError(f"The {what} label {twice!r} is given twice; labels must differ.")
    return names


def check_values(
    matrix: NDArray[np.float64], name: str, rows: Sequence[str], columns: Sequence[str], kinds: tuple[str, str]
) -> None:
    """Raise unless all values are finite and at least 0."""
    bad = np.argwhere(~(np.isfinite(matrix) & (matrix >= 0)))
    if len(bad):
        row, column = bad[0]
        raise InputError(
            f"{name} of {kinds[0]} {rows[row]!r} and {kinds[1]} {columns[column]!r} is {matrix[row, column]:g}; "
            f"it must be a finite number of at least 0."
        )


def as_subscriptions(
    given: ArrayLike, shape: tuple[int, int], users: Sequence[str], channels: Sequence[str]
) -> NDArray[np.bool_]:
    """The subscriptions as an own boolean matrix; 0 and 1 are taken, anything else is not."""
    try:
        matrix = np.array(given, order="C")
    except ValueError:
        raise InputError("The rows of subscribe differ in length; give one value for each channel.") from None
    if matrix.shape != shape:
        raise InputError(f"subscribe has shape {matrix.shape}, but publish has {shape}; both are users × channels.")
    if matrix.dtype != bool:
        bad = np.argwhere(~((matrix == 0) | (matrix == 1)))
        if len(bad):
            i, c = bad[0]
            raise InputError(
                f"subscribe of user {users[i]!r} and channel {channels[c]!r} is {matrix[i, c]!r}; it must be 0 or 1."
            )
    return np.ascontiguousarray(matrix.astype(bool))


def as_core_price(given: ArrayLike, brokers: Sequence[str]) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Symmetric prices with the triangle inequality, and what had to be repaired to get there."""
    price = as_matrix(given, "core_price", "brokers × brokers")
    count = len(brokers)
    if price.shape != (count, count):
        raise InputError(
            f"core_price has shape {price.shape}, but access_price is for {count} brokers; give brokers × brokers."
        )
    bad = np.argwhere(np.isnan(price) | (price < 0))
    if len(bad):
        j, k = bad[0]
        raise InputError(
            f"core_price of brokers {brokers[j]!r} and {brokers[k]!r} is {price[j, k]:g}; it must be at least 0 "
            f"(infinite where there is no link)."
        )
    notes = []
    np.fill_diagonal(price, 0.0)
    uneven = int(np.count_nonzero(np.triu(~np.isclose(price, price.T, rtol=_TINY, atol=0))))
    if uneven:
        notes.append(f"{uneven:,} core prices differed by direction; the mean of both is used.")
    mean = (price + price.T) / 2
    price = np.where(np.isinf(mean), np.minimum(price, price.T), mean)
    shortest = metric_closure(price)
    detours = int(np.count_nonzero(np.triu(shortest < price * (1 - _TINY))))
    if detours:
        notes.append(f"{detours:,} core prices were above the price of a detour; the detour's price is used.")
    if np.isinf(shortest).any():
        j, k = np.argwhere(np.isinf(shortest))[0]
        raise InputError(f"Brokers {brokers[j]!r} and {brokers[k]!r} cannot reach each other at any price; link them.")
    return np.ascontiguousarray(shortest if detours else price), tuple(notes)


def metric_closure(price: NDArray[np.float64]) -> NDArray[np.float64]:
    """The price of the cheapest path between any two places; infinite where there is no link."""
    from scipy.sparse.csgraph import csgraph_from_dense, floyd_warshall

    # in a dense matrix SciPy takes 0 for "no link", but here it is a price like any other
    links = csgraph_from_dense(price, null_value=np.inf)
    return np.asarray(floyd_warshall(links, directed=True))
