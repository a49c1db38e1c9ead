"""After reverse deletion: exchange links by which topics get shorter or the overlay lighter, and drop needless ones.

Every pass visits all links in a random order. A replacement may at first be a little worse than what it replaces, later
only better (simulated annealing); that leads to fewer links than taking improvements alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.kernels.requirements.exchange import Aim, exchange_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from topicweave.algorithms.requirements.network import Network
    from topicweave.model import Resolved

# how many steps all passes together may take, see ``_steps``: with 1,000 nodes of ten topics there are about ten
# passes, with 10,000 none, because one would take longer than all that comes before
MOST_STEPS = 70_000_000
MOST_PASSES = 20
COOL_PASSES = 0.25  # the share of the passes, at the end, that take improvements only
# how much worse a replacement may be at first: in hops, summed over topics, and as a share of the mean weight
WARMEST = 0.3
WARMEST_WEIGHT = 0.1


def improve_links(
    network: Network, resolved: Resolved, links: NDArray[np.int64], seed: int, tell: Callable[[str, int], None]
) -> NDArray[np.int64]:
    """Exchange links of a network whose topics all meet the requirements; return the links in place of the given ones,
    or the given array itself if there are too many.

    Where links have costs, the sum of the weights falls; otherwise paths inside topics become shorter. The number of
    links never rises, nor does the maximum degree.
    """
    num_passes = min(MOST_PASSES, MOST_STEPS // max(_steps(network, resolved, links), 1))
    if num_passes == 0:
        return links
    work = exchange_for(network.interest.num_nodes, network.interest.num_topics, seed)
    order = np.random.default_rng(seed)
    limit = int(network.degree.max(initial=0))
    for number in range(num_passes):
        tell("exchanging", number)
        warmth = max(0.0, 1 - number / (num_passes * (1 - COOL_PASSES)))
        if resolved.has_costs:
            mean = float(resolved.weights(links).mean())
            aim = Aim(limit, 1.0, 0.0, warmth * WARMEST_WEIGHT * mean)
        else:
            aim = Aim(limit, 0.0, 1.0, warmth * WARMEST)
        links = network.exchange(order.permutation(links), work, aim)
    return links


def _steps(network: Network, resolved: Resolved, links: NDArray[np.int64]) -> int:
    """About how long one pass takes: for each topic of each link one step a member, and where lengths are measured one
    for each 64 pairs of members.
    """
    sizes = network.interest.topic_sizes.astype(np.int64)
    subscribed = network.interest.to_scipy().astype(np.int64)
    each = sizes if resolved.has_costs else sizes * (1 + sizes // 64)
    return int((subscribed[links[:, 0]].multiply(subscribed[links[:, 1]]) @ each).sum())
