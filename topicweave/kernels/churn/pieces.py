"""Finds the pieces into which a topic falls when links are removed, by a search that stays close to the removed links.

Before the event the topic was connected, so every piece contains a neighbour of what was removed. The searches from all
these neighbours take turns; two that meet become one. The search ends when at most one of them can still grow: that
piece is everything not reached, and need not be visited.
"""

from collections import namedtuple

import numpy as np

from topicweave.kernels.intrinsics import ONE
from topicweave.kernels.jit import njit

Search = namedtuple(  # noqa: PYI024
    "Search",
    [
        # which source last reached the node: the lowest mark of the current search plus the source's number; marks of
        # earlier searches are lower [int64 (nodes)]
        "mark",
        "queue",  # nodes still to visit, in one linked list per source; ``after`` has the next entry [int32 (nodes)]
        "after",  # int32 (nodes)
        "head",  # first entry of the source's list in ``queue``; -1 if no node is left to visit [int32 (sources)]
        "tail",  # int32 (sources)
        "parent",  # a union-find forest of the sources whose searches have met [int32 (sources)]
        "turn",  # int32 (sources)
        "sources",  # the nodes from which the search starts, set by the caller [int32 (sources)]
        # two numbers: the lowest mark that no search has used yet; how many links were followed since the caller last
        # set this number to 0 [int64 (2)]
        "count",
    ],
)
BASE, VISITED = 0, 1


def new_search(num_nodes):
    """Allocate the scratch arrays for searching an overlay of ``num_nodes`` nodes from at most that many sources."""
    each = [np.zeros(num_nodes, np.int32) for _ in range(7)]
    return Search(np.zeros(num_nodes, np.int64), *each, np.array([1, 0], np.int64))


