"""cd_max: gives every topic a diameter of at most 2 while avoiding nodes with very many links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.algorithms.greedy.loop import shuffle_key
from topicweave.algorithms.registry import Outcome
from topicweave.algorithms.requirements.network import Network, members_of
from topicweave.kernels.components import edge_contributions
from topicweave.kernels.requirements.flat_stars import list_links, place_stars
from topicweave.kernels.requirements.links import no_links
from topicweave.model import Requirements

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest

PASSES = 20
MOST_TRIES = 100  # how many orders of the topics are tried at each limit, if there are few subscriptions
TRIED_SUBSCRIPTIONS = 100_000  # how many subscriptions are looked at in all these tries
JITTER = 0.15  # by how much the sizes of topics are changed at random for another order, as a standard deviation


def cd_max(interest: Interest, *, delta: int | None = None, seed: int = 0) -> Outcome:
    """Give every topic a star whose centre is chosen so that the maximum degree stays low; then let topics share links,
    and delete links.

    The centres of all topics, the largest first, are chosen under a limit for the links of every node, and moved as
    long as that saves links; slightly different orders are tried, too. Then every link is deleted without which all
    topics still have diameter at most 2. Without ``delta`` the limit is the lowest for which this finds a centre for
    every topic. The topic diameter is guaranteed, the maximum
    degree is the result of a heuristic.

    References
    ----------
    After the aim of CD-MAX (PeerJ Computer Science 2021), of which only the abstract was at hand.
    """
    largest = int(interest.topic_sizes.max(initial=1))
    low, high = max(1, largest - 1), max(1, interest.num_nodes - 1)
    notes: tuple[str, ...] = ()
    best = None if delta is None else _stars(interest, delta, seed)
    if best is None:
        while low < high:
            middle = (low + high) // 2
            if _stars(interest, middle, seed, any_will_do=True) is None:
                low = middle + 1
            else:
                high = middle
        best = _stars(interest, high, seed)
        if delta is not None:
            notes = (f"No stars were found with at most delta={delta} links at each node; the limit became {high}.",)
    assert best is not None, "with a limit of all other nodes every star fits"
    links = _without_needless(interest, best, seed)
    gains = edge_contributions(interest.indptr, interest.indices, interest.num_topics, links)
    return Outcome(links, gains, notes=notes)


def _stars(interest: Interest, limit: int, seed: int, *, any_will_do: bool = False) -> NDArray[np.int64] | None:
    """The links of one star per topic, with at most ``limit`` links at each node: the try with the fewest
    links, or if any will do, the first try that succeeds; None if no such stars are found.
    """
    best: NDArray[np.int64] | None = None
    sizes, rng = interest.topic_sizes, np.random.default_rng(seed)
    num_tries = max(1, min(MOST_TRIES, TRIED_SUBSCRIPTIONS // max(interest.num_subscriptions, 1)))
    for number in range(num_tries):
        jitter = rng.normal(1, JITTER, len(sizes)) if number else np.ones(len(sizes))
        order = np.argsort(-sizes * jitter, kind="stable")
        for is_flat in (False, True):
            links = _placed(interest, limit, order[sizes[order] >= 2], is_flat=is_flat)
            if links is not None and (best is None or len(links) < len(best)):
                best = links
            if best is not None and any_will_do:
                return best
    return best


def _placed(interest: Interest, limit: int, order: NDArray[np.int64], *, is_flat: bool) -> NDArray[np.int64] | None:
    """The links of stars whose centres are chosen in this order of topics; None if a topic gets no centre.

    The first centres are the members that need the fewest new links; if ``is_flat``, the members with the fewest links.
    """
    links = no_links(interest.num_nodes, interest.num_subscriptions + 1)
    centre = np.full(interest.num_topics, -1, dtype=np.int32)
    if not place_stars(members_of(interest), links, centre, order, limit, PASSES, is_flat):
        return None
    pairs: NDArray[np.int64] = list_links(links)
    return pairs


def _without_needless(interest: Interest, links: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Delete links as long as all topics still have diameter at most 2, links between busy nodes first."""
    network = Network(
        interest, Requirements(max_hops=2).resolve(interest), ties="balanced", prefer=None, key=shuffle_key(seed),
        tell=lambda count: None,
    )  # fmt: skip
    network.add(links)
    network.choose_centres()
    order = np.lexsort((np.arange(len(links)), -network.degree[links].sum(axis=1), -network.degree[links].max(axis=1)))
    gone = np.zeros(len(links), dtype=bool)
    gone[order] = network.delete(links[order])
    return links[~gone]
