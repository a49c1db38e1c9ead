"""Ruin and recreate: remove a few neighbouring links, then reconnect what fell apart, with fewer or different links."""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.intrinsics import lowest, without_lowest
from topicweave.kernels.jit import njit
from topicweave.kernels.optimise.network import is_linked, link, num_common, unlink
from topicweave.kernels.optimise.parts import MERGES, PARTS, TOUCHED, WORDS, count_merge, find_parts, part_of, root_of
from topicweave.kernels.rng import next_word, random_below

MOST_LOST = 12
MOST_ADDED = MOST_LOST + 4
INDEX_BITS = 24  # number of bits of a heap key that hold the candidate's number
CHANCE_BITS = 16
# Valuing common topics in every move saves slightly more links with 200 topics, but a third fewer with 1,000, so only
# one move in this many does so.
MOVES_PER_REWARD = 4
MOST_LISTED = 32  # about so many candidates of each node are listed: more take longer, but save no more links


class Move(NamedTuple):
    """The links removed and added by one move, its candidates, and scratch arrays.

    Attributes
    ----------
    lost, added
        int64 (.., 2).
    u, v, merges, extra
        int32: candidates, the merges that each would have made when last counted, and its extra value.
    heap
        int64: keys of the candidates, largest first.
    count, seen, having
        int32: merges that a link would make, by node; the nodes for which that is not 0; and by number of merges, how
        many nodes have it.
    ends, is_end
        The nodes of small parts.
    """

    lost: np.ndarray
    added: np.ndarray
    u: np.ndarray
    v: np.ndarray
    merges: np.ndarray
    extra: np.ndarray
    heap: np.ndarray
    count: np.ndarray
    seen: np.ndarray
    having: np.ndarray
    ends: np.ndarray
    is_end: np.ndarray


class Rules(NamedTuple):
    """The settings of the search.

    Attributes
    ----------
    least_lost, most_lost
        The number of links that a move removes.
    blink
        The chance that a candidate is skipped, in CHANCE_BITS.
    reward
        The value of a common topic, in 1/128 of a merge; in one of MOVES_PER_REWARD moves, otherwise 0.
    slack
        By how many links the network may exceed the best one found.
    kept
        int64, sorted codes of the links of the running network, or empty.
    bonus
        The extra value of a link of the running network, in sixteenths of a merge.
    most_changes
        The number of links that may differ from the running network.
    centres
        int64: the nodes from which moves start; if empty, moves start from any node.
    """

    least_lost: int
    most_lost: int
    blink: int
    reward: int
    slack: int
    kept: np.ndarray
    bonus: int
    most_changes: int
    centres: np.ndarray


@njit
def is_kept(kept, n, u, v):
    """Whether a link belongs to the overlay that is in use and should be kept where possible."""
    if len(kept) == 0:
        return False
    code = np.int64(min(u, v)) * n + max(u, v)
    at = np.searchsorted(kept, code)
    return at < len(kept) and kept[at] == code


@njit
def choose_lost(net, wanted, centres, lost, state):
    """Remove links around a random node (its own, then those of a neighbour, and so on); return how many were
    removed.
    """
    v = random_below(state, len(net.degree))
    if len(centres):
        v = centres[v % len(centres)]
    count = 0
    for _ in range(4 * wanted):
        if net.degree[v] == 0:
            break
        w = net.neighbours[net.start[v] + random_below(state, net.degree[v])]
        lost[count, 0], lost[count, 1] = v, w
        unlink(net, v, w)
        count += 1
        if count == wanted:
            break
        if net.degree[v] == 0 or random_below(state, 4) == 0:
            v = lost[random_below(state, count), 1]
    return count


@njit
def sift_down(heap, size, i):
    """Restore the order of the heap (largest first) below position i."""
    key = heap[i]
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= key:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = key


@njit
def merges_of(net, parts, u, v):
    """In how many of the affected topics a link between u and v would join two parts."""
    count = 0
    for i in range(parts.num[WORDS]):
        w = parts.words[i]
        word = net.rows[u, w] & net.rows[v, w] & parts.open[w]
        while word != 0:
            place = parts.place_of[64 * w + np.int64(lowest(word))]
            word = without_lowest(word)
            count += part_of(parts, place, u) != part_of(parts, place, v)
    return count


