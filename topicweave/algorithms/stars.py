"""Overlays of constant diameter: every topic becomes a star (LOW §VI), so its subscribers are at most two links apart.

One loop with three scores. While topics remain, the node with the best score becomes a centre: it is linked to every
node that shares a remaining topic with it, and its topics are done. Scores count remaining topics only: ``n_u`` is the
number of nodes that share one with ``u``, ``w_u`` the sum of the subscriber counts of its topics; ``u`` itself counts
in both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest


def cd(interest: Interest, *, seed: int = 0) -> NDArray[np.int64]:
    """CD-ODA: the centre of each star is the node with the most neighbours ``n_u``, that is, nodes that share a topic
    with it.

    Every topic gets diameter at most 2; no bound on the number of links is known. A topic with one subscriber is done
    from the start; ties go to the lowest node number; the links of a centre come in the order of its neighbours'
    numbers.

    Parameters
    ----------
    interest
        The subscriptions.
    seed
        Not used: the result is not random.

    Returns
    -------
    Edges (m, 2), ``u < v``, in the order added.

    References
    ----------
    LOW §VI (there as reference [21]).
    """
    from topicweave.kernels.stars import MOST_NEIGHBOURS

    return _stars(interest, MOST_NEIGHBOURS)


def cd1(interest: Interest, *, seed: int = 0) -> NDArray[np.int64]:
    """CD-ODA-I: like :func:`cd`, but the centre is the node with the greatest weight ``w_u``, the sum of its topics'
    sizes.

    References
    ----------
    LOW §VI-A.
    """
    from topicweave.kernels.stars import MOST_WEIGHT

    return _stars(interest, MOST_WEIGHT)


def cd2(interest: Interest, *, seed: int = 0) -> NDArray[np.int64]:
    """CD-ODA-II: like :func:`cd`, but the centre is the node with the greatest ``w_u / n_u``, compared in exact
    arithmetic.

    References
    ----------
    LOW §VI-B.
    """
    from topicweave.kernels.stars import DENSEST

    return _stars(interest, DENSEST)


def _stars(interest: Interest, rule: int) -> NDArray[np.int64]:
    from topicweave.kernels.stars import star_edges

    topic_indptr, topic_nodes = interest.subscribers
    nodes = np.repeat(np.arange(interest.num_nodes), np.diff(interest.indptr))
    by_size = interest.indices[np.lexsort((-np.diff(topic_indptr)[interest.indices], nodes))]
    edges: NDArray[np.int64] = star_edges(rule, interest.indptr, interest.indices, by_size, topic_indptr, topic_nodes)
    return edges
