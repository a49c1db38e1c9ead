"""The connected component of each subscription, and what a link between two nodes would contribute.

A *subscription* is a (node, topic) pair, numbered as in the CSR arrays. Every topic has a *home* component, a large
one. Bit rows say which topics a node subscribes to (``rows[v, 0]``), and in which of them it is away from home
(``rows[v, 1]``). Two subscribers that are both at home are connected; if exactly one is, they are not; only if both are
away must labels be compared. So ``popcount((P_u & A_v) | (A_u & P_v))`` bounds the contribution of the link (u, v), and
the bound is almost always exact.

The members of a component form a circular list. The list of the home is open: it runs from the latest member to the
subscription that the home is named after. So the most frequent merge, when a single node comes home, touches only data
of that node and data kept by topic, both close together in memory.

If bit rows of many nodes and topics would not fit into memory, there are none (``rows`` has no words), and
contributions are counted by merging the sorted topic lists of two nodes.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.intrinsics import ONE, list_bits, popcount, prefetch
from topicweave.kernels.jit import inner_njit, njit

LOPSIDED = 8  # if one node has this many times more topics than the other, its list is searched instead of read in full


class Membership(NamedTuple):
    """The components of all topics at some point of the design."""

    # the topics of each node, and those in which it is away (not in the largest component), as bits [uint64 (n, 2,
    # words)]
    rows: np.ndarray
    # of each node, the first subscription to a topic of each group of 64, as its position in the CSR arrays
    # [int32/int64 (n, words)]
    first: np.ndarray
    # the component that each subscription is in, named after one of its subscriptions [int32 (subscriptions)]
    label: np.ndarray
    # the next subscription in the same component, in a circle (for a home component see ``newest``) [int32
    # (subscriptions)]
    next: np.ndarray
    size: np.ndarray  # size of the component with this name; not kept for home components [int32 (subscriptions)]
    owner: np.ndarray  # the node that subscribes [int32 (subscriptions)]
    home: np.ndarray  # name of the home, the largest component of the topic; -1 before the first merge [int32 (topics)]
    home_size: np.ndarray  # size of the home component [int32 (topics)]
    # where the linked list of the home component begins; it ends at the subscription that names the component [int32
    # (topics)]
    newest: np.ndarray
    scratch: np.ndarray  # scratch array for the topics that a link connects [int64 (3, bits of a row plus AT_A_TIME)]
    # in how many topics a node is away, which means not in the home component [uint16/32 (n + padding)]
    away: np.ndarray
    indptr: np.ndarray  # where the topics of each node begin in ``topics`` [int64 (n + 1)]
    topics: np.ndarray  # the topics of all nodes, ascending for each node: with ``indptr`` in CSR form [int32]


@njit
def all_apart(members):
    """Make every subscription a component of its own; ``indptr``, ``topics`` and ``home`` must be set."""
    rows, first, label, following, size, owner, _, _, _, _, away, indptr, topics = members
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
    """For each topic, how many subscribers are not in its home component; ``sizes``, int64 (topics), counts all
    subscribers.
    """
    away = sizes.copy()
    for t in range(len(sizes)):
        if members.home[t] >= 0:
            away[t] -= members.home_size[t]
    return away


@njit
def bound_of(rows, u, v):
    """An upper bound on what link (u, v) would contribute: the number of common topics except those in which both are
    in the home component.
    """
    count = 0
    for w in range(rows.shape[2]):
        count += popcount((rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w]))
    return count


@njit
def contribution_of(rows, first, label, u, v, bound):
    """What link (u, v) would contribute: the bound minus the topics in which both are in the same small component."""
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
    """The contribution of link (u, v), computed from sorted lists of topics."""
    i, i_end, j, j_end = indptr[u], indptr[u + 1], indptr[v], indptr[v + 1]
    if i_end - i > j_end - j:
        i, i_end, j, j_end = j, j_end, i, i_end
    count = 0
    # if the lists differ much in length, search the long one for each topic of the short one
    if (i_end - i) * LOPSIDED < j_end - j:
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


@njit(forceinline=True)
def bound_or_count(rows, indptr, topics, label, u, v):
    """The bound on the contribution of link (u, v) if there are bit rows; otherwise the contribution itself."""
    return bound_of(rows, u, v) if rows.shape[2] > 0 else contribution_by_lists(indptr, topics, label, u, v)


@inner_njit
def contribution(members, u, v):
    """The contribution of link (u, v), computed from bit rows or from lists."""
    if members.rows.shape[2] > 0:
        return contribution_of(members.rows, members.first, members.label, u, v, bound_of(members.rows, u, v))
    return contribution_by_lists(members.indptr, members.topics, members.label, u, v)


@njit
def _lower_bound(topics, low, high, topic):
    """The first position from ``low`` on that holds this topic or a later one."""
    while low < high:
        middle = (low + high) >> 1
        if topics[middle] < topic:
            low = middle + 1
        else:
            high = middle
    return low


@njit(forceinline=True)
def connect(members, u, v):
    """Merge the components of u and v in all common topics; return in how many topics they were apart."""
    return connect_by_bits(members, u, v) if members.rows.shape[2] > 0 else connect_by_lists(members, u, v)


# Whenever a function passes a tuple on to another, numba counts references to each of its arrays, which takes longer
# than a merge. So ``connect`` and everything that the two functions below call are inlined.


@inner_njit
def connect_by_bits(members, u, v):
    """Do what :func:`connect` does, with bit rows.

    Topics are listed before they are merged: a loop over the bits of every word would end at an unpredictable point for
    every word, which costs the processor more than the merges.
    """
    rows, first, label, scratch = members.rows, members.first, members.label, members.scratch
    num_u, num_v, num_both = np.uint64(0), np.uint64(0), np.uint64(0)
    for w in range(np.uint64(rows.shape[2])):
        p_u, a_u, p_v, a_v = rows[u, 0, w], rows[u, 1, w], rows[v, 0, w], rows[v, 1, w]
        topic = w << np.uint64(6)
        num_u = list_bits(a_u & p_v & ~a_v, topic, scratch[0], num_u)
        num_v = list_bits(a_v & p_u & ~a_u, topic, scratch[1], num_v)
        num_both = list_bits(a_u & a_v, topic, scratch[2], num_both)
    _bring_home(members, u, scratch[0], num_u)
    _bring_home(members, v, scratch[1], num_v)
    topics, ones, others = scratch[2], scratch[0], scratch[1]
    num_apart = np.uint64(0)
    for i in range(num_both):
        topic = np.uint64(topics[i])
        w, below = topic >> np.uint64(6), (ONE << (topic & np.uint64(63))) - ONE
        one = label[first[u, w] + popcount(rows[u, 0, w] & below)]
        other = label[first[v, w] + popcount(rows[v, 0, w] & below)]
        topics[num_apart], ones[num_apart], others[num_apart] = topic, one, other
        num_apart += np.uint64(one != other)
        _ask_for(members, one)
        _ask_for(members, other)
    for i in range(num_apart):
        _merge_away(members, topics[i], ones[i], others[i])
    return np.int64(num_u + num_v + num_apart)


@inner_njit(forceinline=True)
def _bring_home(members, comer, topics, num):
    """In each of these topics, merge the component of the node ``comer`` into the home component. Overwrites the list
    of topics.
    """
    rows, first, label, following = members.rows, members.first, members.label, members.next
    num_left = np.uint64(0)
    for i in range(num):
        topic = np.uint64(topics[i])
        w, bit = topic >> np.uint64(6), ONE << (topic & np.uint64(63))
        s = np.int64(first[comer, w]) + popcount(rows[comer, 0, w] & (bit - ONE))
        if following[s] == s:  # a component of one
            label[s], following[s] = members.home[topic], members.newest[topic]
            members.newest[topic] = s
            members.home_size[topic] += 1
            rows[comer, 1, w] &= ~bit
        else:
            topics[num_left], num_left = topic, num_left + ONE
            _ask_for(members, label[s])
    members.away[comer] -= num - num_left
    for i in range(num_left):
        topic = np.uint64(topics[i])
        w, below = topic >> np.uint64(6), (ONE << (topic & np.uint64(63))) - ONE
        component = label[first[comer, w] + popcount(rows[comer, 0, w] & below)]
        _come_home(members, np.int64(topic), np.int64(component))


@inner_njit(forceinline=True)
def _ask_for(members, component):
    """Prefetch the data that merging will read: it is scattered over memory, and waiting for each topic in turn would
    be slow.
    """
    prefetch(members.size, component)
    prefetch(members.next, component)
    prefetch(members.owner, component)


@inner_njit
def connect_by_lists(members, u, v):
    """Do what :func:`connect` does, without bit rows."""
    indptr, topics = members.indptr, members.topics
    if indptr[u + 1] - indptr[u] > indptr[v + 1] - indptr[v]:
        u, v = v, u
    merged = 0
    j, j_end = indptr[v], indptr[v + 1]
    for s in range(indptr[u], indptr[u + 1]):
        j = _lower_bound(topics, j, j_end, topics[s])
        if j < j_end and topics[j] == topics[s] and members.label[s] != members.label[j]:
            _merge(members, np.int64(topics[s]), np.int64(members.label[s]), np.int64(members.label[j]))
            merged += 1
    return merged


@inner_njit(forceinline=True)
def _merge(members, topic, one, other):
    home = members.home[topic]
    if one == home:
        _come_home(members, topic, other)
    elif other == home:
        _come_home(members, topic, one)
    else:
        _merge_away(members, topic, one, other)


@inner_njit(forceinline=True)
def _come_home(members, topic, component):
    """Merge a component with the home component of its topic."""
    newest = members.newest[topic]
    members.newest[topic] = members.next[component]
    members.home_size[topic] += members.size[component]
    _be_home(members, topic, component, np.int64(members.home[topic]))
    members.next[component] = newest


@inner_njit(forceinline=True)
def _merge_away(members, topic, large, small):
    """Merge two components other than the home; if the result is large enough, it becomes the home."""
    if members.size[large] < members.size[small]:
        large, small = small, large
    size = members.size[large] + members.size[small]
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
    # A component replaces the home (the largest component) only if it is a quarter larger; this limits the total cost
    # of such changes.
    if members.home[topic] < 0 or 4 * size > 5 * members.home_size[topic]:
        if members.home[topic] >= 0:
            _leave_home(members, topic)
        members.home[topic], members.home_size[topic], members.newest[topic] = large, size, members.next[large]
        _be_home(members, topic, large, large)


@inner_njit(forceinline=True)
def _be_home(members, topic, component, home):
    """Record that all members of a component are now in the home component."""
    has_bits = members.rows.shape[2] > 0
    w, bit = topic >> 6, ONE << np.uint64(topic & 63)
    member = component
    while True:
        v = members.owner[member]
        if has_bits:
            members.rows[v, 1, w] &= ~bit
        members.away[v] -= 1
        members.label[member] = home
        member = members.next[member]
        if member == component:
            break


@inner_njit(forceinline=True)
def _leave_home(members, topic):
    """Turn the home of a topic into an ordinary component."""
    has_bits = members.rows.shape[2] > 0
    w, bit = topic >> 6, ONE << np.uint64(topic & 63)
    home = members.home[topic]
    members.next[home], members.size[home] = members.newest[topic], members.home_size[topic]
    member = home
    while True:
        v = members.owner[member]
        if has_bits:
            members.rows[v, 1, w] |= bit
        members.away[v] += 1
        member = members.next[member]
        if member == home:
            break


@njit
def connect_all(members, edges):
    """Add these links one after the other; return how many merges they made."""
    merged = 0
    for i in range(len(edges)):
        merged += connect(members, edges[i, 0], edges[i, 1])
    return merged