@njit
def join_parts(net, parts, u, v):
    """Merge the parts that a link between u and v joins."""
    for i in range(parts.num[WORDS]):
        w = parts.words[i]
        word = net.rows[u, w] & net.rows[v, w] & parts.open[w]
        while word != 0:
            place = parts.place_of[64 * w + np.int64(lowest(word))]
            word = without_lowest(word)
            one, two = part_of(parts, place, u), part_of(parts, place, v)
            if one != two:
                parts.up[max(one, two)] = min(one, two)
                count_merge(parts, place)


@njit
def count_merges(net, parts, u, move):
    """For every other node, count the topics in which a link with u would join two parts; return how many nodes have
    any, and the highest count.
    """
    num_seen, most = 0, 0
    for s in range(net.indptr[u], net.indptr[u + 1]):
        t = net.topics[s]
        place = parts.place_of[t]
        if place < 0 or parts.left[place] == 0:
            continue
        mine = part_of(parts, place, u)
        if mine != root_of(parts.up, place):
            for i in range(net.topic_indptr[t], net.topic_indptr[t + 1]):
                v = net.members[i]
                p = parts.label[place, v]
                if p == 0 or root_of(parts.up, p) != mine:
                    if move.count[v] == 0:
                        move.seen[num_seen] = v
                        num_seen += 1
                    move.count[v] += 1
                    most = max(most, move.count[v])
        else:
            p = parts.first_part[place]
            while p > 0:
                if root_of(parts.up, p) != mine:
                    for i in range(parts.part_start[p], parts.part_end[p]):
                        v = parts.members[i]
                        if move.count[v] == 0:
                            move.seen[num_seen] = v
                            num_seen += 1
                        move.count[v] += 1
                        most = max(most, move.count[v])
                p = parts.part_next[p]
    return num_seen, most


@njit
def list_ends(parts, move):
    """List the nodes of small parts that are not merged yet; return how many there are."""
    num_ends = 0
    for p in range(parts.num[TOUCHED], parts.num[PARTS]):
        if root_of(parts.up, p) != root_of(parts.up, parts.part_topic[p]):
            for i in range(parts.part_start[p], parts.part_end[p]):
                v = parts.members[i]
                if not move.is_end[v]:
                    move.is_end[v] = True
                    move.ends[num_ends] = v
                    num_ends += 1
    for i in range(num_ends):
        move.is_end[move.ends[i]] = False
    return num_ends


@njit
def least_merges(move, num_seen, most, enough):
    """How many merges a candidate of the present node must make: half as many as the best one, or more if ``enough``
    candidates do.
    """
    for i in range(num_seen):
        move.having[move.count[move.seen[i]]] += 1
    least, count = most, move.having[most]
    while least > (most + 1) // 2 and count < enough:
        least -= 1
        count += move.having[least]
    move.having[: most + 1] = 0
    return least


