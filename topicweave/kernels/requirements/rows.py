"""The greedy loop over rows: always takes the pair with the largest gain per weight; a row contains all partners of one
node.

No table of pairs is needed. The best pair of each node is kept in a heap; the gains of a row are worked out again when
the row comes to the top. If gains only ever fall, as those of merging components do, the pair taken is the best of all.
Gains for the hop limit and for surviving failures also rise; for them all rows are renewed every few links.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.jit import njit
from topicweave.kernels.requirements.links import add_link
from topicweave.kernels.requirements.permission import is_permitted, is_preferred, load_of, rank_of, weight_of
from topicweave.kernels.requirements.potential import (
    BLOCKS,
    MERGING,
    collect_gains,
    gain_of_pair,
    refresh_topic,
)

UNLIMITED = np.inf
# As blocks merge, nearly every pair loses a little with every link. A row keeps its best pair until that has lost so
# much of its score, although another may be a little better by then.
LEAST_LEFT = 0.7


class Rows(NamedTuple):
    """The best pair of each node, a heap of nodes, and scratch arrays.

    Attributes
    ----------
    score, preferred, load, rank, partner
        float64, int64, int64, uint64, int32 (nodes): the best pair of each node and what it is compared by; a score of
        0 if there is none.
    renewed
        int64 (nodes): how many links there were when the row was worked out last.
    heap
        int32 (nodes).
    gain, touched, steps, came_by, height
        Working arrays: int64 and int32 (nodes), and int32 three times (members of the largest topic); ``height`` is -1
        everywhere between two calls.
    delta
        int64 (1): the maximum degree that links may reach without a penalty.
    """

    score: np.ndarray
    preferred: np.ndarray
    load: np.ndarray
    rank: np.ndarray
    partner: np.ndarray
    renewed: np.ndarray
    heap: np.ndarray
    gain: np.ndarray
    touched: np.ndarray
    steps: np.ndarray
    came_by: np.ndarray
    height: np.ndarray
    delta: np.ndarray


def rows_for(num_nodes: int, largest: int, delta: int) -> Rows:
    """Empty rows, for topics of at most ``largest`` members."""
    return Rows(
        np.zeros(num_nodes),
        np.zeros(num_nodes, dtype=np.int64),
        np.zeros(num_nodes, dtype=np.int64),
        np.zeros(num_nodes, dtype=np.uint64),
        np.full(num_nodes, -1, dtype=np.int32),
        np.full(num_nodes, -1, dtype=np.int64),
        np.arange(num_nodes, dtype=np.int32),
        np.zeros(num_nodes, dtype=np.int64),
        np.empty(num_nodes, dtype=np.int32),
        np.empty(largest + 1, dtype=np.int32),
        np.empty(largest + 1, dtype=np.int32),
        np.full(largest + 1, -1, dtype=np.int32),
        np.array([delta], dtype=np.int64),
    )


@njit
def _renew(kind, penalty, members, links, permission, potential, rows, u):
    """Find the best partner of a node.

    A link that would raise the maximum degree counts for ``1 / penalty`` of its gain: as the rule of Low-ODA has it, it
    must bring more than ``penalty`` times as much.
    """
    best, best_v, degree = 0.0, -1, links.degree
    best_preferred, best_load, best_rank = np.int64(0), np.int64(0), np.uint64(0)
    count = collect_gains(kind, members, links, potential, rows, u)
    is_full = degree[u] >= permission.caps[u]
    raises = degree[u] >= rows.delta[0]
    for i in range(count):
        v = rows.touched[i]
        score = np.float64(rows.gain[v])
        rows.gain[v] = 0
        if is_full or degree[v] >= permission.caps[v]:
            continue
        score /= weight_of(permission, u, v)
        if raises or degree[v] >= rows.delta[0]:
            score /= penalty
        if score < best or score == 0:
            continue
        load = load_of(permission, degree, u, v)
        if score == best:
            preferred = is_preferred(permission, u, v)
            if preferred < best_preferred or (preferred == best_preferred and load > best_load):
                continue
            if preferred == best_preferred and load == best_load and rank_of(permission, u, v) > best_rank:
                continue
        if is_permitted(permission, u, v):
            best, best_v, best_load = score, v, load
            best_preferred, best_rank = is_preferred(permission, u, v), rank_of(permission, u, v)
    rows.score[u], rows.partner[u], rows.load[u] = best, best_v, best_load
    rows.preferred[u], rows.rank[u] = best_preferred, best_rank


@njit
def _score_now(kind, penalty, members, links, permission, potential, rows, u):
    """What the best pair of a node is worth now; -1 if one of its ends may take no more links.

    If it is worth what it was when its row was computed, it is still the best of the row, because no other pair can
    have become better; this check is much quicker than computing the row.
    """
    v, degree = rows.partner[u], links.degree
    if degree[u] >= permission.caps[u] or degree[v] >= permission.caps[v]:
        return -1.0
    score = np.float64(gain_of_pair(kind, members, links, potential, rows, u, v)) / weight_of(permission, u, v)
    if max(degree[u], degree[v]) >= rows.delta[0]:
        score /= penalty
    return score


@njit
def _comes_first(rows, u, v):
    """Whether the best pair of node u is better than that of node v."""
    if rows.score[u] != rows.score[v]:
        return rows.score[u] > rows.score[v]
    if rows.preferred[u] != rows.preferred[v]:
        return rows.preferred[u] > rows.preferred[v]
    if rows.load[u] != rows.load[v]:
        return rows.load[u] < rows.load[v]
    return rows.rank[u] < rows.rank[v]


@njit
def _sift_down(rows, at):
    heap = rows.heap
    u = heap[at]
    while True:
        child = 2 * at + 1
        if child >= len(heap):
            break
        if child + 1 < len(heap) and _comes_first(rows, heap[child + 1], heap[child]):
            child += 1
        if not _comes_first(rows, heap[child], u):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = u


@njit
def _renew_all(kind, penalty, members, links, permission, potential, rows, now):
    for u in range(len(rows.heap)):
        _renew(kind, penalty, members, links, permission, potential, rows, u)
        rows.renewed[u] = now
    for at in range(len(rows.heap) // 2 - 1, -1, -1):
        _sift_down(rows, at)


@njit
def _note_link(kind, members, links, potential, graph, u, v):
    """Update the state of the topics that two newly linked nodes share."""
    i, end_i = members.indptr[u], members.indptr[u + 1]
    j, end_j = members.indptr[v], members.indptr[v + 1]
    while i < end_i and j < end_j:
        t, other = members.topics[i], members.topics[j]
        if t == other and potential.is_unmet[t]:
            if kind == MERGING:
                one, two = potential.label[members.spot[i]], potential.label[members.spot[j]]
                if one != two:
                    for k in range(members.first[t], members.first[t + 1]):
                        if potential.label[k] == two:
                            potential.label[k] = one
                    potential.pieces[t] -= 1
                    potential.is_unmet[t] = potential.pieces[t] > 1
            else:
                refresh_topic(kind, members, links, potential, graph, t)
        i += t <= other
        j += other <= t


@njit
def add_best_links(kind, penalty, members, links, permission, potential, graph, rows, found, renew_after):
    """Add links, the best first, until no pair gains anything or ``found`` is full.

    Parameters
    ----------
    kind
        What a link is to bring: MERGING, BLOCKS or HOPS.
    penalty
        See ``_renew``: 1 as gm, k as low, and infinity as minmax, which raises the maximum degree only when no other
        link brings anything.
    found
        Output, int32 (m, 2).
    renew_after
        After how many links all rows are renewed, if gains may rise.

    Returns
    -------
    The number of links added.
    """
    count = renewed = 0
    heap, delta = rows.heap, rows.delta
    may_rise = kind != MERGING
    _renew_all(kind, penalty, members, links, permission, potential, rows, count)
    while count < len(found) and links.num_free[0] > 0:
        u = heap[0]
        if rows.score[u] <= 0 and may_rise and renewed < count:
            renewed = count
            _renew_all(kind, penalty, members, links, permission, potential, rows, count)
            continue
        if rows.score[u] <= 0:
            if penalty != UNLIMITED or delta[0] >= permission.caps.max():
                break
            delta[0] += 1
            _renew_all(kind, penalty, members, links, permission, potential, rows, count)
            continue
        v = rows.partner[u]
        if rows.renewed[u] != count:
            score = _score_now(kind, penalty, members, links, permission, potential, rows, u)
            load = load_of(permission, links.degree, u, v)
            if score != rows.score[u] or load != rows.load[u]:
                if kind == BLOCKS and score > LEAST_LEFT * rows.score[u]:
                    rows.score[u], rows.load[u] = score, load
                else:
                    _renew(kind, penalty, members, links, permission, potential, rows, u)
                    rows.renewed[u] = count
                _sift_down(rows, 0)
                continue
        add_link(links, u, v)
        found[count, 0], found[count, 1] = min(u, v), max(u, v)
        count += 1
        _note_link(kind, members, links, potential, graph, u, v)
        highest = max(links.degree[u], links.degree[v])
        if highest > delta[0]:
            delta[0] = highest
            if penalty > 1:
                renewed = count
                _renew_all(kind, penalty, members, links, permission, potential, rows, count)
        elif may_rise and count - renewed >= renew_after:
            renewed = count
            _renew_all(kind, penalty, members, links, permission, potential, rows, count)
    return count


@njit
def refresh_topics(kind, members, links, potential, graph):
    """Derive the state of all topics from their links; return how many do not meet the requirements."""
    unmet = 0
    for t in range(len(members.first) - 1):
        refresh_topic(kind, members, links, potential, graph, t)
        unmet += potential.is_unmet[t]
    return unmet
