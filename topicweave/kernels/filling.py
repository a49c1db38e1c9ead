"""Links of contribution 0, for the literal reading of MinMax-ODA and GPM (LOW Lemma 1, PART §VII).

There every phase goes on until no link fits under the maximum degree Δ, also with links that connect nothing: "Phase 1
increases the degree of every node to 1". They change degrees only, so they are made beside the sweep, when it has run
out of pairs that contribute.
"""

import numpy as np

from topicweave.kernels.jit import njit


@njit
def links_that_fit(links, degree, delta):
    """Make those of these links whose ends both have fewer than Δ links, in their order; return which, bool (links).

    Parameters
    ----------
    links
        int64 (links, 2): none that there is already.
    degree
        int64, by node: links there are; changed.
    delta
        Δ, which stays as it is.
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
    """Link nodes of fewer than Δ links until no further link fits; return these links, int64 (some, 2).

    Parameters
    ----------
    order
        int64: the nodes; each is linked to later ones as long as both have room.
    degree
        int64, by node: links there are; changed.
    delta
        Δ, which stays as it is.
    taken
        int64, rising: codes (lower · n + higher) of the links there are.
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
