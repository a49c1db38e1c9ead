"""Chooses backups of a node: other nodes that together have all its topics, each topic several times (SHADOW Alg. 11
and 12).
"""

from collections import namedtuple

import numpy as np

from topicweave.kernels.churn.adjacency import SMALLEST, put, take
from topicweave.kernels.intrinsics import ONE, popcount
from topicweave.kernels.jit import njit
from topicweave.kernels.rng import random_below

PRIMAL_DUAL, GREEDY = 0, 1
# a node that may be chosen has a weight below CANDIDATE; the weight NEVER excludes a node
CANDIDATE, NEVER = 1 << 29, 1 << 30

Choice = namedtuple(  # noqa: PYI024
    "Choice",
    [
        "weight",  # weight of each node in the current choice [int32 (nodes)]
        # every choice of backups for some node has a number; this is the latest in which the node was taken [int64
        # (nodes)]
        "taken",
        "chosen",  # int32 (nodes)
        "order",  # int32 (topics)
        "count",  # int32 (topics)
        "rest",  # topics not covered yet, as bits [uint64 (words)]
        "clock",  # number of the current choice: how many choices have been made so far [int64 (1)]
    ],
)


def new_choice(num_nodes, num_topics, num_words):
    """Allocate the scratch arrays for choosing backups."""
    return Choice(
        np.zeros(num_nodes, np.int32),
        np.zeros(num_nodes, np.int64),
        np.zeros(num_nodes, np.int32),
        np.zeros(num_topics, np.int32),
        np.zeros(num_topics, np.int32),
        np.zeros(num_words, np.uint64),
        np.zeros(1, np.int64),
    )


@njit
def list_topics(row, order):
    """Write to ``order`` the topics whose bits are set in ``row``, ascending; return how many there are."""
    count = 0
    for w in range(len(row)):
        word = row[w]
        while word:
            bit = word & (~word + ONE)
            word ^= bit
            order[count] = w * 64 + popcount(bit - ONE)
            count += 1
    return count


@njit
def shuffle(order, count, state):
    """Shuffle the first ``count`` entries of ``order``."""
    for i in range(count - 1, 0, -1):
        j = random_below(state, i + 1)
        order[i], order[j] = order[j], order[i]


@njit
def _cover_by_primal_dual(v, rows, subscribers, neighbours, primaries, choice, state, build, count):
    """Choose backups that together have all topics of v: for each topic that none of them has yet, in random order, the
    subscriber with the lowest weight.

    The weight of the chosen node is then subtracted from those of the other subscribers of the topic. Once backups are
    spread evenly over the nodes, weights are nearly equal, so ties are frequent; they go to the node with most topics
    of v, then to the lower number. Returns how many backups of v are chosen now; ``count`` is how many were chosen
    before.
    """
    weight, taken, chosen, order, _, rest, _ = choice
    num_topics = list_topics(rows[v], order)
    shuffle(order, num_topics, state)
    rest[:] = rows[v]
    for u in range(len(weight)):
        weight[u] = neighbours.length[u] + primaries.length[u]
        if taken[u] == build:
            weight[u] = NEVER
    weight[v] = NEVER
    for i in range(num_topics):
        t = order[i]
        if not rest[t >> 6] & (ONE << np.uint64(t & 63)):
            continue
        candidates = subscribers.pool[subscribers.start[t] : subscribers.start[t] + subscribers.length[t]]
        best = np.int32(-1)
        least = np.int32(CANDIDATE)
        most = 0
        for u in candidates:
            if weight[u] > least:
                continue
            common = 0
            for w in range(len(rest)):
                common += popcount(rows[v, w] & rows[u, w])
            if weight[u] < least or common > most or (common == most and u < best):
                best, least, most = u, weight[u], common
        if best < 0:
            continue
        taken[best] = build
        chosen[count] = best
        count += 1
        for w in range(len(rest)):
            rest[w] &= ~rows[best, w]
        if least > 0:
            for u in candidates:
                weight[u] -= least
        weight[best] = NEVER
    return count


