"""For every topic, the links of the overlay whose two ends are both members of the topic.

Members are numbered within their topic by their *place*: the position among the topic's members in ascending node
order. All searches of one topic then work on arrays as long as the topic has members.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.csr import sizes_of, starts_of
from topicweave.kernels.jit import njit


class TopicLinks(NamedTuple):
    """The links of all topics, one topic after the other.

    start int64 (topics + 1); one, other int32: places of the ends; link int32: number of the link in the overlay.
    """

    start: np.ndarray
    one: np.ndarray
    other: np.ndarray
    link: np.ndarray


@njit
def places_in_topics(topics, num_topics):
    """For each subscription, its place among the members of its topic, int32; subscriptions are in order by node."""
    at = np.zeros(num_topics, np.int32)
    place = np.empty(len(topics), np.int32)
    for i in range(len(topics)):
        place[i] = at[topics[i]]
        at[topics[i]] += 1
    return place


@njit
def topic_links(indptr, topics, num_topics, edges):
    """Return, topic by topic, the links whose two ends have the topic, as for :class:`TopicLinks`; ``edges`` is int64
    (m, 2).
    """
    counts = np.zeros(num_topics, np.int64)
    for e in range(len(edges)):
        i, end_i = indptr[edges[e, 0]], indptr[edges[e, 0] + 1]
        j, end_j = indptr[edges[e, 1]], indptr[edges[e, 1] + 1]
        while i < end_i and j < end_j:
            mine, theirs = topics[i], topics[j]
            counts[mine] += mine == theirs
            i += mine <= theirs
            j += theirs <= mine
    start = starts_of(counts)
    place = places_in_topics(topics, num_topics)
    one = np.empty(start[-1], np.int32)
    other = np.empty(start[-1], np.int32)
    link = np.empty(start[-1], np.int32)
    at = start[:-1].copy()
    for e in range(len(edges)):
        i, end_i = indptr[edges[e, 0]], indptr[edges[e, 0] + 1]
        j, end_j = indptr[edges[e, 1]], indptr[edges[e, 1] + 1]
        while i < end_i and j < end_j:
            mine, theirs = topics[i], topics[j]
            if mine == theirs:
                one[at[mine]], other[at[mine]], link[at[mine]] = place[i], place[j], e
                at[mine] += 1
            i += mine <= theirs
            j += theirs <= mine
    return start, one, other, link


@njit
def members_of(indptr, topics, receives, num_topics):
    """Return the members of each topic by place: (where each topic begins int64, nodes int32, whether they receive
    bool).
    """
    start = starts_of(sizes_of(topics, num_topics))
    at = start[:-1].copy()
    nodes = np.empty(len(topics), np.int32)
    flags = np.empty(len(topics), np.bool_)
    for v in range(len(indptr) - 1):
        for i in range(indptr[v], indptr[v + 1]):
            nodes[at[topics[i]]], flags[at[topics[i]]] = v, receives[i]
            at[topics[i]] += 1
    return start, nodes, flags


@njit
def neighbours_within(one, other, num_members):
    """Return the links of one topic by member: (where each member's links begin int64, place of the neighbour int32,
    number of the link within the topic int32).
    """
    counts = np.zeros(num_members, np.int64)
    for k in range(len(one)):
        counts[one[k]] += 1
        counts[other[k]] += 1
    start = starts_of(counts)
    near = np.empty(2 * len(one), np.int32)
    by = np.empty(2 * len(one), np.int32)
    at = start[:-1].copy()
    for k in range(len(one)):
        near[at[one[k]]], by[at[one[k]]] = other[k], k
        at[one[k]] += 1
        near[at[other[k]]], by[at[other[k]]] = one[k], k
        at[other[k]] += 1
    return start, near, by
