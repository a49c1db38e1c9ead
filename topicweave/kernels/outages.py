"""What the topics lose when nodes fail: each node alone, by one search per topic, or several at once.

Members are given as by :func:`topicweave.kernels.topic_links.members_of`, links as by ``topic_links`` there.
"""

import numpy as np

from topicweave.kernels.components import find_root, unite_roots
from topicweave.kernels.jit import njit
from topicweave.kernels.topic_links import neighbours_within


@njit
def single_outages(start, one, other, member_start):
    """For each member of each topic: into how many pieces would the others fall without it, and how many would be cut
    off?

    One depth-first search of each topic finds all its articulation points (Hopcroft and Tarjan 1973): a member parts
    from the rest what lies below a child from which no link leads past it. The sizes of these subtrees are the sizes
    of the pieces. Only the component of the failing member counts. Time and memory are linear in members and links.

    Parameters
    ----------
    start, one, other
        The links of all topics: where each topic begins int64, places of both ends int32.
    member_start
        Where the members of each topic begin, int64.

    Returns
    -------
    (pieces int32, members outside the largest of them int32), one entry per member of each topic; 0 and 0 for members
    whose failure parts nobody.
    """
    pieces = np.zeros(member_start[-1], np.int32)
    cut_off = np.zeros(member_start[-1], np.int32)
    for t in range(len(member_start) - 1):
        first = member_start[t]
        n = member_start[t + 1] - first
        if n < 3:
            continue
        begin, near, _ = neighbours_within(one[start[t] : start[t + 1]], other[start[t] : start[t + 1]], n)
        found = np.full(n, -1, np.int32)  # each member's number in search order
        low = np.empty(n, np.int32)  # the earliest member (in search order) that a link from its subtree leads to
        size = np.ones(n, np.int32)  # of its subtree
        above = np.full(n, -1, np.int32)
        parted = np.zeros(n, np.int32)  # how many members its failure would cut off from those above it
        most = np.zeros(n, np.int32)  # the largest piece that these members would form
        count = np.zeros(n, np.int32)
        at = begin[:-1].copy()
        order = np.empty(n, np.int32)
        num_found = 0
        for root in range(n):
            if found[root] >= 0:
                continue
            head = num_found
            found[root] = low[root] = num_found
            order[num_found] = root
            num_found += 1
            v = root
            while v >= 0:
                if at[v] < begin[v + 1]:
                    w = near[at[v]]
                    at[v] += 1
                    if found[w] < 0:
                        above[w] = v
                        found[w] = low[w] = num_found
                        order[num_found] = w
                        num_found += 1
                        v = w
                    elif w != above[v]:
                        low[v] = min(low[v], found[w])
                    continue
                u = above[v]
                if u >= 0:
                    size[u] += size[v]
                    low[u] = min(low[u], low[v])
                    if low[v] >= found[u]:
                        parted[u] += size[v]
                        most[u] = max(most[u], size[v])
                        count[u] += 1
                v = u
            for i in range(head, num_found):
                v = order[i]
                others = num_found - head - 1
                rest = others - parted[v]
                if rest > 0:
                    count[v] += 1
                    most[v] = max(most[v], rest)
                if count[v] > 1:
                    pieces[first + v] = count[v]
                    cut_off[first + v] = others - most[v]
    return pieces, cut_off


@njit
def joint_outage(start, one, other, member_start, members, gone):
    """What each topic loses when all nodes in ``gone``, bool (nodes), fail together.

    Every component of a topic is compared with what remains of it: its largest piece goes on, the others are cut off.

    Returns
    -------
    For each topic, int32: (failed members, pieces of the others, members cut off); for each member of each topic, bool:
    whether it is cut off.
    """
    num_topics = len(member_start) - 1
    failed = np.zeros(num_topics, np.int32)
    pieces = np.zeros(num_topics, np.int32)
    cut_off = np.zeros(num_topics, np.int32)
    is_cut_off = np.zeros(len(members), np.bool_)
    for t in range(num_topics):
        first = member_start[t]
        n = member_start[t + 1] - first
        for i in range(n):
            failed[t] += gone[members[first + i]]
        if failed[t] == 0:
            continue
        before = np.full(n, -1, np.int64)
        after = np.full(n, -1, np.int64)
        for k in range(start[t], start[t + 1]):
            _unite(before, one[k], other[k])
            if not (gone[members[first + one[k]]] or gone[members[first + other[k]]]):
                _unite(after, one[k], other[k])
        largest = np.full(n, -1, np.int64)  # for each component, the representative of its largest remaining piece
        for i in range(n):
            if not gone[members[first + i]] and after[i] < 0:
                pieces[t] += 1
                whole = find_root(before, i)
                if largest[whole] < 0 or after[i] < after[largest[whole]]:
                    largest[whole] = i
        for i in range(n):
            if not gone[members[first + i]] and find_root(after, i) != largest[find_root(before, i)]:
                is_cut_off[first + i] = True
                cut_off[t] += 1
    return failed, pieces, cut_off, is_cut_off


@njit
def _unite(parent, one, other):
    one, other = find_root(parent, one), find_root(parent, other)
    if one != other:
        unite_roots(parent, one, other)
