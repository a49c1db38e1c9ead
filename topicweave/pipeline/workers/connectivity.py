"""On the workers: how many failures each topic of a bucket survives.

All topics are one graph of memberships. Its cut vertices come from the algorithm of Tarjan and Vishkin (1985), which
works with any spanning forest, here one by breadth-first search: every step is on arrays, level by level. For three
failures, each topic loses one member after the other, all topics at the same time, and must have no cut vertex then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST = 3


def topic_connectivity(
    pairs: NDArray[np.int32], topics: NDArray[np.int64], num_topics: int, most: int
) -> NDArray[np.int64]:
    """For every topic, the largest k up to ``most`` (2 or 3) such that it stays connected when any k - 1 members fail.

    A topic with at most k members counts as k-connected if every two of them are linked; 0 for topics that are not
    connected.

    Parameters
    ----------
    pairs
        Links among memberships, one per column, each once.
    topics
        The topic of each membership.
    num_topics
        Number of topics.
    most
        The largest k of interest.
    """
    members = np.bincount(topics, minlength=num_topics)
    links = np.bincount(topics[pairs[0]], minlength=num_topics)
    is_clique = links * 2 == members * (members - 1)
    pieces, is_cut = cut_vertices(pairs, len(topics))
    found = np.where(_count_pieces(pieces, topics, num_topics) == 1, 1, 0)
    meets = (found == 1) & ~_any(is_cut, topics, num_topics)
    found[np.where(members <= 2, is_clique, meets)] = 2
    if most < MOST:
        return found
    meets = (found == 2) & (members > MOST)
    place = _places(topics)
    for failing in range(int(members[meets].max(initial=0))):
        stays = meets[topics] & (place != failing)
        number = np.cumsum(stays) - 1
        kept = pairs[:, stays[pairs].all(axis=0)]
        rest = topics[stays]
        pieces, is_cut = cut_vertices(number[kept], len(rest))
        meets &= (_count_pieces(pieces, rest, num_topics) <= 1) & ~_any(is_cut, rest, num_topics)
    found[np.where(members <= MOST, is_clique & (found == 2), meets)] = 3
    return found


def cut_vertices(
    pairs: NDArray[np.int64] | NDArray[np.int32], size: int
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """The component of each vertex, and whether the component falls into pieces without it."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not size:
        return np.empty(0, np.int32), np.empty(0, np.bool_)
    ends = np.concatenate((pairs, pairs[::-1]), axis=1).astype(np.int64)
    graph = coo_array((np.ones(ends.shape[1], np.int8), (ends[0], ends[1])), shape=(size, size)).tocsr()
    num_pieces, pieces = connected_components(graph, directed=False)
    parent, levels = _forest(graph.indptr.astype(np.int64), graph.indices, pieces, num_pieces)
    first, below = _numbered(parent, levels)
    is_tree = (parent[ends[0]] == ends[1]) | (parent[ends[1]] == ends[0])
    one, other = ends[:, ~is_tree]
    low, high = first.copy(), first.copy()
    np.minimum.at(low, one, first[other])
    np.maximum.at(high, one, first[other])
    for level in reversed(levels[1:]):
        np.minimum.at(low, parent[level], low[level])
        np.maximum.at(high, parent[level], high[level])
    # From here on, a vertex that is not a root stands for the link above it in the tree. Two such links are in one
    # block if another link joins their branches (``unrelated``), or leads past the upper one of them (``passes``).
    unrelated = first[one] + below[one] <= first[other]
    child = np.flatnonzero(parent >= 0)
    child = child[parent[parent[child]] >= 0]
    above = parent[child]
    passes = (low[child] < first[above]) | (high[child] >= first[above] + below[above])
    same = np.concatenate(
        (np.stack((one[unrelated], other[unrelated])), np.stack((child[passes], above[passes]))), axis=1
    )
    blocks = coo_array((np.ones(same.shape[1], np.int8), (same[0], same[1])), shape=(size, size))
    _, block = connected_components(blocks, directed=False)
    child = np.flatnonzero(parent >= 0)
    # the blocks that each vertex is in: those of the links to its children, and that of the link above it
    holder, inside = np.concatenate((parent[child], child)), np.concatenate((block[child], block[child]))
    distinct = np.unique(holder * np.int64(size) + inside) // size
    return pieces, np.bincount(distinct, minlength=size) > 1


def _forest(
    indptr: NDArray[np.int64], neighbours: NDArray[np.int32], pieces: NDArray[np.int32], num_pieces: int
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """A spanning forest by breadth-first search: the parent of each vertex, -1 for roots, and the vertices by level."""
    parent = np.full(len(pieces), -2, dtype=np.int64)
    level = np.zeros(num_pieces, dtype=np.int64)
    level[pieces[::-1]] = np.arange(len(pieces))[::-1]
    parent[level] = -1
    levels = []
    counts = np.diff(indptr)
    while len(level):
        levels.append(level)
        many = counts[level]
        offsets = np.repeat(indptr[level] - (np.cumsum(many) - many), many)
        met, owner = neighbours[np.arange(len(offsets)) + offsets].astype(np.int64), np.repeat(level, many)
        is_new = parent[met] == -2
        level, chosen = np.unique(met[is_new], return_index=True)
        parent[level] = owner[is_new][chosen]
    return parent, levels


def _numbered(
    parent: NDArray[np.int64], levels: list[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Preorder numbers of a forest, and the number of vertices in the subtree of each vertex."""
    below = np.ones(len(parent), dtype=np.int64)
    for level in reversed(levels[1:]):
        np.add.at(below, parent[level], below[level])
    first = np.zeros(len(parent), dtype=np.int64)
    first[levels[0]] = np.cumsum(below[levels[0]]) - below[levels[0]]
    for level in levels[1:]:
        ordered = level[np.argsort(parent[level], kind="stable")]
        before = np.cumsum(below[ordered]) - below[ordered]
        starts = np.concatenate(([True], np.diff(parent[ordered]) != 0))
        # subtract what comes before the first child of the same parent
        base = np.repeat(before[starts], np.diff(np.append(np.flatnonzero(starts), len(ordered))))
        first[ordered] = first[parent[ordered]] + 1 + before - base
    return first, below


def _count_pieces(pieces: NDArray[np.int32], topics: NDArray[np.int64], num_topics: int) -> NDArray[np.int64]:
    owner = np.zeros(int(pieces.max(initial=-1)) + 1, dtype=np.int64)
    owner[pieces] = topics
    return np.bincount(owner, minlength=num_topics)


def _any(flags: NDArray[np.bool_], topics: NDArray[np.int64], num_topics: int) -> NDArray[np.bool_]:
    return np.bincount(topics[flags], minlength=num_topics) > 0


def _places(topics: NDArray[np.int64]) -> NDArray[np.int64]:
    """The position of each membership among those of its topic."""
    order = np.argsort(topics, kind="stable")
    sizes = np.bincount(topics)
    place = np.empty(len(topics), dtype=np.int64)
    place[order] = np.arange(len(topics)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place