@njit
def find(parent, i):
    """Of all sources whose searches have met that of source i, the one that represents them."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@njit
def explore(rows, neighbours, word, bit, num_sources, cut_u, cut_v, search):
    """Search one topic's sub-overlay from all sources; return in how many pieces they are, and a source in the one
    piece that was not explored to its end (-1 if there is none).

    rows uint64 (nodes, words): subscriptions; the topic is ``bit`` of ``word``. The link cut_u - cut_v is ignored.
    """
    mark, queue, after, head, tail, parent, turn, sources, count = search
    base = count[BASE]
    count[BASE] += num_sources
    used = 0
    groups = 0
    for i in range(num_sources):
        x = sources[i]
        parent[i] = i
        head[i] = -1
        if mark[x] >= base:  # this node is listed twice as a source
            parent[i] = find(parent, mark[x] - base)
            continue
        mark[x] = base + i
        queue[used], after[used] = x, -1
        head[i] = tail[i] = used
        used += 1
        turn[groups] = i
        groups += 1
    growing = groups
    num_turns = groups
    visited = 0
    while growing > 1:
        kept = 0
        for i in range(num_turns):
            r = turn[i]
            if parent[r] != r or growing <= 1:
                continue
            e = head[r]
            x = queue[e]
            head[r] = after[e]
            first = neighbours.start[x]
            for j in range(first, first + neighbours.length[x]):
                y = neighbours.pool[j]
                visited += 1
                if not rows[y, word] & bit or (x == cut_u and y == cut_v) or (x == cut_v and y == cut_u):
                    continue
                if mark[y] < base:
                    mark[y] = base + r
                    queue[used], after[used] = y, -1
                    if head[r] < 0:
                        head[r] = used
                    else:
                        after[tail[r]] = used
                    tail[r] = used
                    used += 1
                    continue
                other = find(parent, mark[y] - base)
                # the two searches have met: the other one, which was still going on, becomes part of this one
                if other != r:
                    parent[other] = r
                    if head[other] >= 0:
                        if head[r] < 0:
                            head[r] = head[other]
                        else:
                            after[tail[r]] = head[other]
                        tail[r] = tail[other]
                    groups -= 1
                    growing -= 1
            if head[r] < 0:
                growing -= 1
            else:
                turn[kept] = r
                kept += 1
        if growing > 1:
            num_turns = kept
    count[VISITED] += visited
    rest = -1
    for i in range(num_sources):
        if parent[i] == i and head[i] >= 0:
            rest = i
    return groups, rest


@njit
def piece_of(search, base, rest, x):
    """The piece to which node x belongs, as the last search has found: ``rest`` if no source reached x."""
    return find(search.parent, search.mark[x] - base) if search.mark[x] >= base else rest


@njit
def find_pieces(rows, neighbours, topics, lost, near_indptr, near, members, search, pieces, broken):
    """Find which topics are no longer connected, and for these the piece that each member is in.

    Parameters
    ----------
    rows, neighbours
        Subscriptions and links after the losses.
    topics
        int32: topics in which some node lost a subscription or a link.
    lost
        uint64 (losers, words): what each loser lost.
    near_indptr, near
        CSR: the neighbours of each loser before the event.
    members
        int32: the nodes whose pieces are wanted.
    search
        Scratch.
    pieces
        int32 (topics, members), output: in row i the pieces for the topic ``broken[i]``, -1 for nodes that do not
        subscribe.
    broken
        int32 (topics), output: the topics that are no longer connected.

    Returns
    -------
    How many topics are broken.
    """
    num_broken = 0
    for i in range(len(topics)):
        t = topics[i]
        word, bit = t >> 6, ONE << np.uint64(t & 63)
        num_sources = 0
        base = search.count[BASE]
        # mark the nodes that are listed as sources, because a neighbour of two nodes that lost the topic must be listed
        # once only
        search.count[BASE] += 1
        for v in range(len(lost)):
            if not lost[v, word] & bit:
                continue
            for j in range(near_indptr[v], near_indptr[v + 1]):
                x = near[j]
                if rows[x, word] & bit and search.mark[x] < base:
                    search.mark[x] = base
                    search.sources[num_sources] = x
                    num_sources += 1
        if num_sources < 2:
            continue
        base = search.count[BASE]
        groups, rest = explore(rows, neighbours, word, bit, num_sources, -1, -1, search)
        if groups < 2:
            continue
        for m in range(len(members)):
            x = members[m]
            pieces[num_broken, m] = piece_of(search, base, rest, x) if rows[x, word] & bit else -1
        broken[num_broken] = t
        num_broken += 1
    return num_broken


@njit
def label_newcomers(rows, neighbours, topics, newcomers, gained, members, search, pieces, broken):
    """Of the topics that nodes have gained, find those that are not connected, and for these the piece that each member
    is in: the old subscribers and the newcomers linked to them are one piece, the other newcomers form further ones.

    ``gained`` uint64 (newcomers, words): what each newcomer gained. The newcomers are the first of the members.
    ``pieces``, ``broken`` and the result are as in :func:`find_pieces`.
    """
    mark, parent = search.mark, search.parent
    num_broken = 0
    k = len(newcomers)
    for i in range(len(topics)):
        t = topics[i]
        word, bit = t >> 6, ONE << np.uint64(t & 63)
        base = search.count[BASE]
        search.count[BASE] += k
        for j in range(k):
            parent[j] = j
            if gained[j, word] & bit:
                mark[newcomers[j]] = base + j
        old = -1  # a newcomer that is linked to an old subscriber belongs to the piece of the old subscribers
        for j in range(k):
            if not gained[j, word] & bit:
                continue
            first = neighbours.start[newcomers[j]]
            for e in range(first, first + neighbours.length[newcomers[j]]):
                y = neighbours.pool[e]
                search.count[VISITED] += 1
                if not rows[y, word] & bit:
                    continue
                if mark[y] >= base:
                    parent[find(parent, mark[y] - base)] = find(parent, j)
                elif old < 0:
                    old = j
                else:
                    parent[find(parent, j)] = find(parent, old)
        if old >= 0:
            old = find(parent, old)
        first_piece = -1
        apart = False
        for m in range(len(members)):
            x = members[m]
            piece = -1
            if rows[x, word] & bit:
                if mark[x] >= base:
                    piece = find(parent, mark[x] - base)
                else:
                    piece = old if old >= 0 else k
                if first_piece < 0:
                    first_piece = piece
                apart = apart or piece != first_piece
            pieces[num_broken, m] = piece
        if apart:
            broken[num_broken] = t
            num_broken += 1
    return num_broken


@njit
def is_redundant(rows, neighbours, u, v, search):
    """Whether every topic that u and v share stays connected without the link between them."""
    for word in range(rows.shape[1]):
        common = rows[u, word] & rows[v, word]
        while common:
            bit = common & (~common + ONE)
            common ^= bit
            search.sources[0], search.sources[1] = u, v
            groups, _ = explore(rows, neighbours, word, bit, 2, u, v, search)
            if groups > 1:
                return False
    return True