@njit
def _cover_greedily(v, rows, num_nodes, neighbours, primaries, choice, build, count):
    """Choose backups that together have all topics of v: always the node with the lowest weight per topic that it adds;
    ties go to the lower number. Arguments and result are those of :func:`_cover_by_primal_dual`.
    """
    rest = choice.rest
    rest[:] = rows[v]
    while True:
        best, best_weight, best_covers = -1, 0, 0
        for u in range(num_nodes):
            if choice.taken[u] == build or u == v:
                continue
            covers = 0
            for w in range(len(rest)):
                covers += popcount(rest[w] & rows[u, w])
            if covers == 0:
                continue
            weight = np.int64(neighbours.length[u] + primaries.length[u])
            if best < 0 or weight * best_covers < best_weight * covers:
                best, best_weight, best_covers = u, weight, covers
        if best < 0:
            return count
        choice.taken[best] = build
        choice.chosen[count] = best
        count += 1
        for w in range(len(rest)):
            rest[w] &= ~rows[best, w]


@njit
def forget_backups(v, backups, primaries):
    """Empty the set of backups of v, and remove v from the primaries of the nodes that were in it."""
    first = backups.start[v]
    for i in range(first, first + backups.length[v]):
        take(primaries, backups.pool[i], v)
    backups.length[v] = 0


@njit
def _has_room(v, count, chosen, backups, primaries):
    if backups.used[0] + max(SMALLEST, 4 * count) > len(backups.pool):
        return False
    needed = 0
    for i in range(count):
        w = chosen[i]
        if primaries.length[w] == primaries.capacity[w]:
            needed += max(SMALLEST, 2 * primaries.length[w])
    return primaries.used[0] + needed <= len(primaries.pool)


@njit
def build_backups(
    nodes, begin, rows, num_nodes, subscribers, neighbours, backups, primaries, coverage, rule, choice, state
):
    """Choose new backups for these nodes, from ``nodes[begin]`` on; return the position of the first node for which a
    pool was full, or ``len(nodes)``.

    In the first case the caller enlarges ``backups`` and ``primaries`` and calls again from there; the random state is
    then as if there had been no interruption.
    """
    for i in range(begin, len(nodes)):
        v = nodes[i]
        forget_backups(v, backups, primaries)
        before = state[0]
        choice.clock[0] += 1
        build = choice.clock[0]
        count = 0
        for _ in range(coverage):
            if rule == PRIMAL_DUAL:
                count = _cover_by_primal_dual(v, rows, subscribers, neighbours, primaries, choice, state, build, count)
            else:
                count = _cover_greedily(v, rows, num_nodes, neighbours, primaries, choice, build, count)
        if not _has_room(v, count, choice.chosen, backups, primaries):
            state[0] = before
            return i
        for j in range(count):
            put(backups, v, choice.chosen[j])
            put(primaries, choice.chosen[j], v)
    return len(nodes)


@njit
def forget_backup(w, backups, primaries):
    """Remove w from the backups of all nodes that have it as a backup."""
    first = primaries.start[w]
    for i in range(first, first + primaries.length[w]):
        take(backups, primaries.pool[i], w)
    primaries.length[w] = 0


@njit
def lacks_backup(u, rows, subscribers, backups, coverage, topics, count):
    """Whether u needs new backups.

    It does if fewer than ``coverage`` of its backups have some topic of u although more nodes subscribe to that topic,
    or if one of its backups shares no topic with u.

    topics, count: int32 (topics), scratch.
    """
    num_topics = list_topics(rows[u], topics)
    for i in range(num_topics):
        count[topics[i]] = 0
    first = backups.start[u]
    for i in range(first, first + backups.length[u]):
        w = backups.pool[i]
        shares = False
        for word in range(rows.shape[1]):
            common = rows[u, word] & rows[w, word]
            while common:
                bit = common & (~common + ONE)
                common ^= bit
                count[word * 64 + popcount(bit - ONE)] += 1
                shares = True
        if not shares:
            return True
    for i in range(num_topics):
        if count[topics[i]] < min(coverage, subscribers.length[topics[i]] - 1):
            return True
    return False


@njit
def list_lacking(nodes, rows, subscribers, backups, coverage, choice):
    """List those of the nodes that need new backups, as :func:`lacks_backup` says."""
    found = np.empty(len(nodes), np.int32)
    count = 0
    for i in range(len(nodes)):
        if lacks_backup(nodes[i], rows, subscribers, backups, coverage, choice.order, choice.count):
            found[count] = nodes[i]
            count += 1
    return found[:count]
