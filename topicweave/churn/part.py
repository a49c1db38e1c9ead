"""Part: the members of some topics and the links among them, as a separate interest and overlay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicweave.churn.overlay_state import subscriptions
from topicweave.kernels.churn.small_problem import set_bits
from topicweave.model import Interest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.churn.overlay_state import OverlayState


@dataclass(frozen=True)
class Part:
    """The members of some topics.

    Attributes
    ----------
    interest
        Their subscriptions to these topics only.
    slots
        Their slots in the state, in the order of the interest's nodes.
    links
        The links among them that carry one of these topics, as pairs of node numbers of the interest, sorted; int64
        (m, 2).
    outside
        For each, how many other links it has.
    """

    interest: Interest
    slots: NDArray[np.int32]
    links: NDArray[np.int64]
    outside: NDArray[np.int64]


def part_of(state: OverlayState, topics: NDArray[np.int32]) -> Part:
    """The members of these topics, given by their slots."""
    wanted = np.zeros(state.rows.shape[1], dtype=np.uint64)
    set_bits(wanted, topics)
    found = np.flatnonzero((state.rows & wanted).any(axis=1))
    labels = [state.nodes.name(v) for v in found.tolist()]
    order = sorted(range(len(labels)), key=labels.__getitem__)
    slots = found[order].astype(np.int32)
    names = sorted((state.topics.name(t), t) for t in topics.tolist() if state.subscribers.length[t])
    number = np.full(64 * state.rows.shape[1], -1, dtype=np.int64)
    number[[t for _, t in names]] = np.arange(len(names))
    owner, topic = subscriptions(state.rows[slots] & wanted)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(slots)))))
    interest = Interest.from_csr(
        tuple(labels[place] for place in order), tuple(name for name, _ in names), indptr, number[topic]
    )
    return Part(interest, slots, *_links_among(state, slots, wanted))


def _links_among(
    state: OverlayState, slots: NDArray[np.int32], wanted: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    near = state.neighbours
    place = np.full(len(state.rows), -1, dtype=np.int64)
    place[slots] = np.arange(len(slots))
    count = near.length[slots].astype(np.int64)
    owner = np.repeat(np.arange(len(slots)), count)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    other = place[near.pool[np.repeat(near.start[slots], count) + within]]
    inside = np.flatnonzero(other >= 0)
    rows = state.rows[slots]
    inside = inside[(rows[owner[inside]] & rows[other[inside]] & wanted).any(axis=1)]
    outside = count - np.bincount(owner[inside], minlength=len(slots))
    pairs = np.stack((owner, other), axis=1)[inside]
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))], outside
