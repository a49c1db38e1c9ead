"""Interests to test with: hypothesis strategies, tiny ones to solve by hand, and the instances of the papers' lemmas.

Labels are numbers padded with zeros, so that the order of labels is the order of the numbers written here.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from hypothesis import strategies as st

from topicweave.model import Interest, Overlay

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hypothesis.strategies import SearchStrategy


def interest_of(topics_by_node: Mapping[int, Iterable[int]]) -> Interest:
    """An interest whose node and topic labels are padded numbers: n000, n001, ... and t0000, t0001, ..."""
    return Interest.from_sets({f"n{v:03}": [f"t{t:04}" for t in wanted] for v, wanted in topics_by_node.items()})


# ---- solved by hand in test_reference.py -------------------------------------------------------------------------


def four_brokers() -> Interest:
    """Two twins, a bridge and a leaf: the rules already differ in the order of the links."""
    return interest_of({0: {0, 1}, 1: {0, 1}, 2: {1, 2}, 3: {2}})


def crowd_and_couple() -> Interest:
    """Five nodes with one topic, two nodes with two: the three constant-diameter scores disagree on where to begin."""
    return interest_of({0: {0}, 1: {0}, 2: {0}, 3: {0}, 4: {0}, 5: {1, 2}, 6: {1, 2}})


def loners() -> Interest:
    """A node without topics, a topic with one subscriber, and one pair that needs a link."""
    return interest_of({0: set(), 1: {0, 1}, 2: {1}})


def single_topic(num_nodes: int = 5) -> Interest:
    """All nodes want the same topic: every spanning tree is optimal, and ties decide everything."""
    return interest_of({v: {0} for v in range(num_nodes)})


# ---- the papers' lemmas ------------------------------------------------------------------------------------------


def hub(num_others: int = 4) -> Interest:
    """Node 0 wants every topic, node i every topic but its own: GM makes a star, yet the ring of all nodes is a TCO.

    Our instance for what LOW §I-B quotes of MinMax-ODA's authors: GM may reach the largest possible maximum degree
    where a constant one suffices. No tie helps GM: a node not yet linked always gains one topic more at node 0.
    """
    topics = set(range(1, num_others + 1))
    return interest_of({0: topics, **{i: topics - {i} for i in topics}})


def low_lemma_1(n: int = 6) -> Interest:
    """LOW Lemma 1: topics t_ij; node 1 wants all, node i every t_ij and t_ji. GM links node 1 to everybody (n − 1).

    MinMax-ODA saves node 1 and lays matchings among the others, a number of links that grows as n².
    """
    numbers = range(1, n + 1)
    wanted = {1: {(i, j) for i in numbers for j in numbers}}
    for i in numbers[1:]:
        wanted[i] = {(i, j) for j in numbers} | {(j, i) for j in numbers}
    return interest_of({i - 1: {(a - 1) * n + b - 1 for a, b in pairs} for i, pairs in wanted.items()})


def cuboid(k: int = 3, m: int = 3) -> Interest:
    """GM Lemma 6.6: a 2 × (2^k − 1) × m cuboid of topics, on which GM makes 2k + km links where 2k + 2m suffice.

    Nodes 0 and 1 want one of the two planes each; nodes 2 .. k+1 (Sk_1 .. Sk_k) a slab of 1, 2, 4, ... of the
    2^k − 1 columns; nodes k+2 .. k+m+1 (Sm_1 .. Sm_m) one of the m layers. The proof asks for m > 2.
    """
    columns = 2**k - 1
    wanted: dict[int, set[int]] = {v: set() for v in range(2 + k + m)}
    for plane in range(2):
        for column in range(columns):
            slab = (column + 1).bit_length() - 1  # columns 0 | 1 2 | 3 4 5 6 | ...
            for layer in range(m):
                topic = (plane * columns + column) * m + layer
                for node in (plane, 2 + slab, 2 + k + layer):
                    wanted[node].add(topic)
    return interest_of(wanted)


def cuboid_optimum(k: int = 3, m: int = 3) -> list[tuple[int, int]]:
    """The 2k + 2m links of the proof: both planes to every slab and every layer."""
    return [(plane, other) for plane in range(2) for other in range(2, 2 + k + m)]


# ---- strategies --------------------------------------------------------------------------------------------------


def _interests(
    wanted: SearchStrategy[set[int]] | SearchStrategy[frozenset[int]], min_nodes: int = 0, max_nodes: int = 9
) -> SearchStrategy[Interest]:
    rows = st.lists(wanted, min_size=min_nodes, max_size=max_nodes)
    return rows.map(lambda sets: interest_of(dict(enumerate(sets))))


def general_interests(max_nodes: int = 9, max_topics: int = 7) -> SearchStrategy[Interest]:
    """Any node, any topics, at least one each."""
    return _interests(st.sets(st.integers(0, max_topics - 1), min_size=1), 1, max_nodes)


def skewed_interests(max_nodes: int = 9, max_topics: int = 8) -> SearchStrategy[Interest]:
    """Few topics with most of the subscribers: topic t is wanted about half as often as topic t − 1."""
    topic = st.integers(1, 2**max_topics - 1).map(lambda number: max_topics - number.bit_length())
    return _interests(st.sets(topic, min_size=1, max_size=5), 1, max_nodes)


def tiny_interests() -> SearchStrategy[Interest]:
    """No node up to three, no topic up to three: where off-by-one errors live."""
    return _interests(st.sets(st.integers(0, 2)), 0, 3)


def equal_interests(max_nodes: int = 9) -> SearchStrategy[Interest]:
    """All nodes want the same topics."""
    return st.builds(
        lambda count, topics: interest_of({v: topics for v in range(count)}),
        st.integers(1, max_nodes),
        st.sets(st.integers(0, 4), min_size=1),
    )


def disjoint_interests(max_nodes: int = 9) -> SearchStrategy[Interest]:
    """No two nodes share a topic: the empty overlay is a TCO."""
    sizes = st.lists(st.integers(1, 3), min_size=1, max_size=max_nodes)
    return sizes.map(lambda found: interest_of({v: range(3 * v, 3 * v + size) for v, size in enumerate(found)}))


def one_topic_interests(max_nodes: int = 9) -> SearchStrategy[Interest]:
    """One topic that all nodes want."""
    return st.integers(1, max_nodes).map(single_topic)


def lonely_topic_interests(max_nodes: int = 8) -> SearchStrategy[Interest]:
    """Shared topics, and beside them a topic of its own for every node."""
    rows = st.lists(st.sets(st.integers(0, 4)), min_size=1, max_size=max_nodes)
    return rows.map(lambda sets: interest_of({v: wanted | {10 + v} for v, wanted in enumerate(sets)}))


def idle_node_interests(max_nodes: int = 9) -> SearchStrategy[Interest]:
    """Some nodes want nothing."""
    nothing: set[int] = set()
    wanted = st.one_of(st.just(nothing), st.sets(st.integers(0, 4), min_size=1))
    return _interests(wanted, 1, max_nodes)


def interests(max_nodes: int = 9) -> SearchStrategy[Interest]:
    """Any of the kinds above, the empty interest among them."""
    return st.one_of(
        general_interests(max_nodes),
        skewed_interests(max_nodes),
        tiny_interests(),
        equal_interests(max_nodes),
        disjoint_interests(max_nodes),
        one_topic_interests(max_nodes),
        lonely_topic_interests(max_nodes - 1),
        idle_node_interests(max_nodes),
    )


def nonempty_interests(max_nodes: int = 9) -> SearchStrategy[Interest]:
    """Any of the kinds above with at least one node and one subscription: what ``design`` accepts."""
    return interests(max_nodes).filter(lambda interest: interest.num_subscriptions > 0)


def pair_subsets(interest: Interest) -> SearchStrategy[list[tuple[int, int]]]:
    """Some of the node pairs, by number, in any order."""
    pairs = list(combinations(range(interest.num_nodes), 2))
    return st.lists(st.sampled_from(pairs), unique=True) if pairs else st.just([])


def overlays(interest: Interest) -> SearchStrategy[Overlay]:
    """A partial overlay of the interest's nodes, links in any order, common topics or not."""
    return pair_subsets(interest).map(
        lambda pairs: Overlay(interest.nodes, np.array(pairs, dtype=np.int64).reshape(-1, 2))
    )


def topic_subsets(interest: Interest) -> SearchStrategy[list[int]]:
    """Some of the topics, by number, ascending."""
    if not interest.num_topics:
        return st.just([])
    return st.sets(st.integers(0, interest.num_topics - 1)).map(sorted)


class Case(NamedTuple):
    """An interest with everything the greedy loop can be limited by; ``pairs`` and ``topics`` may be None for all."""

    interest: Interest
    start: list[tuple[int, int]]
    pairs: list[tuple[int, int]] | None
    topics: list[int] | None


@st.composite
def cases(draw: st.DrawFn, max_nodes: int = 9) -> Case:
    """A non-empty interest, a start, candidate pairs and topics that belong together."""
    interest = draw(nonempty_interests(max_nodes))
    return Case(
        interest,
        draw(st.one_of(st.just([]), pair_subsets(interest))),
        draw(st.one_of(st.none(), pair_subsets(interest))),
        draw(st.one_of(st.none(), topic_subsets(interest))),
    )
