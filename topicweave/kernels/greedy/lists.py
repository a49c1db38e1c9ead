"""Subscriptions as lists, by node and by topic, sorted by counting: linear in their number."""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.bits import AT_A_TIME, ONE, list_bits
from topicweave.kernels.jit import njit, prange

LEFT_OUT = -1


class Lists(NamedTuple):
    """Who wants a topic, and who of those is away from home; of topics of which nobody is, nobody is listed."""

    topic_indptr: np.ndarray  # int64 (topics + 1), subscribers int32, rising in each topic: CSR by topic
    subscribers: np.ndarray
    away_indptr: np.ndarray  # the same of the subscribers that are away
    away_subscribers: np.ndarray
    some_away: np.ndarray  # uint64 (words): topics of which anybody is away


@njit
def sizes_of(topics, num_topics):
    """How many subscriptions each topic has."""
    sizes = np.zeros(num_topics, np.int64)
    for t in topics:
        sizes[t] += 1
    return sizes


@njit
def _starts(sizes):
    indptr = np.zeros(len(sizes) + 1, np.int64)
    for t in range(len(sizes)):
        indptr[t + 1] = indptr[t] + sizes[t]
    return indptr


@njit
def sizes_left(indptr, topics, number):
    """How many topics of each node are left; number int32 (topics): the new number, or LEFT_OUT."""
    sizes = np.zeros(len(indptr) - 1, np.int64)
    for v in range(len(sizes)):
        count = 0
        for i in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            count += number[topics[i]] != LEFT_OUT
        sizes[v] = count
    return sizes


@njit
def renumber(indptr, topics, number, names, sizes):
    """The CSR of the named nodes, in their order, with the topics that are left; sizes as of :func:`sizes_left`."""
    new_indptr = _starts(sizes[names])
    new_topics = np.empty(new_indptr[-1] + 1, np.int32)
    for u in range(len(names)):
        at = np.uint64(new_indptr[u])
        for i in range(np.uint64(indptr[names[u]]), np.uint64(indptr[names[u] + 1])):
            t = number[topics[i]]
            new_topics[at] = t  # one that is left out is written over, or comes to lie beyond the end
            at += np.uint64(t != LEFT_OUT)
    return new_indptr, new_topics[:-1]


@njit
def subscribers_of(indptr, topics, sizes):
    """The CSR by topic; sizes as of :func:`sizes_of`."""
    topic_indptr = _starts(sizes)
    subscribers = np.empty(len(topics), np.int32)
    at = topic_indptr[:-1].copy()
    for v in range(len(indptr) - 1):
        for i in range(indptr[v], indptr[v + 1]):
            t = topics[i]
            subscribers[at[t]] = v
            at[t] += 1
    return topic_indptr, subscribers


@njit
def away_of(indptr, topics, label, home):
    """The CSR by topic of the subscriptions that are away from home."""
    sizes = np.zeros(len(home), np.int64)
    for i in range(len(topics)):
        sizes[topics[i]] += label[i] != home[topics[i]]
    away_indptr = _starts(sizes)
    subscribers = np.empty(away_indptr[-1], np.int32)
    at = away_indptr[:-1].copy()
    for v in range(len(indptr) - 1):
        for i in range(indptr[v], indptr[v + 1]):
            t = topics[i]
            if label[i] != home[t]:
                subscribers[at[t]] = v
                at[t] += 1
    return away_indptr, subscribers


@njit
def unfinished(rows, sizes, num_away, left_out, workers):
    """The lists of the topics of which somebody is away from home, from bit rows; those of all others are empty.

    sizes, num_away int64 (topics): subscribers; those of them that are away. left_out bool (words): whose topics are
    not listed.
    """
    some_away = np.zeros(rows.shape[2], np.uint64)
    of_topic, of_away = np.zeros(len(sizes), np.int64), np.zeros(len(sizes), np.int64)
    for t in range(len(sizes)):
        if num_away[t] > 0 and not left_out[t >> 6]:
            some_away[t >> 6] |= ONE << np.uint64(t & 63)
            of_topic[t], of_away[t] = sizes[t], num_away[t]
    topic_indptr, away_indptr = _starts(of_topic), _starts(of_away)
    subscribers = _listed_by_topic(rows, 0, some_away, topic_indptr, workers)
    away_subscribers = _listed_by_topic(rows, 1, some_away, away_indptr, workers)
    return Lists(topic_indptr, subscribers, away_indptr, away_subscribers, some_away)


@njit(parallel=True)
def _listed_by_topic(rows, kind, mask, indptr, workers):
    """Whose bits are set in rows of one kind, topic by topic, for the topics of the mask; each thread takes words."""
    nodes = np.empty(indptr[-1], np.int32)
    at = indptr[:-1].copy()
    used = np.flatnonzero(mask)
    for worker in prange(workers):
        topics = np.empty(64 * len(used) + AT_A_TIME, np.int64)
        for v in range(len(rows)):
            num = np.uint64(0)
            for i in range(np.int64(worker), len(used), workers):
                w = np.uint64(used[i])
                num = list_bits(rows[v, kind, w] & mask[w], w << np.uint64(6), topics, num)
            for i in range(num):
                t = topics[i]
                nodes[at[t]] = v
                at[t] += 1
    return nodes
