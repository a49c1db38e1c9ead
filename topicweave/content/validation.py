"""The requirements that an instance must meet; every error names the user, broker or channel concerned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InfeasibleError, InputError
from topicweave.model.labels import as_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

_TINY = 1e-9  # to count as cheaper than the link, a detour must save at least this share of the price


def as_matrix(given: ArrayLike, name: str, axes: str, rows: tuple[int, str] | None = None) -> NDArray[np.float64]:
    """A copy of the values as a matrix of floats."""
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
    """Raise an error unless there is at least one user, one broker and one channel."""
    for count, what in ((num_users, "user"), (num_brokers, "broker"), (num_channels, "channel")):
        if count == 0:
            raise InputError(f"The instance has no {what}; give at least one.")


def label_all(labels: Sequence[Any] | None, count: int, what: str) -> tuple[str, ...]:
    """Labels as strings, which must all be different; if none are given, numbers."""
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
    matrix: NDArray[np.float64],
    name: str,
    rows: Sequence[str],
    columns: Sequence[str],
    kinds: tuple[str, str],
    *,
    may_be_infinite: bool = False,
) -> None:
    """Raise an error unless all values are at least 0, and finite where infinity has no meaning."""
    good = (matrix >= 0) & (np.isfinite(matrix) | may_be_infinite)
    bad = np.argwhere(~good)
    if len(bad):
        row, column = bad[0]
        what = "at least 0 (infinite where there is no link)" if may_be_infinite else "a finite number of at least 0"
        raise InputError(
            f"{name} of {kinds[0]} {rows[row]!r} and {kinds[1]} {columns[column]!r} is {matrix[row, column]:g}; "
            f"it must be {what}."
        )


def check_reachable(access: NDArray[np.float64], users: Sequence[str]) -> None:
    """Raise an error if a user cannot reach any broker (CONTENT §V requires that each user knows at least one)."""
    alone = np.flatnonzero(np.isinf(access).all(axis=1))
    if len(alone):
        more = f" and {len(alone) - 1:,} more" if len(alone) > 1 else ""
        raise InfeasibleError(
            f"User {users[alone[0]]!r}{more} can reach no broker: every access price is infinite; give a finite one."
        )


def as_subscriptions(
    given: ArrayLike, shape: tuple[int, int], users: Sequence[str], channels: Sequence[str]
) -> NDArray[np.bool_]:
    """A copy of the subscriptions as a boolean matrix; only 0 and 1 are accepted."""
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
    """The prices of the links between brokers as a symmetric matrix, infinite where no link exists; and notes on
    them.
    """
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
    return np.ascontiguousarray(np.where(np.isinf(mean), np.minimum(price, price.T), mean)), tuple(notes)


def cheapest_paths(price: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """For any two brokers, the price of the cheapest path between them, and the last broker before its end.

    If the direct link is no more expensive than any detour, except for rounding, it is the path.
    """
    from scipy.sparse.csgraph import csgraph_from_dense, floyd_warshall

    links = csgraph_from_dense(price, null_value=np.inf)
    shortest, before = floyd_warshall(links, directed=True, return_predecessors=True)
    is_detour = shortest < price * (1 - _TINY)
    direct = np.broadcast_to(np.arange(len(price))[:, None], price.shape)
    return np.where(is_detour, shortest, price), np.where(is_detour, before, direct).astype(np.int64)


def describe_paths(
    price: NDArray[np.float64], shortest: NDArray[np.float64], brokers: Sequence[str]
) -> tuple[str, ...]:
    """Notes about pairs whose cheapest path is a detour; raises an error if two brokers are not connected at all."""
    if np.isinf(shortest).any():
        j, k = np.argwhere(np.isinf(shortest))[0]
        raise InputError(f"Brokers {brokers[j]!r} and {brokers[k]!r} cannot reach each other at any price; link them.")
    is_missing = np.isinf(price)
    missing = int(np.count_nonzero(np.triu(is_missing)))
    detours = int(np.count_nonzero(np.triu((shortest < price) & ~is_missing)))
    notes = []
    if missing:
        notes.append(f"{missing:,} pairs of brokers have no link; what they exchange is relayed by others.")
    if detours:
        notes.append(f"{detours:,} core prices were above the price of a detour; traffic takes the detour.")
    return tuple(notes)


def metric_closure(price: NDArray[np.float64]) -> NDArray[np.float64]:
    """The price of the cheapest path between any two places; infinite if there is none (the metric closure)."""
    from scipy.sparse.csgraph import csgraph_from_dense, floyd_warshall

    # SciPy reads 0 in a dense matrix as "no link", but here 0 is a valid price.
    links = csgraph_from_dense(price, null_value=np.inf)
    return np.asarray(floyd_warshall(links, directed=True))
