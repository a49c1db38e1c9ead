"""Near candidates: finds, for each node, the partners whose links would contribute most, without looking at all pairs.

A partner must share a topic, so partners are found in the lists of the node's topics: all subscribers of a topic in
which the node is away from home, and only those away from home of a topic in which it is at home. Reading these lists
to the end finds the best partners exactly. When that would take too long there are two shortcuts:

*pool*: if there are bit rows, look at some thousand nodes with most topics, and with most topics away from home;
*windows*: otherwise, read of each long list only its head, which holds such nodes, and a window around the node's own
position. All lists are in one order, so two nodes that are close in it meet in the windows of all common topics.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.greedy.membership import contribution
from topicweave.kernels.intrinsics import popcount, take_next
from topicweave.kernels.jit import inner_njit, njit

NOBODY = -1
MOST = 0xFFFF  # when a pool is searched, contributions above this are treated as equal
NO_LISTS = 1 << 62  # given in place of a number of steps if there are no lists to read
BLOCK = 128  # number of nodes of the pool that are compared at a time


class TopicLists(NamedTuple):
    """For each topic the list of its subscribers; all lists are in the same order of nodes."""

    start: np.ndarray  # int64 (topics + 1)
    node: np.ndarray  # the node that subscribes [int32]
    label: np.ndarray  # the component that the subscription is in; empty if unknown [int32]
    place: np.ndarray  # position in its topic's list, or where it would be; empty if unknown [int32 (subscriptions)]


class Pool(NamedTuple):
    """Some thousand nodes among which every node looks for partners, as transposed bit rows."""

    nodes: np.ndarray  # the nodes in the pool [int32 (pool, padded with NOBODY to whole blocks)]
    place: np.ndarray  # position of each node in the pool, or NOBODY [int32 (n)]
    subscribes: np.ndarray  # the topics of each node in the pool, as bits [uint64 (words, pool)]
    away: np.ndarray  # those topics in which the node is not in the home component, as bits [uint64 (words, pool)]
    any_away: np.ndarray  # the union of ``away`` over each block of nodes, as bits [uint64 (words, blocks)]


class SearchLimits(NamedTuple):
    """Limits on the effort of a search."""

    cheap: int  # lists are read in full at once if that takes at most this many steps
    whole: int  # lists are read in full only if necessary, and if that takes at most this many steps
    head: int  # of a long list, read only this many nodes at its beginning
    window: int  # of a long list, read also this many nodes on either side of the node's own position


class SearchSpace(NamedTuple):
    """Where a search looks for partners: the lists of topics, and the pool of large nodes."""

    takes: np.ndarray  # which nodes may be chosen as partners [bool (n)]
    everybody: TopicLists
    away_only: TopicLists  # lists of only those subscribers that are not in the topic's home component
    pool: Pool
    needed: np.ndarray  # a node to which no link from the pool contributes this much reads its lists too [int32 (n)]
    excluded: np.ndarray  # pairs that may not be chosen, each as one number (lower · n + higher) [int64, ascending]
    marks: np.ndarray  # hashes of labels; they decide where a node begins among equally good partners [uint64 (n)]


@njit
def list_in_order(order, members, is_listed, listed):
    """Fill ``listed``, the lists of all topics, with the selected subscriptions, the nodes in the given order."""
    start, node, label, place = listed
    at = start[:-1].copy()
    for v in order:
        for s in range(members.indptr[v], members.indptr[v + 1]):
            t = members.topics[s]
            place[s] = at[t] - start[t]
            if is_listed[s]:
                node[at[t]], label[at[t]] = v, members.label[s]
                at[t] += 1


class Tally(NamedTuple):
    """How often each node was met in the lists of the current search, that is, how many topics it has in common.

    Counts are stored above a base that rises from search to search, so nothing has to be reset to zero.
    """

    count: np.ndarray  # how often each node was met; values below the base are from earlier searches [uint32 (n)]
    base: np.ndarray  # uint32 (1)
    once: np.ndarray  # all nodes met, in order [int32 (n)]
    twice: np.ndarray  # the nodes met more than once [int32 (n)]
    at_least: np.ndarray  # how many nodes were met at least this often [int64 (most + 2)]


@inner_njit
def _new_tally(num_nodes, most):
    return Tally(
        np.zeros(num_nodes, np.uint32), np.ones(1, np.uint32), np.empty(num_nodes, np.int32),
        np.empty(num_nodes, np.int32), np.zeros(most + 2, np.int64),
    )  # fmt: skip


@inner_njit(forceinline=True)
def _begin(tally):
    """Reset all counts for the next search."""
    count, base, _, _, at_least = tally
    step = np.uint32(len(at_least))
    if base[0] > np.uint32(0xFFFFFFFF) - step - step:
        count[:] = 0
        base[0] = 1
    else:
        base[0] += step
    at_least[:] = 0


@inner_njit
def _meet(u, own, takes, all_take, nodes, labels, first, last, tally):
    """Count one more common topic for each node in this part of a list, except for those in the same component as u."""
    count, bases, once, twice, at_least = tally
    base = bases[0]
    most = np.uint32(len(at_least) - 2)
    is_known = len(labels) > 0
    num_once, num_twice = at_least[1], at_least[2]
    for i in range(np.uint64(first), np.uint64(last)):
        v = np.uint64(nodes[i])
        if is_known and labels[i] == own:
            continue
        if count[v] < base:
            if (all_take or takes[v]) and v != np.uint64(u):
                count[v] = base
                once[num_once] = v
                num_once += 1
        else:
            times = count[v] - base + np.uint32(1)
            if times > most:
                continue
            count[v] += np.uint32(1)
            if times == 1:
                twice[num_twice] = v
                num_twice += 1
            else:
                at_least[times + 1] += 1
    at_least[1], at_least[2] = num_once, num_twice


@inner_njit(forceinline=True)
def _steps(members, space, u):
    """The number of steps needed to read all lists of u."""
    steps = 0
    if len(space.everybody.start) == 0:
        return NO_LISTS
    for s in range(members.indptr[u], members.indptr[u + 1]):
        t = members.topics[s]
        listed = space.everybody if members.label[s] != members.home[t] else space.away_only
        steps += listed.start[t + 1] - listed.start[t]
    return steps


@inner_njit
def _stride(num):
    """A stride with which all ``num`` positions are visited, such that neighbouring ones are far apart in time."""
    step = max(1, int(num * 0.618))
    while True:
        a, b = num, step
        while b:
            a, b = b, a % b
        if a <= 1:
            return step
        step += 1


@inner_njit(forceinline=True)
def _place_by(mark, num):
    """A position below ``num`` at which this node begins; ``mark``, a hash of its label, spreads nodes evenly."""
    return np.int64(((mark >> np.uint64(32)) * np.uint64(num)) >> np.uint64(32))


@inner_njit(forceinline=True)
def _most_met(mark, tally, best):
    """Write the nodes that were met most often to ``best``.

    Returns their number, the highest count of any other node, and the highest count.
    """
    count, bases, once, twice, at_least = tally
    base = bases[0]
    most_listed = len(best)
    largest = len(at_least) - 1
    while largest > 0 and at_least[largest] == 0:
        largest -= 1
    least = largest
    while least > 1 and at_least[least] < most_listed:
        least -= 1
    above = at_least[least + 1] if least < largest else 0
    equal = most_listed - above
    size = 0
    # Examine only nodes met twice or more, unless there are too few. Every node starts at a different position among
    # equally good ones, so that not all nodes choose the same partners.
    if least >= 2 or above > 0:
        num = at_least[2]
        stride = _stride(num)
        i = _place_by(mark, num)
        for _ in range(num):
            v = twice[i]
            i += stride
            i -= num if i >= num else 0
            times = np.int64(count[v] - base) + 1
            if times > least or (times == least and equal > 0):
                equal -= times == least
                best[size] = v
                size += 1
    if least == 1:
        num = at_least[1]
        stride = _stride(num)
        i = _place_by(mark, num)
        for _ in range(num):
            if size == most_listed:
                break
            v = once[i]
            i += stride
            i -= num if i >= num else 0
            if count[v] == base:
                best[size] = v
                size += 1
    return size, least if at_least[1] > size else 0, largest


@inner_njit(forceinline=True)
def _search_lists(members, space, limits, u, is_whole, all_take, tally, best):
    """Count how often each node occurs in the lists of u's topics, as far as they are read; keep the most frequent."""
    _begin(tally)
    takes, head, window = space.takes, limits.head, limits.window
    for s in range(members.indptr[u], members.indptr[u + 1]):
        t, own = members.topics[s], members.label[s]
        listed = space.everybody if own != members.home[t] else space.away_only
        first, size = listed.start[t], listed.start[t + 1] - listed.start[t]
        if is_whole or size <= head + window:
            _meet(u, own, takes, all_take, listed.node, listed.label, first, first + size, tally)
            continue
        _meet(u, own, takes, all_take, listed.node, listed.label, first, first + head, tally)
        begin = first + max(head, min(listed.place[s] - window // 2, size - window))
        _meet(u, own, takes, all_take, listed.node, listed.label, begin, begin + window, tally)
    return _most_met(space.marks[u], tally, best)


@inner_njit
def _count_pool(rows, u, pool, words, part, count):
    """Write to ``count`` upper bounds on the contributions of links between u and all nodes of the pool.

    words int64 (2, words), part int64 (BLOCK): scratch. count uint16 (pool): output.
    """
    for base in range(0, len(pool.nodes), BLOCK):
        one_way, both_ways = 0, 0
        for w in range(rows.shape[2]):
            if rows[u, 1, w] == rows[u, 0, w] or rows[u, 0, w] & pool.any_away[w, base // BLOCK] == 0:
                words[0, one_way] = w
                one_way += rows[u, 1, w] != 0
            else:
                words[1, both_ways] = w
                both_ways += 1
        part[:] = 0
        i = 0
        while i + 4 <= one_way:  # four words are kept in registers during a pass over the block
            w0, w1, w2, w3 = words[0, i], words[0, i + 1], words[0, i + 2], words[0, i + 3]
            a0, a1, a2, a3 = rows[u, 1, w0], rows[u, 1, w1], rows[u, 1, w2], rows[u, 1, w3]
            p0, p1 = pool.subscribes[w0, base : base + BLOCK], pool.subscribes[w1, base : base + BLOCK]
            p2, p3 = pool.subscribes[w2, base : base + BLOCK], pool.subscribes[w3, base : base + BLOCK]
            for j in range(BLOCK):
                part[j] += popcount(a0 & p0[j]) + popcount(a1 & p1[j]) + popcount(a2 & p2[j]) + popcount(a3 & p3[j])
            i += 4
        for k in range(i, one_way):
            w0 = words[0, k]
            a0, p0 = rows[u, 1, w0], pool.subscribes[w0, base : base + BLOCK]
            for j in range(BLOCK):
                part[j] += popcount(a0 & p0[j])
        i = 0
        while i + 2 <= both_ways:
            w0, w1 = words[1, i], words[1, i + 1]
            a0, a1, s0, s1 = rows[u, 1, w0], rows[u, 1, w1], rows[u, 0, w0], rows[u, 0, w1]
            p0, q0 = pool.subscribes[w0, base : base + BLOCK], pool.away[w0, base : base + BLOCK]
            p1, q1 = pool.subscribes[w1, base : base + BLOCK], pool.away[w1, base : base + BLOCK]
            for j in range(BLOCK):
                part[j] += popcount((a0 & p0[j]) | (s0 & q0[j])) + popcount((a1 & p1[j]) | (s1 & q1[j]))
            i += 2
        if i < both_ways:
            w0 = words[1, i]
            a0, s0 = rows[u, 1, w0], rows[u, 0, w0]
            p0, q0 = pool.subscribes[w0, base : base + BLOCK], pool.away[w0, base : base + BLOCK]
            for j in range(BLOCK):
                part[j] += popcount((a0 & p0[j]) | (s0 & q0[j]))
        for j in range(BLOCK):
            count[base + j] = np.uint16(min(part[j], MOST))


@inner_njit
def _num_at_least(count, times):
    total = 0
    for base in range(0, len(count), BLOCK):
        part = count[base : base + BLOCK]
        here = np.uint16(0)  # the type is no wider than necessary, so that one instruction can count for many nodes
        for j in range(BLOCK):
            here = np.uint16(here + np.uint16(part[j] >= np.uint16(times)))
        total += here
    return total


@inner_njit
def _best_of_pool(mark, pool, count, flags, best):
    """Do what :func:`_most_met` does with the counts of the whole pool, most of which can be skipped."""
    most_listed = len(best)
    largest = np.int64(count.max())
    low, high = 1, max(1, largest)
    while low < high:  # find the highest count that is reached by enough nodes of the pool
        middle = (low + high + 1) >> 1
        if _num_at_least(count, middle) >= most_listed:
            low = middle
        else:
            high = middle - 1
    num = _num_at_least(count, low)
    equal = most_listed - (_num_at_least(count, low + 1) if num > most_listed else 0)
    for j in range(len(count)):
        flags[j] = count[j] >= np.uint16(low)
    eights = flags.view(np.uint64)
    begin = _place_by(mark, len(eights))
    size = 0
    for step in range(len(eights)):
        q = begin + step
        q = q if q < len(eights) else q - len(eights)
        if eights[q] == 0:
            continue
        for j in range(q * 8, q * 8 + 8):
            if flags[j] and (count[j] > low or equal > 0):
                equal -= count[j] == low
                best[size] = pool.nodes[j]
                size += 1
    return size, low if num > size else low - 1, largest


@inner_njit
def is_excluded(excluded, code):
    """Whether this pair, coded as a number, occurs in an ascending list."""
    at = np.searchsorted(excluded, code)
    return at < len(excluded) and excluded[at] == code


@inner_njit
def keep_best(members, u, best, size, others, excluded, partner, worth):
    """Keep those nodes of ``best`` whose links with u contribute most; return an upper bound for all other nodes."""
    most_kept = len(partner)
    num_nodes = len(members.indptr) - 1
    kept = 0
    for i in range(size):
        v = best[i]
        if len(excluded) > 0 and is_excluded(excluded, np.int64(min(u, v)) * num_nodes + max(u, v)):
            continue
        gain = contribution(members, u, v)
        if gain == 0:
            continue
        if kept == most_kept:
            others = max(others, min(gain, worth[most_kept - 1]))
            if gain <= worth[most_kept - 1]:
                continue
        at = min(kept, most_kept - 1)
        kept = min(kept + 1, most_kept)
        while at > 0 and worth[at - 1] < gain:
            partner[at], worth[at] = partner[at - 1], worth[at - 1]
            at -= 1
        partner[at], worth[at] = v, gain
    partner[kept:] = NOBODY
    worth[kept:] = 0
    return others


@njit
def nearest(members, space, limits, searching, result, most, work_counter):
    """For each node in ``searching``, find the partners whose links would contribute most, within the search limits.

    most: the largest contribution distinguished. result (output): partner, worth int32 (searching, K) and others int32
    (searching); see ``shortlists.Shortlists``. This is the work of one thread: it takes nodes as long as there are any.
    """
    all_take, pool, (partner, worth, others) = space.takes.all(), space.pool, result
    tally = _new_tally(len(space.takes), most)
    in_pool = np.empty(len(pool.nodes), np.uint16)
    flags = np.empty(len(pool.nodes), np.uint8)
    part = np.empty(BLOCK, np.int64)
    words = np.empty((2, members.rows.shape[2]), np.int64)
    best = np.empty(partner.shape[1] + partner.shape[1] // 4, np.int32)
    while True:
        i = take_next(work_counter)
        if i >= len(searching):
            break
        u = searching[i]
        steps = _steps(members, space, u)
        size, left, best_met = 0, 0, -1
        if len(pool.nodes) > 0 and steps > limits.cheap:
            _count_pool(members.rows, u, pool, words, part, in_pool)
            if pool.place[u] != NOBODY:
                in_pool[pool.place[u]] = 0
            size, left, best_met = _best_of_pool(space.marks[u], pool, in_pool, flags, best)
        if len(pool.nodes) == 0 or (steps <= limits.whole and best_met < space.needed[u]):
            is_whole = steps <= limits.whole
            size, left, _ = _search_lists(members, space, limits, u, is_whole, all_take, tally, best)
        others[i] = keep_best(members, u, best, size, left, space.excluded, partner[i], worth[i])
