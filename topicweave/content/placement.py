"""Checks an assignment that the caller gives: the number of each user's broker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.instance import check_instance
from topicweave.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from topicweave.content.instance import Instance


def as_assignment(instance: Instance, broker: ArrayLike) -> NDArray[np.int64]:
    """The broker of each user as numbers; raises an error that says what is wrong with the argument."""
    check_instance(instance, "An assignment")
    try:
        chosen = np.asarray(broker)
    except ValueError:
        raise InputError(
            "An assignment has one broker for each user, but for some several were given; give one number each."
        ) from None
    if chosen.shape != (instance.num_users,):
        raise InputError(
            f"An assignment has one broker for each of the {instance.num_users} users, but its shape is {chosen.shape}."
        )
    if chosen.dtype.kind not in "iu":
        raise InputError(f"An assignment consists of broker numbers, but it is of kind {chosen.dtype}; give integers.")
    bad = np.flatnonzero((chosen < 0) | (chosen >= instance.num_brokers))
    if len(bad):
        raise InputError(
            f"User {instance.users[bad[0]]!r} is assigned to broker number {chosen[bad[0]]}; "
            f"there are brokers 0..{instance.num_brokers - 1}."
        )
    chosen = np.ascontiguousarray(chosen, dtype=np.int64)
    if instance.reaches_all:
        return chosen
    far = np.flatnonzero(np.isinf(instance.access_price[np.arange(len(chosen)), chosen]))
    if len(far):
        raise InputError(
            f"User {instance.users[far[0]]!r} is assigned to broker {instance.brokers[chosen[far[0]]]!r}, which it "
            f"cannot reach; its access price is infinite."
        )
    return chosen
