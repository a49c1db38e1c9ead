"""Levelling: keep degrees near those of a fresh design by improving the links of the few nodes around each event.

Repairs only add links, and every node may use a maximum degree once it has been reached, so that over thousands of
events the average and the maximum degree drift away from those of a new design. Levelling stops that. Repairs count the
maximum degree as at most the *cap*, a multiple of the average degree. After a repair, every node around the event is
offered the best links that it could have now, to any node below the cap; it takes them if they are fewer, or equally
many with more even degrees. If some node is above the cap all the same, some of its neighbours get such an offer as
well.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from topicweave.churn.link_changes import star
from topicweave.kernels.churn.pieces import VISITED
from topicweave.kernels.churn.star import best_star

if TYPE_CHECKING:
    from topicweave.churn.overlay_state import OverlayState
    from topicweave.churn.repair import Repair

NO_CAP = 1 << 30
LEAST_CAP = 3  # lowest possible degree limit: a path needs 2, and some node must be able to take one more link
WORTH = 4  # moving a single link pays off only if its new end has at least this many links fewer than the old one
MOST_ASKED = 4  # how many neighbours of the node with the most links may improve their links after each event


def cap_of(state: OverlayState, levelling: float) -> int:
    """The degree up to which nodes take new links: ``levelling`` times the average; ``levelling=0`` means no limit."""
    num_nodes = len(state.nodes.number)
    if not levelling or not num_nodes or math.isinf(levelling):
        return NO_CAP
    return max(LEAST_CAP, math.ceil(levelling * 2 * state.num_edges / num_nodes))


def level(repair: Repair) -> None:
    """Try to improve the links of the nodes around an event, and of some neighbours of the node with the most links."""
    state, cap = repair.state, repair.cap
    visited = state.search.count[VISITED]
    around = sorted(repair.surroundings)
    for v in around:
        offer_links(repair, v, cap)
    degree = state.neighbours.length
    busiest = int(np.argmax(degree))
    if degree[busiest] > cap:
        near = state.content("neighbours", busiest)
        # The choice of neighbours changes from event to event, but does not depend on chance: after loading a snapshot
        # it is the same.
        for w in np.roll(near, -sum(around))[:MOST_ASKED].tolist():
            offer_links(repair, w, cap)
    # restore the count of links looked at: it should only include the search for what the event broke
    state.search.count[VISITED] = visited


def offer_links(repair: Repair, v: int, cap: int) -> None:
    """Replace the links of one node by the best links that it could have now, if these are fewer or better spread."""
    state = repair.state
    degree = state.neighbours.length
    old = state.content("neighbours", v)
    new = best_star(v, state.rows, len(state.nodes.label), state.neighbours, state.subscribers, cap, state.search)
    if len(new) == 0:
        return
    dropped, made = np.setdiff1d(old, new), np.setdiff1d(new, old)
    # The new links are more even if they lower the sum of the squared degrees of the nodes at their other ends.
    is_more_even = (2 * degree[made] + 1 + WORTH).sum() < (2 * degree[dropped] - 1).sum()
    if len(new) < len(old) or is_more_even:
        repair.links.unlink(star(v, dropped))
        repair.links.link(star(v, made))
