"""Steiner tree mixing (CONTENT §IV-B, Algorithm 3): computes a tree per publisher and channel, and combines them all
into one assignment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.assignment import MethodResult
from topicweave.content.capacity import no_room

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.content.instance import Instance

_PARTS = 4  # sums are always computed in this many parts, so that rounding does not depend on the number of threads


DRAWS = ("weighted", "heaviest")


def steiner_mixing(instance: Instance, *, draw: str = "weighted", seed: int) -> MethodResult:
    """Choose every user's broker according to the traffic that the Steiner trees put on the links to its possible
    brokers.

    Parameters
    ----------
    instance
        The problem.
    draw
        ``"weighted"``: drawn with that traffic as probabilities, as in the paper; ``"heaviest"``: the link with the
        most traffic.
    seed
        Seed of the draw; ``"heaviest"`` is not random.
    """
    return MethodResult(draw_mixing(instance, tree_weights(instance), draw, seed))


def tree_weights(instance: Instance) -> NDArray[np.float64]:
    """Phase 1: the total traffic that all trees put on each link between a user and a broker.

    Where the paper is silent: trees with the same starting brokers are one tree over all of the channel's subscribers;
    a publisher that is one of these gets nothing from the tree except its own link to the starting broker.
    """
    from topicweave.kernels.content.steiner import steiner_weights

    access = np.ascontiguousarray(instance.access_price.T)
    by_price = np.argsort(access, axis=1, kind="stable").astype(np.int32)
    weights: NDArray[np.float64] = steiner_weights(
        access, instance.path_price, by_price, instance.rate, instance.subscribe, min(_PARTS, instance.num_channels)
    )
    return weights


def draw_mixing(instance: Instance, weights: NDArray[np.float64], how: str, seed: int) -> NDArray[np.int64]:
    """Phase 2: choose a broker for each user by these weights, within capacity, heaviest users first; a user without
    weights goes to the cheapest broker.
    """
    from topicweave.kernels.content.clusters import draw, take_heaviest

    broker = np.empty(instance.num_users, dtype=np.int64)
    load = np.zeros(instance.num_brokers)
    fixed = (weights, instance.access_price, instance.need, instance.limit, instance.by_need)
    if how == "heaviest":
        failed = take_heaviest(*fixed, broker, load)
    else:
        failed = draw(*fixed, np.random.default_rng(seed).random(instance.num_users), broker, load)
    if failed >= 0:
        raise no_room(instance, failed, load)
    return broker
