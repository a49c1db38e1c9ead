"""Near candidates: for every node the partners with which a link would merge most, without looking at all pairs.

A partner must share a topic, so partners are met in the lists of the node's topics. Where the node is away from home in
a topic everybody there is a partner, where it is at home only those who are away. A long list is not walked whole: only
its head, where the nodes with most to connect stand, and a *window* around the node's own place. All lists are in
one order, drawn anew every round, so two nodes that are close meet in the windows of all their common topics, and what
is counted is what the link would merge. Who was not met in this round may be met in the next.
"""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.jit import njit, prange

NOBODY = -1


class Crowds(NamedTuple):
    """Lists of subscriptions by topic, in one order of the nodes."""

    start: np.ndarray  # int64 (topics + 1)
    node: np.ndarray  # int32: whose subscription it is
    label: np.ndarray  # int32: the component it is in
    place: np.ndarray  # int32 (subscriptions): where in its topic's list each stands, or would stand


@njit
def line_up(order, indptr, topics, listed, labels, start, node, label, place):
    """Fill the lists of the topics with the listed subscriptions of the nodes in this order."""
    at = start[:-1].copy()
    for v in order:
        for s in range(indptr[v], indptr[v + 1]):
            t = topics[s]
            place[s] = at[t] - start[t]
            if listed[s]:
                node[at[t]], label[at[t]] = v, labels[s]
                at[t] += 1


@njit
def _meet(u, own, takes, nodes, labels, first, last, count, met, num_met):
    """Count one more common topic with those in this part of a list who are not in component ``own``, as u is."""
    for i in range(first, last):
        v = nodes[i]
        if labels[i] != own and takes[v] and v != u:
            if count[v] == 0:
                met[num_met] = v
                num_met += 1
            count[v] += 1
    return num_met


@njit
def _walk(u, own, place, takes, crowds, t, window, head, count, met, num_met):
    """Meet the head of a topic's list, and the window around the node's place in it."""
    nodes = crowds.node[crowds.start[t] : crowds.start[t + 1]]
    labels = crowds.label[crowds.start[t] : crowds.start[t + 1]]
    if len(nodes) <= head + window:
        return _meet(u, own, takes, nodes, labels, 0, len(nodes), count, met, num_met)
    num_met = _meet(u, own, takes, nodes, labels, 0, head, count, met, num_met)
    first = max(head, min(place - window // 2, len(nodes) - window))
    return _meet(u, own, takes, nodes, labels, first, first + window, count, met, num_met)


@njit
def _best(count, met, num_met, histogram, chosen):
    """Choose those met most often; forget all counts."""
    room = len(chosen)
    histogram[:] = 0
    most = len(histogram) - 1
    for i in range(num_met):
        histogram[min(count[met[i]], most)] += 1
    least, above = most, 0
    while least > 1 and above + histogram[least] < room:
        above += histogram[least]
        least -= 1
    size, level = 0, room - above
    for i in range(num_met):
        v = met[i]
        times = min(count[v], most)
        count[v] = 0
        if times > least or (times == least and level > 0):
            if times == least:
                level -= 1
            if size < room:
                chosen[size] = v
                size += 1
    chosen[size:] = NOBODY


@njit
def _search(
    indptr, topics, label, takes, everybody, away_only, is_away, u, window, head, count, met, histogram, chosen
):
    num_met = 0
    for s in range(indptr[u], indptr[u + 1]):
        crowds = everybody if is_away[s] else away_only
        place = crowds.place[s]
        num_met = _walk(u, label[s], place, takes, crowds, topics[s], window, head, count, met, num_met)
    _best(count, met, num_met, histogram, chosen)


@njit(parallel=True)
def nearest(
    indptr, topics, label, takes, everybody, away_only, is_away, searching, window, head, most, chosen, workers
):
    """For each searching node the nodes with which a link would merge most, as far as the windows show.

    indptr, topics: CSR by node. label, is_away: by subscription. takes bool (n): who may be chosen. most: the
    largest contribution told apart. chosen int32 (searching, K): output, NOBODY where fewer.
    """
    for worker in prange(workers):
        count = np.zeros(len(takes), np.uint16)
        met = np.empty(len(takes), np.int32)
        histogram = np.empty(most + 1, np.int64)
        for i in range(np.int64(worker), len(searching), workers):
            _search(
                indptr, topics, label, takes, everybody, away_only, is_away, searching[i], window, head, count, met,
                histogram, chosen[i],
            )  # fmt: skip
