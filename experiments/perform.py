"""One run: a pure function from its description to a small dictionary."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.description import Run, Workload


def perform(run: Run) -> dict[str, Any]:
    """Draw the workload, design, and measure; what is judged comes from the overlay and from the verifier.

    Everything in the answer but ``seconds`` depends on the description alone.
    """
    interest = draw(run.workload, run.seed)
    made = tw.design(interest, run.asked.algorithm, seed=run.seed, **run.asked.options)
    report = tw.verify(interest, made.overlay)
    return {
        "links": made.overlay.num_edges,
        "average_degree": made.overlay.average_degree,
        "maximum_degree": made.overlay.maximum_degree,
        "support": report.support,
        "topic_connected": report.topic_connected,
        "subscriptions": interest.num_subscriptions,
        "published_moves": published_moves(interest),
        "ring_links_by_topic": ring_links_by_topic(interest),
        "seconds": made.seconds,
    }


@lru_cache(maxsize=1)  # runs come sorted by workload, so the last one is often the next one
def draw(workload: Workload, seed: int) -> tw.Interest:
    """The interest that a workload and a seed stand for."""
    if workload.draws == "independent":
        return _independent(workload, seed)
    return tw.workloads.synthetic(
        workload.num_nodes,
        workload.num_topics,
        popularity=workload.popularity,
        alpha=0.0 if workload.alpha is None else workload.alpha,
        subscriptions=workload.subscriptions,
        seed=seed,
    )


def _independent(workload: Workload, seed: int) -> tw.Interest:
    """Each node takes each topic with probability min(1, s·q(t)), s being the node's size."""
    rng = np.random.default_rng(seed)
    popularity = tw.workloads.topic_probabilities(
        workload.num_topics, workload.popularity, alpha=0.0 if workload.alpha is None else workload.alpha
    )
    sizes = workload.subscriptions
    smallest, largest = (sizes, sizes) if isinstance(sizes, int) else sizes
    possible = np.arange(smallest, largest + 1, dtype=np.float64)
    mass = possible**-workload.size_exponent
    drawn = rng.choice(possible, size=workload.num_nodes, p=mass / mass.sum())
    taken = np.empty((workload.num_nodes, workload.num_topics), dtype=bool)
    for node, size in enumerate(drawn):  # row by row: floats for the whole matrix would be eight times its size
        taken[node] = rng.random(workload.num_topics) < size * popularity
    return tw.Interest.from_matrix(taken)


def published_moves(interest: tw.Interest) -> int:
    """How many moves GM's published data structures make for this interest: Σ_t (n_t − 1)(n_t − 2) / 2.

    Every pair of subscribers of a topic loses that topic once (GM Algorithm 3, lines 7-11), when the pieces it lies
    between are merged; of these, the n_t − 1 links that merge the pieces are taken, and all others are moved to another
    list. So the number does not depend on which links GM takes.
    """
    subscribers = _subscribers(interest)
    return int(((subscribers - 1) * (subscribers - 2) // 2).sum())


def ring_links_by_topic(interest: tw.Interest) -> int:
    """How many links the rings have if each topic keeps its own, a pair that two rings share being counted twice."""
    subscribers = _subscribers(interest)
    return int(np.where(subscribers > 2, subscribers, subscribers - 1).sum())


def _subscribers(interest: tw.Interest) -> NDArray[np.int64]:
    """Subscribers of each topic that has one."""
    counts = np.bincount(interest.indices, minlength=interest.num_topics).astype(np.int64)
    return counts[counts > 0]
