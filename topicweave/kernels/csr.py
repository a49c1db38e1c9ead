"""Subscriptions in CSR form, as lists by node and by topic, built by counting sort in linear time."""

import numpy as np

from topicweave.kernels.jit import njit

LEFT_OUT = -1


@njit
def sizes_of(topics, num_topics):
    """The number of subscriptions of each topic."""
    sizes = np.zeros(num_topics, np.int64)
    for t in topics:
        sizes[t] += 1
    return sizes


@njit
def starts_of(sizes):
    """Return where each part starts, and the end of the last (the ``indptr`` of CSR), given the sizes of the parts."""
    indptr = np.zeros(len(sizes) + 1, np.int64)
    for t in range(len(sizes)):
        indptr[t + 1] = indptr[t] + sizes[t]
    return indptr


@njit
def sizes_left(indptr, topics, number):
    """How many topics each node keeps; ``number``, int32 (topics), is the new number of each topic, or LEFT_OUT."""
    sizes = np.zeros(len(indptr) - 1, np.int64)
    for v in range(len(sizes)):
        count = 0
        for i in range(np.uint64(indptr[v]), np.uint64(indptr[v + 1])):
            count += number[topics[i]] != LEFT_OUT
        sizes[v] = count
    return sizes


@njit
def renumber(indptr, topics, number, names, sizes):
    """Return the subscriptions of the nodes ``names``, in CSR form and in that order, with only the topics that are
    kept, under their new numbers; ``sizes`` is what :func:`sizes_left` returned.
    """
    new_indptr = starts_of(sizes[names])
    new_topics = np.empty(new_indptr[-1] + 1, np.int32)
    for u in range(len(names)):
        at = np.uint64(new_indptr[u])
        for i in range(np.uint64(indptr[names[u]]), np.uint64(indptr[names[u] + 1])):
            t = number[topics[i]]
            # a topic that is left out is overwritten by the next one; if it is the last, it is cut off below
            new_topics[at] = t
            at += np.uint64(t != LEFT_OUT)
    return new_indptr, new_topics[:-1]


@njit
def subscribers_of(indptr, topics, sizes):
    """Return the subscribers of each topic in CSR form; ``sizes`` is what :func:`sizes_of` returned."""
    topic_indptr = starts_of(sizes)
    subscribers = np.empty(len(topics), np.int32)
    at = topic_indptr[:-1].copy()
    for v in range(len(indptr) - 1):
        for i in range(indptr[v], indptr[v + 1]):
            t = topics[i]
            subscribers[at[t]] = v
            at[t] += 1
    return topic_indptr, subscribers


@njit
def subscribers_away(indptr, topics, label, home):
    """The subscribers of each topic that are not yet in its largest component, in CSR form."""
    sizes = np.zeros(len(home), np.int64)
    for i in range(len(topics)):
        sizes[topics[i]] += label[i] != home[topics[i]]
    away_indptr = starts_of(sizes)
    subscribers = np.empty(away_indptr[-1], np.int32)
    at = away_indptr[:-1].copy()
    for v in range(len(indptr) - 1):
        for i in range(indptr[v], indptr[v + 1]):
            t = topics[i]
            if label[i] != home[t]:
                subscribers[at[t]] = v
                at[t] += 1
    return away_indptr, subscribers
