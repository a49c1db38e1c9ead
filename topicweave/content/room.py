"""What all methods say when a user fits nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicweave.errors import InfeasibleError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance


def no_room(instance: Instance, user: int, load: NDArray[np.float64]) -> InfeasibleError:
    """The error that names the user, its need, and the room that is left."""
    left = instance.capacity - load
    roomiest = int(left.argmax())
    return InfeasibleError(
        f"No broker has room for user {instance.users[user]!r}, who needs {instance.need[user]:g}: "
        f"the most room is {max(left[roomiest], 0.0):g}, at broker {instance.brokers[roomiest]!r}; "
        f"add capacity, or try another method or seed."
    )
