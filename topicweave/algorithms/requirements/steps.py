"""The steps of a design under requirements.

1. Proofs that no overlay exists are looked for (``impossible``).
2. Required links come first. Then the algorithm's own rule connects every topic with permitted links, by contribution
   per weight where links have costs.
3. Links are added until the hop limit is met, then until failures are survived.
4. Reverse deletion removes every link without which all that is still met.
5. Links that have costs or let topics survive failures are exchanged for better ones, except preferred ones, and
   reverse deletion comes again.
6. If nodes have reached their caps before everything was met, deletion and addition are repeated, then the whole with
   other ties. Where few pairs are permitted, all overlays are tried at last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from topicweave.algorithms.greedy.loop import shuffle_key
from topicweave.algorithms.requirements.few_nodes import has_few_pairs, try_all
from topicweave.algorithms.requirements.impossible import check_possible
from topicweave.algorithms.requirements.improvement import improve_links
from topicweave.algorithms.requirements.network import Network
from topicweave.errors import ImpossibleError
from topicweave.kernels.requirements.potential import BLOCKS, HOPS, MERGING

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from topicweave.model import Interest, Resolved

# links added for hop limits and failures avoid the busiest nodes even if the algorithm itself would not
LEAST_PENALTY = 1.5
ROUNDS = 3  # how many rounds of deletion and addition to try when degree limits stand in the way
ATTEMPTS = 4  # how many tie-breaking orders to try when degree limits stand in the way


@dataclass(frozen=True)
class Ties:
    """How to break ties: the rule, the links to prefer, and the seed."""

    rule: str
    prefer: NDArray[np.int64] | None
    seed: int


def design_links(
    interest: Interest,
    resolved: Resolved,
    penalty: float,
    ties: Ties,
    *,
    connect: Callable[[], NDArray[np.int64]] | None = None,
    tell: Callable[[str, int], None],
) -> tuple[NDArray[np.int64], bool]:
    """Design the links of an overlay under requirements; return them in the order added, and whether everything is met.

    Parameters
    ----------
    penalty
        How many times as much a link must bring if it raises the maximum degree: 1 for gm, k for low, infinity for
        minmax.
    connect
        A function that returns the first links of step 2; None to begin without.
    tell
        Called with the name of the step and the number of links it has added.
    """
    check_possible(interest, resolved)
    best, fewest = np.empty((0, 2), dtype=np.int64), interest.num_topics + 1
    for attempt in range(ATTEMPTS):
        rule = ties if attempt == 0 else Ties("random", ties.prefer, ties.seed + attempt)
        links, unmet = _attempt(interest, resolved, penalty, rule, connect if attempt == 0 else None, tell)
        if unmet < fewest:
            best, fewest = links, unmet
        if fewest == 0 or bool((resolved.caps >= interest.num_nodes - 1).all()):
            break
    if fewest and has_few_pairs(interest, resolved):
        tell("trying all overlays", 0)
        exact = try_all(interest, resolved)
        if exact is None:
            raise ImpossibleError(
                "No overlay of these {count} nodes meets the requirements: all combinations of permitted links were "
                "tried; relax one of the requirements.",
                count=interest.num_nodes, nodes=tuple(interest.nodes), topics=tuple(interest.topics),
            )  # fmt: skip
        return exact, True
    return best, fewest == 0


def _attempt(
    interest: Interest,
    resolved: Resolved,
    penalty: float,
    ties: Ties,
    connect: Callable[[], NDArray[np.int64]] | None,
    tell: Callable[[str, int], None],
) -> tuple[NDArray[np.int64], int]:
    """Do steps 2 to 5 once; return the links, and how many topics do not meet the requirements."""
    step = ["linking"]
    network = Network(
        interest, resolved, ties=ties.rule, prefer=ties.prefer, key=shuffle_key(ties.seed),
        tell=lambda count: tell(step[0], count),
    )  # fmt: skip
    network.add(resolved.required)
    parts = [resolved.required]
    if connect is not None:
        parts.append(connect())
        network.add(parts[-1])
    for number in range(ROUNDS):
        parts.append(network.extend(MERGING, penalty))
        if resolved.max_hops:
            step[0] = "shortening paths"
            network.choose_centres()
            parts.append(network.extend(HOPS, max(penalty, LEAST_PENALTY)))
        if resolved.connectivity > 1:
            step[0] = "surviving failures"
            parts.append(network.extend(BLOCKS, max(penalty, LEAST_PENALTY)))
        step[0] = "deleting"
        tell(step[0], 0)
        made = np.concatenate(parts[1:])
        if resolved.max_hops or resolved.connectivity > 1 or resolved.has_costs or number > 0:
            made = made[~_deleted(network, resolved, made)]
        parts = [resolved.required, made]
        unmet = int(np.count_nonzero(~network.met()))
        if not unmet:
            break
    # whether a topic survives two failures takes too long to find out for every pair that is tried
    if not unmet and resolved.connectivity < 3 and (resolved.connectivity == 2 or resolved.has_costs):
        is_kept = _is_among(parts[1], ties.prefer, interest.num_nodes)
        rest = parts[1][~is_kept]
        exchanged = improve_links(network, resolved, rest, ties.seed, tell)
        if exchanged is not rest:
            made = np.concatenate((parts[1][is_kept], exchanged))
            parts[1] = made[~_deleted(network, resolved, made)]
    return np.concatenate(parts), unmet


def _is_among(links: NDArray[np.int64], some: NDArray[np.int64] | None, num_nodes: int) -> NDArray[np.bool_]:
    """Which of the links are also among others, in either direction."""
    if some is None:
        return np.zeros(len(links), dtype=bool)
    codes = [one.min(axis=1) * num_nodes + one.max(axis=1) for one in (links, some)]
    return np.isin(codes[0], codes[1])


def _deleted(network: Network, resolved: Resolved, links: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Delete links that are not needed, the heaviest first, and among equally heavy ones those between busier nodes;
    return which links were deleted.
    """
    load = network.degree[links].sum(axis=1)
    order = np.lexsort((np.arange(len(links)), -load, -resolved.weights(links)))
    gone = np.zeros(len(links), dtype=bool)
    gone[order] = network.delete(links[order])
    return gone
