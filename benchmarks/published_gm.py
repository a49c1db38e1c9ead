"""Greedy Merge with the data structures of its publication (PODC 2007, Algorithms 1-3), for comparison with ours.

* LINKCONTRIB: one doubly linked list of pairs for each contribution; two pointers and the contribution are kept for
  every pair, so that a pair is found, taken out and put elsewhere in constant time (proof of Lemma 6.4).
* NODES: explicit component lists, shared by their members and kept in node order (for the sake of the caches).
* One move for every pair and topic that a new link affects (Algorithm 3, lines 7-11).

It is written to be as fast as those structures allow: flat arrays, both pointers of a pair in one cache line, list
heads that are entries of the same array, first counts from bit rows. It is not parallel, because every move depends on
the last.

Line 6 of Algorithm 3 is read as "every topic in which v and w are in different components", as §6.1 says in words; read
literally it would move pairs for topics that are already connected.
"""

# mypy: allow-untyped-calls, allow-untyped-decorators
from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.bits import bit_rows, popcount
from topicweave.errors import TooLargeError
from topicweave.kernels.jit import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest

PREVIOUS, NEXT = 0, 1


class PublishedRun(NamedTuple):
    """The result of the published algorithm: links in the order they were made, their contributions, and the number of
    moves.
    """

    edges: NDArray[np.int64]
    contribution: NDArray[np.int64]
    moves: int


def published_gm(interest: Interest) -> PublishedRun:
    """Run GM as published; among pairs of equal contribution, the one at the head of the list is taken.

    Needs 10 bytes per pair. ``moves`` are the "processing steps" of the paper's Figure 3.
    """
    num_nodes, num_topics = interest.num_nodes, interest.num_topics
    num_pairs = num_nodes * (num_nodes - 1) // 2
    if num_pairs + num_topics >= 2**32 or num_topics >= 2**16:
        raise TooLargeError(
            f"The yardstick keeps pairs in 32 bits and contributions in 16, but {num_nodes} nodes × {num_topics} "
            f"topics were given; stay below 65,536 topics and 92,000 nodes."
        )
    links = np.empty((num_pairs + num_topics + 1, 2), dtype=np.uint32)
    contribution = np.empty(num_pairs, dtype=np.uint16)
    fill_buckets(bit_rows(interest), links, contribution)
    sources, targets, taken, moves = merge(interest.indptr, interest.indices, num_topics, links, contribution)
    return PublishedRun(np.stack((sources, targets), axis=1), taken, int(moves))


@njit
def fill_buckets(words, links, contribution):  # type: ignore[no-untyped-def]
    """Algorithm 2, lines 4-7: count the common topics of every pair, and put the pair into the list for that
    contribution.

    Parameters
    ----------
    words
        uint64 (nodes, words), the bit rows.
    links
        uint32 (pairs + topics + 1, 2), filled here: PREVIOUS and NEXT of every pair. Entry ``pairs + c`` is the head of
        the list of contribution c; the lists are rings through their heads, so that no end needs a test.
    contribution
        uint16 (pairs,), filled here.
    """
    num_nodes, num_words = words.shape
    num_pairs = len(contribution)
    for head in range(num_pairs, len(links)):
        links[head, PREVIOUS] = head
        links[head, NEXT] = head
    pair = 0
    for u in range(num_nodes):
        for v in range(u + 1, num_nodes):
            common = 0
            for w in range(num_words):
                common += popcount(words[u, w] & words[v, w])
            contribution[pair] = common
            # insert at the tail: lists start in the order of pairs, so that neighbours in a list are neighbours in
            # memory
            if common > 0:
                head = num_pairs + common
                tail = links[head, PREVIOUS]
                links[pair, PREVIOUS] = tail
                links[pair, NEXT] = head
                links[tail, NEXT] = pair
                links[head, PREVIOUS] = pair
            pair += 1


