"""What an event changes: which nodes lose topics, and which gain some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from topicweave.churn.overlay_state import OverlayState


@dataclass(frozen=True)
class Loss:
    """A node that loses topics; it loses all of them when it leaves."""

    node: int
    topics: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    leaves: bool


@dataclass(frozen=True)
class Gain:
    """A node that gains topics; it may be a new node."""

    node: int
    topics: NDArray[np.int32]


def losses_and_gains(state: OverlayState, after: Mapping[str, frozenset[str] | None]) -> tuple[list[Loss], list[Gain]]:
    """What each node loses and gains, given the topics it will have after the event (None if it leaves).

    New nodes are given their slots (internal numbers) here.
    """
    losses, gains = [], []
    for label, wanted in after.items():
        v = state.nodes.number.get(label)
        if v is None:
            if wanted is not None:
                gains.append(Gain(state.add_node(label), state.topic_slots(wanted)))
            continue
        near = state.content("neighbours", v)
        if wanted is None:
            losses.append(Loss(v, state.topics_of(v), near, leaves=True))
            continue
        had = state.topic_labels(v)
        if had - wanted:
            losses.append(Loss(v, state.topic_slots(had - wanted), near, leaves=False))
        if wanted - had:
            gains.append(Gain(v, state.topic_slots(wanted - had)))
    return losses, gains


def union(arrays: Iterable[NDArray[np.int32]]) -> NDArray[np.int32]:
    """The union of several ascending arrays, in ascending order."""
    several = list(arrays)
    return several[0] if len(several) == 1 else np.unique(np.concatenate(several))


def without(members: NDArray[np.int32], some: list[int]) -> NDArray[np.int32]:
    """The members of a topic, except for the given nodes."""
    if len(some) == 1:  # by far the most frequent case; np.isin would be slow
        kept: NDArray[np.int32] = members[members != some[0]]
        return kept
    return members[~np.isin(members, some)]
