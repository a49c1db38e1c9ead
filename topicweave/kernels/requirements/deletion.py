"""Reverse deletion: removes every link that the requirements do not need."""

import numpy as np

from topicweave.kernels.jit import njit
from topicweave.kernels.requirements.links import add_link, remove_link
from topicweave.kernels.requirements.topic_graph import build_graph, is_met


@njit
def met_by_all(members, links, graph, potential):
    """For each topic, whether it meets the hop limit and the connectivity of ``potential.target``."""
    met = np.empty(len(members.first) - 1, np.bool_)
    for t in range(len(met)):
        met[t] = is_topic_met(members, links, graph, potential, t)
    return met


@njit
def is_topic_met(members, links, graph, potential, t):
    """Whether a topic meets the hop limit and the connectivity of ``potential.target``."""
    n = build_graph(members, links, graph, t)
    first, last = members.first[t], members.first[t + 1]
    return is_met(
        graph, n, potential.target[0], potential.target[1], potential.centre[t],
        potential.order[first:last], potential.parent[first:last], potential.block[first:last],
    )  # fmt: skip


@njit
def delete_needless(members, links, graph, potential, pairs):
    """Try to remove each link of an array in turn; return which ones were removed.

    A link stays if one of its topics that met the requirements would no longer do so.
    """
    removed = np.zeros(len(pairs), np.bool_)
    met = met_by_all(members, links, graph, potential)
    for place in range(len(pairs)):
        u, v = pairs[place, 0], pairs[place, 1]
        remove_link(links, u, v)
        if _is_needed(members, links, graph, potential, met, u, v):
            add_link(links, u, v)
        else:
            removed[place] = True
    return removed


@njit
def _is_needed(members, links, graph, potential, met, u, v):
    i, end_i = members.indptr[u], members.indptr[u + 1]
    j, end_j = members.indptr[v], members.indptr[v + 1]
    while i < end_i and j < end_j:
        t, other = members.topics[i], members.topics[j]
        # a topic that is not connected anyway keeps all its links
        if t == other and not (met[t] and is_topic_met(members, links, graph, potential, t)):
            return True
        i += t <= other
        j += other <= t
    return False