@njit
def merge(indptr, indices, num_topics, links, contribution):  # type: ignore[no-untyped-def]
    """Algorithm 2, lines 1-3 and 8, and the whole of Algorithm 3.

    Parameters
    ----------
    indptr, indices
        The subscriptions by node, topics ascending. A subscription's position in ``indices`` (its slot) stands for
        [v][t].
    num_topics
        Number of topics.
    links, contribution
        As filled by :func:`fill_buckets`; overwritten.

    Returns
    -------
    sources, targets, taken
        int64, the links u < v in the order taken, and the contribution of each.
    moves
        How often a pair was moved to another list because of a topic.
    """
    num_nodes, num_slots, num_pairs = len(indptr) - 1, len(indices), len(contribution)
    node_of = np.empty(num_slots, dtype=np.int64)
    row = np.empty(num_nodes, dtype=np.int64)  # row[u] + v is the position of the pair u < v among all pairs
    for v in range(num_nodes):
        node_of[indptr[v] : indptr[v + 1]] = v
        row[v] = v * (2 * num_nodes - v - 1) // 2 - v - 1
    # The list NODES[v][t] of the paper is the list named component[slot]; its slots are in node order, from
    # first_member[name] on.
    component = np.arange(num_slots)
    first_member = np.arange(num_slots)
    next_member = np.full(num_slots, -1, dtype=np.int64)
    size = np.ones(num_slots, dtype=np.int64)
    ones = np.empty(num_nodes, dtype=np.int64)
    others = np.empty(num_nodes, dtype=np.int64)
    most_edges = min(num_pairs, num_slots)
    sources = np.empty(most_edges, dtype=np.int64)
    targets = np.empty(most_edges, dtype=np.int64)
    taken = np.empty(most_edges, dtype=np.int64)
    num_edges = 0
    moves = 0
    highest = _highest_filled(num_topics, num_pairs, links)
    while highest > 0:
        # Lines 3-5: take a pair with the highest contribution from its list and make it a link.
        head = num_pairs + highest
        pair = np.int64(links[head, NEXT])
        links[head, NEXT] = links[pair, NEXT]
        links[links[pair, NEXT], PREVIOUS] = head
        v, w = _ends(pair, row)
        sources[num_edges] = v
        targets[num_edges] = w
        taken[num_edges] = highest
        num_edges += 1
        # Line 6: find the common topics by going through both sorted rows at the same time.
        i, j = indptr[v], indptr[w]
        while i < indptr[v + 1] and j < indptr[w + 1]:
            if indices[i] < indices[j]:
                i += 1
                continue
            if indices[i] > indices[j]:
                j += 1
                continue
            small, large = component[i], component[j]
            i += 1
            j += 1
            if small == large:
                continue
            if size[small] > size[large]:
                small, large = large, small
            _list_nodes(first_member[small], size[small], next_member, node_of, ones)
            _list_nodes(first_member[large], size[large], next_member, node_of, others)
            moves += _move_pairs(ones[: size[small]], others[: size[large]], pair, row, links, contribution)
            # Lines 12-14: merge the two lists; members of the larger one already point to the right name.
            slot = first_member[small]
            while slot >= 0:
                component[slot] = large
                slot = next_member[slot]
            first_member[large] = _merge_lists(first_member[small], first_member[large], next_member)
            size[large] += size[small]
        highest = _highest_filled(highest, num_pairs, links)
    return sources[:num_edges], targets[:num_edges], taken[:num_edges], moves


@njit
def _highest_filled(highest, num_pairs, links):  # type: ignore[no-untyped-def]
    """Algorithm 2, line 8, and Algorithm 3, lines 15-16: the largest contribution that any pair still has, or 0."""
    while highest > 0 and links[num_pairs + highest, NEXT] == num_pairs + highest:
        highest -= 1
    return highest


@njit
def _move_pairs(ones, others, taken_pair, row, links, contribution):  # type: ignore[no-untyped-def]
    """Algorithm 3, lines 7-11: the contribution of every pair between the two components, except the one just linked,
    falls by one.
    """
    num_pairs = len(contribution)
    moves = 0
    for one in ones:
        for other in others:
            # Unsigned, because numba tests signed indices for being negative each time they are used.
            pair = np.uint64(row[min(one, other)] + max(one, other))
            if pair == np.uint64(taken_pair):
                continue
            before, after = links[pair, PREVIOUS], links[pair, NEXT]
            links[before, NEXT] = after
            links[after, PREVIOUS] = before
            left = np.int64(contribution[pair]) - 1
            contribution[pair] = left
            if left > 0:
                head = np.uint64(num_pairs + left)
                top = links[head, NEXT]
                links[pair, PREVIOUS] = head
                links[pair, NEXT] = top
                links[top, PREVIOUS] = pair
                links[head, NEXT] = pair
            moves += 1
    return moves


@njit
def _list_nodes(slot, count, next_member, node_of, nodes):  # type: ignore[no-untyped-def]
    """Write the nodes of a linked list to an array."""
    for k in range(count):
        nodes[k] = node_of[slot]
        slot = next_member[slot]


@njit
def _ends(pair, row):  # type: ignore[no-untyped-def]
    """The nodes u < v of a pair, found by bisection over the positions at which rows begin."""
    low, high = 0, len(row) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if row[middle] + middle + 1 <= pair:
            low = middle
        else:
            high = middle
    return low, pair - row[low]


@njit
def _merge_lists(one, other, next_member):  # type: ignore[no-untyped-def]
    """Merge two ascending linked lists; return the first slot of the result."""
    if other < one:
        one, other = other, one
    first = one
    while other >= 0:
        following = next_member[one]
        if following < 0 or following > other:
            next_member[one] = other
            other = following
        one = next_member[one]
    return first
