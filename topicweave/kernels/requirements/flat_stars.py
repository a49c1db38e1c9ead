"""One star per topic, with centres chosen so that no node has many links and few links are needed in total."""

import numpy as np

from topicweave.kernels.jit import njit
from topicweave.kernels.requirements.links import add_link, are_linked, remove_link

MOST_TRIED = 64  # at most this many members of a topic are tried as its centre, those with the fewest links first


@njit
def place_stars(members, links, centre, order, limit, num_passes, is_flat):
    """Choose a centre for each topic in turn, then move centres as long as that saves links.

    The centre of a topic is the member that needs fewest new links, among those that raise no degree above ``limit``;
    among equals, the one with fewest links.

    Parameters
    ----------
    is_flat
        Whether the first centres are those that have fewest links then, in place of those that need fewest new ones;
        this leaves more nodes below the limit.
    centre
        Output, int32 (topics): the node at the centre of each topic, -1 where there is none.

    Returns
    -------
    Whether every topic has a centre.
    """
    is_complete = True
    for t in order:
        centre[t] = _best_centre(members, links, t, limit, is_flat)
        if centre[t] >= 0:
            _add_star(members, links, centre[t], t)
        else:
            is_complete = False
    for _ in range(num_passes):
        has_moved = False
        for t in order:
            before = centre[t]
            if before >= 0:
                _remove_star(members, links, centre, t)
            centre[t] = _best_centre(members, links, t, limit, False)
            if centre[t] >= 0:
                _add_star(members, links, centre[t], t)
            has_moved |= centre[t] != before
        if not has_moved:
            break
    if not is_complete:
        is_complete = True
        for t in order:
            is_complete &= centre[t] >= 0
    return is_complete


@njit
def _best_centre(members, links, t, limit, is_flat):
    first, last = members.first[t], members.first[t + 1]
    degrees = links.degree[members.nodes[first:last]]
    best, fewest, lightest = -1, np.int64(last) * 4, np.int64(0)
    for place in np.argsort(degrees, kind="mergesort")[:MOST_TRIED]:
        c = members.nodes[first + place]
        new = 0
        fits = True
        for i in range(first, last):
            v = members.nodes[i]
            if v != c and not are_linked(links, c, v):
                new += 1
                if links.degree[v] >= limit or (new > fewest and not is_flat):
                    fits = False
                    break
        if not fits or links.degree[c] + new > limit:
            continue
        load = np.int64(links.degree[c])
        if is_flat:
            load, new = new, load + new
        if new < fewest or (new == fewest and (best < 0 or load < lightest)):
            best, fewest, lightest = c, new, load
    return best


@njit
def _add_star(members, links, c, t):
    for i in range(members.first[t], members.first[t + 1]):
        v = members.nodes[i]
        if v != c and not are_linked(links, c, v):
            add_link(links, c, v)


@njit
def _remove_star(members, links, centre, t):
    """Remove the links of a star that no other star uses."""
    c = centre[t]
    centre[t] = -1
    for i in range(members.first[t], members.first[t + 1]):
        v = members.nodes[i]
        if v != c and not _is_used(members, centre, c, v):
            remove_link(links, c, v)


@njit
def _is_used(members, centre, u, v):
    """Whether one of the two nodes is the centre of a topic that both have."""
    i, end_i = members.indptr[u], members.indptr[u + 1]
    j, end_j = members.indptr[v], members.indptr[v + 1]
    while i < end_i and j < end_j:
        t, other = members.topics[i], members.topics[j]
        if t == other and (centre[t] == u or centre[t] == v):
            return True
        i += t <= other
        j += other <= t
    return False


@njit
def list_links(links):
    """All links as pairs, lower node first, sorted: int64 (m, 2)."""
    pairs = np.empty((links.degree.sum() // 2, 2), np.int64)
    count = 0
    for u in range(len(links.head)):
        begin = count
        arc = links.head[u]
        while arc >= 0:
            if links.to[arc] > u:
                pairs[count, 0], pairs[count, 1] = u, links.to[arc]
                count += 1
            arc = links.following[arc]
        pairs[begin:count, 1] = np.sort(pairs[begin:count, 1])
    return pairs
