"""Subscriptions as lists, by node and by topic, sorted by counting: linear in their number."""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.bits import lowest, without_lowest
from topicweave.kernels.jit import njit

LEFT_OUT = -1


class Lists(NamedTuple):
    """Who wants a topic, and who of those is away from home."""

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
        for i in range(indptr[v], indptr[v + 1]):
            sizes[v] += number[topics[i]] != LEFT_OUT
    return sizes


@njit
def renumber(indptr, topics, number, names, sizes):
    """The CSR of the named nodes, in their order, with the topics that are left; sizes as of :func:`sizes_left`."""
    new_indptr = _starts(sizes[names])
    new_topics = np.empty(new_indptr[-1], np.int32)
    for u in range(len(names)):
        at = new_indptr[u]
        for i in range(indptr[names[u]], indptr[names[u] + 1]):
            t = number[topics[i]]
            if t != LEFT_OUT:
                new_topics[at] = t
                at += 1
    return new_indptr, new_topics


@njit
def subscribers_of(indptr, topics, num_topics):
    """The CSR by topic."""
    topic_indptr = _starts(sizes_of(topics, num_topics))
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
def away_by_bits(rows, sizes):
    """The same from bit rows, and a bit for each topic of which anybody is; sizes int64 (topics): how many are."""
    away_indptr = _starts(sizes)
    subscribers = np.empty(away_indptr[-1], np.int32)
    some_away = np.zeros(rows.shape[2], np.uint64)
    at = away_indptr[:-1].copy()
    for v in range(len(rows)):
        for w in range(rows.shape[2]):
            word = rows[v, 1, w]
            some_away[w] |= word
            while word:
                t = 64 * w + np.int64(lowest(word))
                subscribers[at[t]] = v
                at[t] += 1
                word = without_lowest(word)
    return away_indptr, subscribers, some_away
