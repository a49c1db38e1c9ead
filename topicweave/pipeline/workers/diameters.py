"""On the workers: topic diameters of all topics of a bucket together.

Every subscriber's eccentricity has bounds that each breadth-first search tightens: a subscriber at distance d from a
start of eccentricity e has an eccentricity of at least max(d, e − d) and at most e + d. A topic is done when no
subscriber's can exceed the largest one seen (Takes and Kosters 2011). The searches run in all topics at once, one level
per step, from one subscriber of each open topic. A dozen rounds settle most topics and leave few candidates in the
others; from those, 64 searches at a time run in the bits of a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How many memberships and links all searches together may visit; topics that are open then keep a lower bound.
STEPS = 400_000_000
LEAST_ROUNDS, MOST_ROUNDS = 3, 12


def topic_diameters(
    pairs: NDArray[np.int32], topics: NDArray[np.int64], num_topics: int, steps: int = STEPS
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The diameter of every topic, and whether it is exact. A topic with several components gets the largest of theirs.

    Parameters
    ----------
    pairs
        Links among memberships, one per column.
    topics
        The topic of each membership.
    num_topics
        Number of topics.
    steps
        Number of memberships and links that the searches may visit before they give up; a few rounds are always made.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = len(topics)
    ends = np.concatenate((pairs, pairs[::-1]), axis=1)
    graph = coo_array((np.ones(ends.shape[1], dtype=np.int8), (ends[0], ends[1])), shape=(size, size)).tocsr()
    num_pieces, pieces = connected_components(graph, directed=False)
    lower, upper = _bounds(graph, pieces, num_pieces, steps)
    owner = np.zeros(num_pieces, dtype=np.int64)
    owner[pieces] = topics
    diameters, limits = np.zeros(num_topics, dtype=np.int64), np.zeros(num_topics, dtype=np.int64)
    np.maximum.at(diameters, owner, lower)
    np.maximum.at(limits, owner, upper)
    return diameters, diameters >= limits


def _bounds(
    graph: Any, pieces: NDArray[np.int32], num_pieces: int, steps: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lower and upper bounds of the largest eccentricity in each component."""
    sizes = np.bincount(pieces, minlength=num_pieces).astype(np.int64)
    lower, upper = np.zeros(num_pieces, dtype=np.int64), sizes - 1
    search = _Search(graph)
    degrees = search.counts
    members = np.flatnonzero(sizes[pieces] > 1)  # members of the components that are still open, and their bounds
    least, most = np.zeros(len(members), dtype=np.int64), upper[pieces[members]]
    # The first search starts where most links are, the next at the far end, then alternately where the bounds are
    # widest.
    height = degrees[members]
    visits = 0
    for round_number in range(MOST_ROUNDS):
        if not len(members) or (visits > steps and round_number >= LEAST_ROUNDS):
            break
        piece = pieces[members]
        distance = search.levels(_highest(members, piece, height, num_pieces), members)
        reach = _greatest(piece, distance, num_pieces)[piece]
        least = np.maximum(least, np.maximum(distance, reach - distance))
        most = np.minimum(most, reach + distance)
        np.maximum.at(lower, piece, least)
        still = np.unique(piece)
        upper[still] = np.maximum(lower, _greatest(piece, most, num_pieces))[still]
        visits += len(members) + int(degrees[members].sum())
        is_open = (lower < upper)[piece]
        members, least, most = members[is_open], least[is_open], most[is_open]
        # Highest upper bound: may be an end. Lowest lower bound: likely a centre. Degree breaks ties. Members that
        # cannot exceed the largest value seen, including those searched from, are skipped.
        height = (-least if round_number % 2 else most) * (int(degrees.max(initial=0)) + 1) + degrees[members]
        height = np.where(most > lower[pieces[members]], height, np.iinfo(np.int64).min + 1)
    candidates = most > lower[pieces[members]]
    _search_from_all(graph, members, candidates, pieces, lower, upper, steps - visits)
    return lower, upper


def _search_from_all(
    graph: Any,
    members: NDArray[np.int64],
    candidates: NDArray[np.bool_],
    pieces: NDArray[np.int32],
    lower: NDArray[np.int64],
    upper: NDArray[np.int64],
    steps: int,
) -> None:
    """Search from every candidate of the open components, 64 of each at a time; tightens both bounds in place."""
    # By component, candidates first: a candidate's position in its component gives the word and bit in which its search
    # runs.
    order = np.lexsort((~candidates, pieces[members]))
    members, candidates = members[order], candidates[order]
    word, part = 0, None
    while len(members):
        part = graph[members][:, members] if part is None else part
        piece = pieces[members]
        first = np.concatenate(([True], np.diff(piece) != 0))
        place = np.arange(len(members)) - np.maximum.accumulate(np.where(first, np.arange(len(members)), 0))
        is_left = np.zeros(len(lower), dtype=bool)
        is_left[piece[candidates & (place >= 64 * word)]] = True
        upper[piece] = np.where(is_left[piece], upper[piece], lower[piece])
        if not is_left[piece].all():  # some components are done: continue without them
            members, candidates, part = members[is_left[piece]], candidates[is_left[piece]], None
            continue
        if steps <= 0:
            return
        ours = candidates & (place >= 64 * word) & (place < 64 * (word + 1))
        reached = np.where(ours, np.uint64(1) << (place % 64).astype(np.uint64), np.uint64(0))
        depth = 0
        while True:
            more = reached | np.bitwise_or.reduceat(reached[part.indices], part.indptr[:-1])
            grown = piece[more != reached]
            steps -= len(members) + part.nnz
            if not len(grown):
                break
            reached, depth = more, depth + 1
            lower[grown] = np.maximum(lower[grown], depth)
        word += 1


class _Search:
    """Breadth-first search from many starts at once, one level per step."""

    def __init__(self, graph: Any) -> None:
        self.starts = graph.indptr[:-1].astype(np.int64)
        self.counts = np.diff(graph.indptr).astype(np.int64)
        self.neighbours = graph.indices
        self.level = np.full(graph.shape[0], -1, dtype=np.int64)

    def levels(self, starts: NDArray[np.int64], members: NDArray[np.int64]) -> NDArray[np.int64]:
        """The distance of each member from the start in its component; every member must be reachable from one."""
        self.level[members] = -1
        self.level[starts] = 0
        frontier, depth = starts, 0
        while len(frontier):
            depth += 1
            counts = self.counts[frontier]
            offsets = np.repeat(self.starts[frontier] - (np.cumsum(counts) - counts), counts)
            met = self.neighbours[np.arange(len(offsets)) + offsets]
            met = met[self.level[met] < 0]
            # If several reached the same member, the last one to write its mark represents it.
            self.level[met] = np.arange(len(met))
            frontier = met[self.level[met] == np.arange(len(met))].astype(np.int64)
            self.level[frontier] = depth
        return self.level[members]


def _greatest(piece: NDArray[np.int32], values: NDArray[np.int64], num_pieces: int) -> NDArray[np.int64]:
    """For each component the greatest of its members' values, 0 if it has none."""
    found = np.zeros(num_pieces, dtype=np.int64)
    np.maximum.at(found, piece, values)
    return found


def _highest(
    members: NDArray[np.int64], piece: NDArray[np.int32], height: NDArray[np.int64], num_pieces: int
) -> NDArray[np.int64]:
    """For each component that has members, the one of greatest height; ties go to the lowest number."""
    best = np.full(num_pieces, np.iinfo(np.int64).min)
    np.maximum.at(best, piece, height)
    top = np.flatnonzero(height == best[piece])
    return members[top[np.unique(piece[top], return_index=True)[1]]]
