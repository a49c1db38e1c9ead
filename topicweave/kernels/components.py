"""Keeps track of the connected components of all topics while links are added, by one union-find over all
subscriptions.

The element of (node, topic) is the position of the subscription in the CSR by node, so that one array serves every
topic and sets of different topics cannot mix. A root holds minus the size of its set, every other element its parent.
"""

import numpy as np

from topicweave.kernels.jit import njit


@njit
def find_root(parent, element):
    """Return the representative of an element's set, shortening the path on the way."""
    while parent[element] >= 0:
        above = parent[element]
        if parent[above] < 0:
            return above
        parent[element] = parent[above]
        element = parent[above]
    return element


@njit
def unite_roots(parent, one, other):
    """Merge two sets, given by their representatives: the smaller one is attached to the larger."""
    if parent[one] > parent[other]:
        one, other = other, one
    parent[one] += parent[other]
    parent[other] = one


@njit
def count_subscribers(node_topics, num_topics):
    """Return the number of subscribers of each topic, which is its number of components as long as there are no
    links.
    """
    pieces = np.zeros(num_topics, dtype=np.int64)
    for topic in node_topics:
        pieces[topic] += 1
    return pieces


@njit
def add_link(node_indptr, node_topics, parent, pieces, u, v):
    """Merge the components of ``u`` and ``v`` in all their common topics; return in how many topics they were apart."""
    i, end_i = node_indptr[u], node_indptr[u + 1]
    j, end_j = node_indptr[v], node_indptr[v + 1]
    joined = 0
    while i < end_i and j < end_j:
        topic, other = node_topics[i], node_topics[j]
        # If a topic is a single component already, there is nothing to merge.
        if topic == other and pieces[topic] > 1:
            root_i, root_j = find_root(parent, i), find_root(parent, j)
            if root_i != root_j:
                unite_roots(parent, root_i, root_j)
                pieces[topic] -= 1
                joined += 1
        i += topic <= other
        j += other <= topic
    return joined


@njit
def edge_contributions(node_indptr, node_topics, num_topics, edges, num_unreported=0):
    """Return the contribution of each link when the links are added in this order to an empty overlay.

    Parameters
    ----------
    node_indptr, node_topics
        CSR by node, topics ascending in each row: integer arrays.
    num_topics
        Number of topics.
    edges
        (m, 2) int64.
    num_unreported
        Number of leading edges that are added but left out of the result.

    Returns
    -------
    int64 array of length ``m - num_unreported``.
    """
    parent = np.full(len(node_topics), -1, dtype=np.int64)
    pieces = count_subscribers(node_topics, num_topics)
    missing = np.sum(np.maximum(pieces - 1, 0))
    contributions = np.zeros(max(len(edges) - num_unreported, 0), dtype=np.int64)
    for e in range(len(edges)):
        if missing == 0:
            break
        joined = add_link(node_indptr, node_topics, parent, pieces, edges[e, 0], edges[e, 1])
        missing -= joined
        if e >= num_unreported:
            contributions[e - num_unreported] = joined
    return contributions


@njit
def take_pairs(node_indptr, node_topics, parent, pieces, degrees, pairs, max_degree, num_wanted, missing):
    """Link the pairs in order, skipping those with an end at ``max_degree``, until everything is connected or the
    budget is used up.

    It is done when ``num_wanted`` pairs are linked or nothing is ``missing`` any more (every topic is connected).
    ``parent``, ``pieces`` and ``degrees`` continue from the links made before and are updated in place.

    Returns
    -------
    (bool array: which pairs were linked, number of merges still missing)
    """
    taken = np.zeros(len(pairs), dtype=np.bool_)
    for i in range(len(pairs)):
        if missing == 0 or num_wanted == 0:
            break
        u, v = pairs[i, 0], pairs[i, 1]
        if degrees[u] >= max_degree or degrees[v] >= max_degree:
            continue
        missing -= add_link(node_indptr, node_topics, parent, pieces, u, v)
        degrees[u] += 1
        degrees[v] += 1
        num_wanted -= 1
        taken[i] = True
    return taken, missing
