"""Which topic-connected component each subscription is in, and what a link would merge.

A *subscription* is a (node, topic) pair, numbered as in the CSR arrays. Every topic has a *home* component, a large
one. Bit rows say who subscribes (``rows[v, 0]``) and who subscribes but is away from home (``rows[v, 1]``). Two
subscribers that are both at home are connected; if exactly one is, they are not; only if both are away must labels be
compared. So ``popcount((P_u & A_v) | (A_u & P_v))`` bounds the contribution of the link (u, v), and it is almost
always exact.

Bit rows of many nodes and topics would not fit into memory. Then there are none (``rows`` has no words), and
contributions are counted where the sorted topic lists of two nodes meet.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.bits import ONE, popcount
from topicweave.kernels.jit import njit
from topicweave.kernels.prefetch import prefetch

LOPSIDED = 8  # one list so many times longer than the other is searched, not walked


class Membership(NamedTuple):
    """The state of all topics at a moment of the sweep."""

    rows: np.ndarray  # uint64 (n, 2, words): subscribes; subscribes and is away from home
    first: np.ndarray  # int32/int64 (n, words): the subscription of the first bit set in a word
    label: np.ndarray  # int32 (subscriptions): the component, named after one of its subscriptions
    next: np.ndarray  # int32 (subscriptions): the next member of the component, in a circle
    size: np.ndarray  # int32 (subscriptions): members of the component of that name
    owner: np.ndarray  # int32 (subscriptions): whose subscription it is
    home: np.ndarray  # int32 (topics): label of the home component, -1 before the first merge
    away: np.ndarray  # bound type (n + padding): how many topics of a node are away from home
    indptr: np.ndarray  # int64 (n + 1), topics int32, rising for each node: CSR by node
    topics: np.ndarray


@njit
def all_apart(members):
    """Fill the arrays: every subscription is a component of its own. ``indptr``, ``topics`` and ``home`` are filled."""
    rows, first, label, following, size, owner, _, away, indptr, topics = members
    for v in range(len(indptr) - 1):
        away[v] = indptr[v + 1] - indptr[v]
        for s in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            label[s], following[s], size[s], owner[s] = s, s, 1, v
        for w in range(rows.shape[2]):
            rows[v, 0, w] = 0
        if rows.shape[2] > 0:
            for s in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
                t = np.uint64(topics[s])
                rows[v, 0, t >> np.uint64(6)] |= ONE << (t & np.uint64(63))
        s = indptr[v]
        for w in range(rows.shape[2]):
            first[v, w] = s
            s += popcount(rows[v, 0, w])
            rows[v, 1, w] = rows[v, 0, w]


@njit
def num_away(members, sizes):
    """How many subscribers of each topic are away from home; sizes int64 (topics): how many there are."""
    away = sizes.copy()
    for t in range(len(sizes)):
        if members.home[t] >= 0:
            away[t] -= members.size[members.home[t]]
    return away


@njit
def bound_of(rows, u, v):
    """Upper bound of the contribution of link (u, v): common topics not both at home."""
    count = 0
    for w in range(rows.shape[2]):
        count += popcount((rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w]))
    return count


@njit
def contribution_of(rows, first, label, u, v, bound):
    """The contribution of link (u, v): its bound less the topics where both are away, but together."""
    for w in range(rows.shape[2]):
        both = rows[u, 1, w] & rows[v, 1, w]
        while both:
            bit = both & (~both + ONE)
            below = bit - ONE
            su = first[u, w] + popcount(rows[u, 0, w] & below)
            sv = first[v, w] + popcount(rows[v, 0, w] & below)
            if label[su] == label[sv]:
                bound -= 1
            both ^= bit
    return bound


@njit
def contribution_by_lists(indptr, topics, label, u, v):
    """The contribution of link (u, v), from sorted topic lists."""
    i, i_end, j, j_end = indptr[u], indptr[u + 1], indptr[v], indptr[v + 1]
    if i_end - i > j_end - j:
        i, i_end, j, j_end = j, j_end, i, i_end
    count = 0
    if (i_end - i) * LOPSIDED < j_end - j:  # look each of the few up among the many
        for s in range(i, i_end):
            j = _lower_bound(topics, j, j_end, topics[s])
            if j < j_end and topics[j] == topics[s]:
                count += label[s] != label[j]
        return count
    while i < i_end and j < j_end:
        a, b = topics[i], topics[j]
        if a == b:
            count += label[i] != label[j]
        i += a <= b
        j += b <= a
    return count


@njit
def contribution(members, u, v):
    """The contribution of link (u, v), whichever way it is counted."""
    if members.rows.shape[2] > 0:
        return contribution_of(members.rows, members.first, members.label, u, v, bound_of(members.rows, u, v))
    return contribution_by_lists(members.indptr, members.topics, members.label, u, v)


@njit
def _lower_bound(topics, low, high, topic):
    """The first place from ``low`` on with this topic or a later one."""
    while low < high:
        middle = (low + high) >> 1
        if topics[middle] < topic:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def connect(members, u, v):
    """Merge the components of u and v in all their common topics; return in how many they were apart."""
    return connect_by_bits(members, u, v) if members.rows.shape[2] > 0 else connect_by_lists(members, u, v)


# Numba counts the references to every array of a tuple whenever a function is called that calls another with it, which
# takes longer than a merge. So the sweep calls one of these two, and all that they call is inlined.


@njit
def connect_by_bits(members, u, v):
    """The same where there are bit rows."""
    rows = members.rows
    _ask_for_components(members, u, v)
    merged = 0
    for w in range(rows.shape[2]):
        apart = (rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w])
        while apart:
            bit = apart & (~apart + ONE)
            below = bit - ONE
            su = members.first[u, w] + popcount(rows[u, 0, w] & below)
            sv = members.first[v, w] + popcount(rows[v, 0, w] & below)
            apart ^= bit
            one, other = members.label[su], members.label[sv]
            if one == other:
                continue
            merged += 1
            topic = w * 64 + popcount(below)
            home = members.home[topic]
            comer = v
            if other == home:
                one, other, comer = other, one, u
            if one == home and members.size[other] == 1:  # mostly: somebody alone comes home
                members.rows[comer, 1, w] &= ~bit
                members.away[comer] -= 1
                members.label[other] = home
                members.next[other] = members.next[home]
                members.next[home] = other
                members.size[home] += 1
            else:
                _merge(members, topic, su, sv)
    return merged


@njit
def _ask_for_components(members, u, v):
    """Ask for what merging will read: it lies all over memory, and would else be waited for topic by topic."""
    rows, label = members.rows, members.label
    for w in range(rows.shape[2]):
        apart = (rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w])
        while apart:
            below = (apart & (~apart + ONE)) - ONE
            for end in (u, v):
                component = label[members.first[end, w] + popcount(rows[end, 0, w] & below)]
                prefetch(members.size, component)
                prefetch(members.next, component)
                prefetch(members.owner, component)
            apart &= apart - ONE


@njit
def connect_by_lists(members, u, v):
    """The same where there are none."""
    indptr, topics = members.indptr, members.topics
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    merged = 0
    j, j_end = indptr[v], indptr[v + 1]
    for s in range(indptr[u], indptr[u + 1]):
        j = _lower_bound(topics, j, j_end, topics[s])
        if j < j_end and topics[j] == topics[s] and members.label[s] != members.label[j]:
            _merge(members, topics[s], s, j)
            merged += 1
    return merged


@njit(forceinline=True)
def _merge(members, topic, su, sv):
    large, small = members.label[su], members.label[sv]
    if members.size[large] < members.size[small]:
        large, small = small, large
    size = members.size[large] + members.size[small]
    home = members.home[topic]
    if large == home:
        _bring_home(members, small, topic)
    elif small == home:
        _bring_home(members, large, topic)
        members.home[topic] = large
    elif home < 0 or 4 * size > 5 * members.size[home]:
        # A quarter larger, not merely larger: the cost of moving house is then linear over a whole run.
        if home >= 0:
            _send_away(members, home, topic)
        _bring_home(members, small, topic)
        _bring_home(members, large, topic)
        members.home[topic] = large
    member = small
    while True:
        members.label[member] = large
        member = members.next[member]
        if member == small:
            break
    after_large = members.next[large]
    members.next[large] = members.next[small]
    members.next[small] = after_large
    members.size[large] = size


@njit(forceinline=True)
def _bring_home(members, start, topic):
    has_bits = members.rows.shape[2] > 0
    w, bit = topic >> 6, ONE << np.uint64(topic & 63)
    member = start
    while True:
        v = members.owner[member]
        if has_bits:
            members.rows[v, 1, w] &= ~bit
        members.away[v] -= 1
        member = members.next[member]
        if member == start:
            break


@njit(forceinline=True)
def _send_away(members, start, topic):
    has_bits = members.rows.shape[2] > 0
    w, bit = topic >> 6, ONE << np.uint64(topic & 63)
    member = start
    while True:
        v = members.owner[member]
        if has_bits:
            members.rows[v, 1, w] |= bit
        members.away[v] += 1
        member = members.next[member]
        if member == start:
            break


@njit
def connect_all(members, edges, degree):
    """Connect the given links one after the other; return how many components went."""
    merged = 0
    for i in range(len(edges)):
        u, v = edges[i, 0], edges[i, 1]
        merged += connect(members, u, v)
        degree[u] += 1
        degree[v] += 1
    return merged
