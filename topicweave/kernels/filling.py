"""Adds links of contribution 0, wherever nodes still have fewer links than the current maximum, for MinMax-ODA and GPM
as the papers describe them (LOW Lemma 1, PART §VII).

In the papers every phase continues until no link fits under the maximum degree Δ, including links of contribution 0:
"Phase 1 increases the degree of every node to 1". Such links change only degrees, so they are added outside the sweep,
when it has run out of pairs that contribute.
"""

import numpy as np

from topicweave.kernels.jit import njit


@njit
def links_that_fit(links, degree, delta):
    """Go through the links in order and make each one whose ends both have fewer than Δ links; return which were made,
    bool (links).

    Parameters
    ----------
    links
        int64 (links, 2): none of them exists yet.
    degree
        int64, by node: number of links; updated.
    delta
        Δ, which is not raised.
    """
    fits = np.zeros(len(links), np.bool_)
    for i in range(len(links)):
        u, v = links[i]
        if max(degree[u], degree[v]) < delta:
            degree[u] += 1
            degree[v] += 1
            fits[i] = True
    return fits


@njit
def fill_phase(order, degree, delta, taken):
    """Link nodes that have fewer than Δ links until no further link is possible; return these links, int64 (number, 2).

    Parameters
    ----------
    order
        int64: the nodes; each is linked to later ones as long as both have room.
    degree
        int64, by node: number of links; updated.
    delta
        Δ, which is not raised.
    taken
        int64, ascending: codes (lower · n + higher) of the existing links.
    """
    num_nodes = len(degree)
    links = np.empty((len(order), 2), np.int64)
    count = 0
    for i in range(len(order)):
        u = order[i]
        for j in range(i + 1, len(order)):
            if degree[u] >= delta:
                break
            v = order[j]
            code = min(u, v) * num_nodes + max(u, v)
            at = np.searchsorted(taken, code)
            if degree[v] >= delta or (at < len(taken) and taken[at] == code):
                continue
            degree[u] += 1
            degree[v] += 1
            if count == len(links):
                links = np.concatenate((links, np.empty_like(links)))
            links[count, 0], links[count, 1] = min(u, v), max(u, v)
            count += 1
    return links[:count].copy()
