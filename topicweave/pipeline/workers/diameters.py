"""On the workers: computes the diameters of all topics of a bucket together.

Every subscriber's eccentricity has bounds that each breadth-first search tightens: a subscriber at distance d from a
start of eccentricity e has an eccentricity of at least max(d, e − d) and at most e + d. A topic is done when no
eccentricity of its subscribers can exceed the largest one seen (Takes and Kosters 2011). In a round, one search in each
unfinished topic runs at the same time, level by level. A dozen rounds finish most topics and leave few subscribers to
search from in the others; from those, 64 searches at a time run in the bits of a word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# How many subscriptions and links all searches together may visit; topics that are unfinished then get a lower bound.
STEPS = 400_000_000
LEAST_ROUNDS, MOST_ROUNDS = 3, 12


def topic_diameters(
    pairs: NDArray[np.int32], topics: NDArray[np.int64], num_topics: int, steps: int = STEPS
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The diameter of every topic, and whether it is exact; if a topic has several components, the largest of theirs.

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
    """Lower and upper bounds on the largest distance in each component."""
    sizes = np.bincount(pieces, minlength=num_pieces).astype(np.int64)
    lower, upper = np.zeros(num_pieces, dtype=np.int64), sizes - 1
    search = _Search(graph)
    degrees = search.counts
    members = np.flatnonzero(sizes[pieces] > 1)  # the members of components that are not finished, and their bounds
    least, most = np.zeros(len(members), dtype=np.int64), upper[pieces[members]]
    # The first search starts at the member with the most links, the second at the end farthest from it; later ones
    # alternate between the members with highest upper and lowest lower bound.
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
        # The member with the highest upper bound may be an end of a longest path, the one with the lowest lower bound
        # is probably in the middle; ties are broken by degree. Members that cannot exceed the largest value found are
        # skipped, and so are those already searched from.
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
    """Search from every candidate in the unfinished components, 64 at a time in each; improves both bounds in place."""
    # Sort by component, candidates first: a candidate's position in its component decides which word and bit its search
    # uses.
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
        if not is_left[piece].all():  # continue without the components that are finished
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
    """Breadth-first search from many starts at once, one level at a time."""

    def __init__(self, graph: Any) -> None:
        self.starts = graph.indptr[:-1].astype(np.int64)
        self.counts = np.diff(graph.indptr).astype(np.int64)
        self.neighbours = graph.indices
        self.level = np.full(graph.shape[0], -1, dtype=np.int64)

    def levels(self, starts: NDArray[np.int64], members: NDArray[np.int64]) -> NDArray[np.int64]:
        """The distance of each member from the start of its component; every component must contain a start."""
        self.level[members] = -1
        self.level[starts] = 0
        frontier, depth = starts, 0
        while len(frontier):
            depth += 1
            counts = self.counts[frontier]
            offsets = np.repeat(self.starts[frontier] - (np.cumsum(counts) - counts), counts)
            met = self.neighbours[np.arange(len(offsets)) + offsets]
            met = met[self.level[met] < 0]
            # If several searches reach the same member, the one that writes its mark last represents it.
            self.level[met] = np.arange(len(met))
            frontier = met[self.level[met] == np.arange(len(met))].astype(np.int64)
            self.level[frontier] = depth
        return self.level[members]


def _greatest(piece: NDArray[np.int32], values: NDArray[np.int64], num_pieces: int) -> NDArray[np.int64]:
    """The largest value among the members of each component; 0 if a component has none."""
    found = np.zeros(num_pieces, dtype=np.int64)
    np.maximum.at(found, piece, values)
    return found


def _highest(
    members: NDArray[np.int64], piece: NDArray[np.int32], height: NDArray[np.int64], num_pieces: int
) -> NDArray[np.int64]:
    """For each component that has members, the member with the largest height; ties go to the lowest number."""
    best = np.full(num_pieces, np.iinfo(np.int64).min)
    np.maximum.at(best, piece, height)
    top = np.flatnonzero(height == best[piece])
    return members[top[np.unique(piece[top], return_index=True)[1]]]
