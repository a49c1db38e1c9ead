"""Dissemination trees that change only where they must: every link of the earlier tree that still exists is kept.

What is kept of a topic's earlier tree is a forest. The number of links needed to join its pieces is always the same,
but the choice of links decides how many brokers have to be told. A link is told to its *teller*, the end with the
higher number; links whose teller has to be told something anyway come first.
"""

import numpy as np

from topicweave.kernels.components import find_root, unite_roots
from topicweave.kernels.jit import inner_njit, njit
from topicweave.kernels.topic_links import neighbours_within
from topicweave.kernels.trees import choose_core, hang_by_middle, write_tree


@njit
def keep_trees(links, members, is_kept, told, result):
    """Build the trees of all topics, keeping the links of earlier trees that still exist.

    links, members, result as in ``grow_trees``; is_kept bool by link of a topic; told bool by node: the nodes that have
    to be told anyway, to which those with new links are added.
    """
    topic_start, nodes, receives = members
    trees, cut = result
    for t in range(len(topic_start) - 1):
        low, high = topic_start[t], topic_start[t + 1]
        if high == low:
            continue
        span = slice(links[0][t], links[0][t + 1])
        ends = links[1][span], links[2][span], links[3][span]
        names = nodes[low:high]
        in_tree = is_kept[span].copy()
        core = np.empty(len(names), np.bool_)
        if in_tree.sum() < len(names) - 1:
            start, near, _ = neighbours_within(ends[0], ends[1], len(names))
            choose_core(start, near, receives[low:high], core)
            _join(ends, names, core, in_tree, told)
        chosen = np.flatnonzero(in_tree)
        cut[t] = len(chosen) < len(names) - 1
        if not cut[t]:
            tree_ends = ends[0][chosen], ends[1][chosen], ends[2][chosen]
            found = np.empty(len(names)), np.empty(len(names), np.int32), np.empty(len(names), np.int32)
            hang_by_middle(tree_ends, found)
            write_tree(t, low, names, tree_ends, found, trees)


@inner_njit
def _join(ends, names, core, in_tree, told):
    """Add links to the kept forest of a topic until it is one tree: first links between members that may relay, and
    among these first links whose teller (the node in whose file the link is configured) is in ``told``.
    """
    one, other, _ = ends
    parent = np.full(len(names), -1, np.int64)
    # whether the node already has a link in the tree, so that one more would make it a relay [bool (n)]
    is_inner = np.zeros(len(names), np.bool_)
    for k in range(len(one)):
        if in_tree[k]:
            unite_roots(parent, find_root(parent, one[k]), find_root(parent, other[k]))
            is_inner[one[k]] = True
            is_inner[other[k]] = True
    for round_number in range(6):
        to_core, only_told = round_number < 4, round_number % 2 == 0
        for k in range(len(one)):
            u, v = one[k], other[k]
            teller = max(names[u], names[v])
            if in_tree[k] or (only_told and not told[teller]):
                continue
            if to_core and not (core[u] and core[v]):
                # A member that may not relay gets a single link, to a member that may.
                leaf, inner = (v, u) if core[u] else (u, v)
                if round_number < 2 or not core[inner] or is_inner[leaf]:
                    continue
            a, b = find_root(parent, u), find_root(parent, v)
            if a != b:
                unite_roots(parent, a, b)
                in_tree[k] = True
                is_inner[u] = True
                is_inner[v] = True
                told[teller] = True