@njit
def list_candidates(net, parts, move, rules, reward, state):
    """List the pairs worth linking: for each node of a small part, some of those with at least half as many merges as
    its best pair, and the best first.
    """
    size = 0
    n = len(net.degree)
    most_listed = n if len(rules.kept) else MOST_LISTED
    for e in range(list_ends(parts, move)):
        u = move.ends[e]
        num_seen, most = count_merges(net, parts, u, move)
        least = least_merges(move, num_seen, most, most_listed)
        first = random_below(state, num_seen) if num_seen else 0
        num_listed = 0
        for k in range(num_seen):
            i = first + k
            v = move.seen[i - num_seen if i >= num_seen else i]
            count = move.count[v]
            move.count[v] = 0
            if count < least or v == u or net.degree[v] >= net.most[v] or net.degree[u] >= net.most[u]:
                continue
            if count == least and num_listed >= most_listed:
                continue
            if size == len(move.heap) or is_linked(net, u, v):
                continue
            extra = random_below(state, 4)
            if reward > 0:
                extra += (reward * num_common(net, u, v)) >> 3
            if is_kept(rules.kept, n, u, v):
                extra += rules.bonus
            move.u[size], move.v[size], move.merges[size], move.extra[size] = u, v, count, extra
            move.heap[size] = (np.int64(16 * count + extra) << INDEX_BITS) | size
            size += 1
            num_listed += 1
    for i in range(size // 2 - 1, -1, -1):
        sift_down(move.heap, size, i)
    return size


@njit
def recreate(net, parts, move, most_added, rules, state):
    """Reconnect the topics that have fallen apart, by adding links greedily.

    Return the number of links added, and whether that succeeded.
    """
    num_added = 0
    reward = rules.reward if random_below(state, MOVES_PER_REWARD) == 0 else 0
    while parts.num[MERGES] > 0:
        size = list_candidates(net, parts, move, rules, reward, state)
        if size == 0:
            return num_added, False
        while size > 0 and parts.num[MERGES] > 0:
            # no candidate makes more merges than the first one, so that so many links cannot be enough
            if parts.num[MERGES] > (most_added - num_added) * (move.heap[0] >> (INDEX_BITS + 4)):
                return num_added, False
            at = move.heap[0] & ((1 << INDEX_BITS) - 1)
            u, v = move.u[at], move.v[at]
            merges = merges_of(net, parts, u, v)
            is_full = net.degree[u] >= net.most[u] or net.degree[v] >= net.most[v]
            blinks = size > 1 and np.int64(next_word(state) >> np.uint64(64 - CHANCE_BITS)) < rules.blink
            if merges == 0 or is_full or blinks:
                size -= 1
                move.heap[0] = move.heap[size]
                sift_down(move.heap, size, 0)
            elif merges < move.merges[at]:
                # other links have meanwhile made some of the connections that this link was to make
                move.merges[at] = merges
                move.heap[0] = (np.int64(16 * merges + move.extra[at]) << INDEX_BITS) | at
                sift_down(move.heap, size, 0)
            elif num_added == most_added:
                return num_added, False
            else:
                link(net, u, v)
                join_parts(net, parts, u, v)
                move.added[num_added, 0], move.added[num_added, 1] = u, v
                num_added += 1
    return num_added, True


@njit
def change_of(rules, n, links, count, sign):
    """By how many more links the overlay differs from the one in use if these links are added (sign 1) or removed (sign
    -1).
    """
    change = 0
    for e in range(count):
        change += -sign if is_kept(rules.kept, n, links[e, 0], links[e, 1]) else sign
    return change


@njit
def ruin_and_recreate(net, parts, move, rules, standing, best, state, num_moves):
    """Try ``num_moves`` moves, which remove a few neighbouring links and reconnect what fell apart; return how many
    were accepted.

    standing int64 (4): links and changes of the network, links and changes of the best one; best holds ``neighbours``
    and ``degree`` of the best one.
    """
    n = len(net.degree)
    accepted = 0
    for _ in range(num_moves):
        wanted = rules.least_lost + random_below(state, rules.most_lost - rules.least_lost + 1)
        num_lost = choose_lost(net, wanted, rules.centres, move.lost, state)
        find_parts(net, move.lost, num_lost, parts)
        most_added = min(num_lost + standing[2] + rules.slack - standing[0], MOST_ADDED)
        num_added, is_done = recreate(net, parts, move, most_added, rules, state)
        links = standing[0] + num_added - num_lost
        changes = standing[1]
        if len(rules.kept):
            changes += change_of(rules, n, move.added, num_added, 1) + change_of(rules, n, move.lost, num_lost, -1)
        if is_done and changes <= rules.most_changes:
            standing[0], standing[1] = links, changes
            accepted += 1
            if links < standing[2] or (links == standing[2] and changes < standing[3]):
                standing[2], standing[3] = links, changes
                best[0][:] = net.neighbours
                best[1][:] = net.degree
        else:
            for e in range(num_added):
                unlink(net, move.added[e, 0], move.added[e, 1])
            for e in range(num_lost):
                link(net, move.lost[e, 0], move.lost[e, 1])
    return accepted


@njit
def drop_needless(net, parts, rules, standing, best, links):
    """Go through the links (m, 2) in this order and drop each one without which every topic stays connected.

    If fewer links are left than in the best network so far, the result becomes the best one.
    """
    n = len(net.degree)
    for e in range(len(links)):
        change = change_of(rules, n, links[e : e + 1], 1, -1)
        if len(rules.kept) and standing[1] + change > rules.most_changes:
            continue
        unlink(net, links[e, 0], links[e, 1])
        find_parts(net, links[e : e + 1], 1, parts)
        if parts.num[MERGES] > 0:
            link(net, links[e, 0], links[e, 1])
        else:
            standing[0] -= 1
            standing[1] += change
    if standing[0] < standing[2]:
        standing[2], standing[3] = standing[0], standing[1]
        best[0][:] = net.neighbours
        best[1][:] = net.degree
