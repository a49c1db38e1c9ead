"""gm2 and harary: overlays whose topics stay connected when nodes fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.algorithms.registry import Outcome
from topicweave.kernels.components import edge_contributions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest


def gm2(interest: Interest, *, seed: int = 0) -> Outcome:
    """Greedy Merge, then links that merge the most blocks over all topics, then reverse deletion.

    Every topic stays connected when any one node fails. Every link that is left is needed by some topic.

    References
    ----------
    After the aim of GM2 (kTCO, IEEE TDSC 2022), of which only the abstract was at hand.
    """
    from topicweave.algorithms.greedy.rules import gm
    from topicweave.algorithms.requirements.steps import Ties, design_links
    from topicweave.model import Requirements

    links, _ = design_links(
        interest,
        Requirements(connectivity=2).resolve(interest),
        1.0,
        Ties("balanced", None, seed),
        connect=lambda: gm(interest, seed=seed).edges,
        tell=lambda step, count: None,
    )
    return Outcome(links, edge_contributions(interest.indptr, interest.indices, interest.num_topics, links))


def harary(interest: Interest, *, connectivity: int = 2, seed: int = 0) -> NDArray[np.int64]:
    """One Harary graph per topic: as few links as any graph that stays connected when ``connectivity`` - 1 nodes fail.

    The subscribers of a topic stand in a circle in node order, and each is linked to the next ``connectivity`` / 2 on
    either side; if ``connectivity`` is odd, also to the one opposite. In a topic with at most ``connectivity``
    subscribers everybody is linked to everybody else.

    Parameters
    ----------
    interest
        The subscriptions.
    connectivity
        How many failures, less one, every topic survives.
    seed
        Not used: the result is not random.

    Returns
    -------
    Edges (m, 2), ``u < v``, in the order of their first topic.
    """
    starts, nodes = interest.subscribers
    parts = [np.empty((0, 2), dtype=np.int64)]
    for topic in np.flatnonzero(interest.topic_sizes >= 2).tolist():
        inside = nodes[starts[topic] : starts[topic + 1]].astype(np.int64)
        parts.append(inside[harary_graph(len(inside), connectivity)])
    links = np.concatenate(parts)
    codes = links.min(axis=1) * interest.num_nodes + links.max(axis=1)
    first = np.sort(np.unique(codes, return_index=True)[1])
    return np.column_stack(np.divmod(codes[first], interest.num_nodes)).astype(np.int64)


def harary_graph(size: int, connectivity: int) -> NDArray[np.int64]:
    """The links of a Harary graph over 0 … size - 1, shape (m, 2); a clique for at most ``connectivity`` nodes."""
    if size <= connectivity + 1:
        return np.column_stack(np.triu_indices(size, 1)).astype(np.int64)
    v = np.arange(size)
    steps = [np.column_stack((v, (v + step) % size)) for step in range(1, connectivity // 2 + 1)]
    if connectivity % 2:
        half = size // 2
        # with an odd number of nodes, two nodes are opposite node 0
        opposite = v[: half + size % 2] if connectivity > 1 else v[:-1]
        steps.append(np.column_stack((opposite, (opposite + half) % size if connectivity > 1 else opposite + 1)))
    links = np.sort(np.concatenate(steps), axis=1)
    return np.unique(links, axis=0).astype(np.int64)
