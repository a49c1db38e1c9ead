"""Which topic-connected component each subscription is in, and what a link would merge.

A *subscription* is a (node, topic) pair, numbered as in the CSR arrays. Every topic has a *home* component, a large
one. Bit rows say who subscribes (``rows[v, 0]``) and who subscribes but is away from home (``rows[v, 1]``). Two
subscribers that are both at home are connected; if exactly one is, they are not; only if both are away must labels be
compared. So ``popcount((P_u & A_v) | (A_u & P_v))`` bounds the contribution of the link (u, v), and it is almost
always exact.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.bits import ONE, popcount
from topicweave.kernels.jit import njit


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


@njit
def bound_of(rows, u, v):
    """Upper bound of the contribution of link (u, v): common topics not both at home."""
    count = 0
    for w in range(rows.shape[2]):
        count += popcount((rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w]))
    return count


@njit
def contribution_of(members, u, v, bound):
    """The contribution of link (u, v): its bound less the topics where both are away, but together."""
    rows = members.rows
    for w in range(rows.shape[2]):
        both = rows[u, 1, w] & rows[v, 1, w]
        while both:
            bit = both & (~both + ONE)
            below = bit - ONE
            su = members.first[u, w] + popcount(rows[u, 0, w] & below)
            sv = members.first[v, w] + popcount(rows[v, 0, w] & below)
            if members.label[su] == members.label[sv]:
                bound -= 1
            both ^= bit
    return bound


@njit
def connect(members, u, v):
    """Merge the components of u and v in all their common topics; return in how many they were apart."""
    rows = members.rows
    merged = 0
    for w in range(rows.shape[2]):
        apart = (rows[u, 0, w] & rows[v, 1, w]) | (rows[u, 1, w] & rows[v, 0, w])
        while apart:
            bit = apart & (~apart + ONE)
            below = bit - ONE
            su = members.first[u, w] + popcount(rows[u, 0, w] & below)
            sv = members.first[v, w] + popcount(rows[v, 0, w] & below)
            if members.label[su] != members.label[sv]:
                _merge(members, w, bit, su, sv)
                merged += 1
            apart ^= bit
    return merged


@njit
def _merge(members, w, bit, su, sv):
    large, small = members.label[su], members.label[sv]
    if members.size[large] < members.size[small]:
        large, small = small, large
    topic = w * 64 + popcount(bit - ONE)
    size = members.size[large] + members.size[small]
    home = members.home[topic]
    if large == home:
        _bring_home(members, small, w, bit)
    elif small == home:
        _bring_home(members, large, w, bit)
        members.home[topic] = large
    elif home < 0 or 4 * size > 5 * members.size[home]:
        # A quarter larger, not merely larger: the cost of moving house is then linear over a whole run.
        if home >= 0:
            _send_away(members, home, w, bit)
        _bring_home(members, small, w, bit)
        _bring_home(members, large, w, bit)
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


@njit
def _bring_home(members, start, w, bit):
    member = start
    while True:
        v = members.owner[member]
        members.rows[v, 1, w] &= ~bit
        members.away[v] -= 1
        member = members.next[member]
        if member == start:
            break


@njit
def _send_away(members, start, w, bit):
    member = start
    while True:
        v = members.owner[member]
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
