"""SpiderCast (DEBS'07) and its degree-bounded form SpiderCastM (PART §IX-A): every node chooses its own neighbours.

The nodes choose one after another, in random order, each seeing all subscriptions. A link covers the common topics of
its two ends once, at both ends, whichever end made it. Greedy and random links are counted separately: each topic is to
be covered by ``k_greedy`` greedy links and by ``k_random`` random links.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import TooLargeError
from topicweave.parameters import check_fits
from topicweave.wording import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.algorithms.registry import ProgressCallback
    from topicweave.model import Interest

SECONDS_PER_LOOK = 1e-8  # measured on one core: 40,000 nodes that all share one topic took 15 s
LONGEST_RUN = 60.0
# three numbers per link; the list of links is copied to one of twice the size when it is full
BYTES_PER_LINK = 72


def spidercast(
    interest: Interest,
    *,
    k_greedy: int = 3,
    k_random: int = 1,
    progress: ProgressCallback | None = None,
    seed: int = 0,
) -> NDArray[np.int64]:
    """SpiderCast: each node first chooses greedily, then at random.

    *Greedy*: while a node has topics that fewer than ``k_greedy`` greedy links cover, it chooses the node that covers
    most of these topics; ties go to the node of lowest degree, then of lowest number. *Random*: for each topic, in
    number order, that fewer than ``k_random`` random links cover, it chooses random subscribers that are not yet
    neighbours, until enough links cover the topic or no subscriber is left. In the end every topic of a node is covered
    ``k_greedy + k_random`` times, or by all its subscribers.

    Nothing guarantees that the overlay is topic-connected, but with one random link for every topic it nearly always
    is.

    Parameters
    ----------
    interest
        The subscriptions.
    k_greedy, k_random
        How often greedy and random links are to cover each topic; 0 makes no links of that kind.
    progress
        Called now and then with the number of links and, as support, the share of nodes that have chosen.
    seed
        The same seed gives the same links.

    Returns
    -------
    Edges (m, 2), ``u < v``, in the order chosen.

    References
    ----------
    Chockler, Melamed, Tock, Vitenberg: SpiderCast, DEBS 2007; here every node knows all others, instead of a partial
    view.
    """
    # no limit in effect, because a node cannot have more neighbours than there are nodes
    return _spider(
        interest, k_greedy, k_random, max_degree=interest.num_nodes, goes_on=False, progress=progress, seed=seed
    )


def spidercast_max(
    interest: Interest,
    *,
    d: int,
    k_greedy: int = 3,
    k_random: int = 1,
    progress: ProgressCallback | None = None,
    seed: int = 0,
) -> NDArray[np.int64]:
    """SpiderCastM: like :func:`spidercast`, but no node ever has more than ``d`` links.

    A node that finds no more partners for its topics raises both targets by one and continues, until it has ``d`` links
    or no node with room and a common topic is left. ``d = 0`` gives the empty overlay.

    References
    ----------
    PART §IX-A.
    """
    return _spider(interest, k_greedy, k_random, max_degree=d, goes_on=True, progress=progress, seed=seed)


def check_work(interest: Interest) -> None:
    """Refuse inputs for which the work would take more than a minute.

    A node with a popular topic looks at every node, the others at the subscribers of their topics.

    Raises
    ------
    TooLargeError
        The work would take too long; the message estimates the time.
    """
    from topicweave.kernels.spider_network import NODES_PER_SUBSCRIBER

    sizes = interest.topic_sizes
    seen = np.where(sizes * NODES_PER_SUBSCRIBER >= interest.num_nodes, interest.num_nodes, sizes)[interest.indices]
    of_node = np.zeros(interest.num_nodes)
    has_topics = np.diff(interest.indptr) > 0
    of_node[has_topics] = np.add.reduceat(seen.astype(np.float64), interest.indptr[:-1][has_topics])
    looks = float(np.minimum(of_node, interest.num_nodes).sum())
    seconds = looks * SECONDS_PER_LOOK
    if seconds > LONGEST_RUN:
        raise TooLargeError(
            f"SpiderCast would look at {looks:.2g} pairs of the {interest.num_nodes:,} nodes one by one, for roughly "
            f"{counted(round(seconds / 60), 'minute')}; take fewer nodes, or 'ring', which takes seconds."
        )


def check_links(interest: Interest, num_covers: int, max_degree: int, goes_on: bool) -> None:
    """Refuse inputs whose links would not fit into memory. At most, a node makes ``num_covers`` links for each of its
    topics, up to its limit.
    """
    asked = np.diff(interest.indptr).astype(np.float64) * num_covers
    # a node whose topics are covered often enough goes on to cover them more often, up to its limit of links
    if goes_on:
        asked = np.where(asked > 0, np.inf, 0.0)
    most = np.minimum(asked, min(max_degree, interest.num_nodes - 1)).sum()
    num_bytes = int(most * BYTES_PER_LINK)
    check_fits(f"SpiderCast's up to {most:.3g} links", num_bytes, "ask for fewer links of a node, or take fewer nodes")


def _spider(
    interest: Interest,
    k_greedy: int,
    k_random: int,
    *,
    max_degree: int,
    goes_on: bool,
    progress: ProgressCallback | None,
    seed: int,
) -> NDArray[np.int64]:
    from topicweave.algorithms.greedy.loop import slices
    from topicweave.algorithms.registry import Progress
    from topicweave.kernels.spider_groups import new_groups
    from topicweave.kernels.spider_network import new_network
    from topicweave.kernels.spidercast import spider_links

    if max_degree == 0:
        return np.empty((0, 2), dtype=np.int64)
    check_links(interest, k_greedy + k_random, max_degree, goes_on)
    groups = new_groups(interest.indptr, interest.indices, interest.num_topics)
    if groups is None:
        check_work(interest)
    rng = np.random.default_rng(seed)
    order = rng.permutation(interest.num_nodes)
    generator = rng.integers(1, np.iinfo(np.uint64).max, size=1, dtype=np.uint64)
    network = new_network(interest.indptr, interest.indices, *interest.subscribers, max_degree)
    newest = np.full(interest.num_nodes, -1, dtype=np.int64)
    links, num_edges = np.empty((interest.num_nodes, 3), dtype=np.int64), 0

    def tell(share: float) -> None:
        if progress is not None:
            progress(Progress("choosing", num_edges, share))

    for part in slices(interest.num_nodes, tell):  # Ctrl-C is handled between two parts of the work
        links, num_edges = spider_links(
            network, groups, order[part], k_greedy, k_random, goes_on, generator, newest, links, num_edges
        )
    edges: NDArray[np.int64] = links[:num_edges, :2].copy()
    return edges
