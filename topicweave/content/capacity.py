"""Capacity: how much traffic each broker can carry, and the errors raised when it is not enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import InfeasibleError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from topicweave.content.instance import Instance

# By what share of its capacity a broker's load may exceed it, because sums of floating-point numbers are not exact.
SLACK = 1e-9


def as_capacity(given: ArrayLike, brokers: Sequence[str]) -> NDArray[np.float64]:
    """The capacity of each broker, from one number or a list."""
    try:
        capacity = np.array(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError("capacity must be a number, or one number for each broker.") from None
    if capacity.ndim == 0:
        capacity = np.full(len(brokers), capacity)
    if capacity.shape != (len(brokers),):
        raise InputError(f"capacity has shape {capacity.shape}, but there are {len(brokers)} brokers; give one each.")
    bad = np.flatnonzero(np.isnan(capacity) | (capacity < 0))
    if len(bad):
        raise InputError(f"The capacity of broker {brokers[bad[0]]!r} is {capacity[bad[0]]:g}; it must be at least 0.")
    return capacity


def check_demand(
    need: NDArray[np.float64], capacity: NDArray[np.float64], access: NDArray[np.float64], users: Sequence[str]
) -> None:
    """Raise an error if the brokers cannot carry all traffic, whichever way users are distributed."""
    demand, supply = float(need.sum()), float(capacity.sum())
    if demand > supply * (1 + SLACK):
        raise InfeasibleError(
            f"All brokers together can carry {supply:g}, but the users need {demand:g}: {demand - supply:g} too much; "
            f"add brokers or capacity."
        )
    most = np.where(np.isfinite(access), capacity, -np.inf).max(axis=1)
    largest = int((need - most).argmax())
    if need[largest] > most[largest] * (1 + SLACK):
        raise InfeasibleError(
            f"User {users[largest]!r} needs {need[largest]:g}, but the largest broker it can reach can carry "
            f"{most[largest]:g}: {need[largest] - most[largest]:g} too little; give it a larger broker."
        )


def equal_capacity(instance: Instance, spare: float) -> float:
    """Equal capacities that together are ``spare`` times the demand, and large enough for every single user."""
    return max(spare * float(instance.need.sum()) / instance.num_brokers, float(instance.need.max()))


def check_load(instance: Instance, broker: NDArray[np.int64]) -> None:
    """Raise an error if an initial assignment overloads a broker, because moving single users would not repair that."""
    load = np.bincount(broker, weights=instance.need, minlength=instance.num_brokers)
    over = np.flatnonzero(load > instance.limit)
    if len(over):
        j = over[0]
        raise InfeasibleError(
            f"The start gives broker {instance.brokers[j]!r} a load of {load[j]:g}, "
            f"{load[j] - instance.capacity[j]:g} above its capacity; start from an assignment within capacity."
        )


def no_room(instance: Instance, user: int, load: NDArray[np.float64]) -> InfeasibleError:
    """An error that names a user for whom no broker has room, its traffic, and the capacity that is left."""
    left = instance.capacity - load
    is_near = np.isfinite(instance.access_price[user])
    roomiest = int(np.where(is_near, left, -np.inf).argmax())
    which = "No broker" if is_near.all() else f"None of the {is_near.sum()} brokers that it can reach"
    return InfeasibleError(
        f"{which} has room for user {instance.users[user]!r}, who needs {instance.need[user]:g}: "
        f"the most room is {max(left[roomiest], 0.0):g}, at broker {instance.brokers[roomiest]!r}; "
        f"add capacity, or try another method or seed."
    )
